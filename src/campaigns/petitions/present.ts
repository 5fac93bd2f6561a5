import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { renderMarkdown } from '../../platform/markdown/markdown.ts';
import type { DecisionMakerRow } from './decision-maker-queries.ts';
import { isDueToClose } from './closing-dates.ts';
import { accessCode, canEdit, isCreator } from './policy.ts';
import type { PetitionRow } from './queries.ts';
import type { Petition, PetitionRecord, PetitionSummary, TextChange } from './schema.ts';

/** Converts a row to a list entry. The time decides whether the petition is promoted, or due to be closed. */
export const presentSummary = (
  { config, site, now: time }: Pick<Context, 'config' | 'site' | 'now'>,
  row: PetitionRow,
): PetitionSummary => {
  const now = time();
  return {
    id: row.id,
    slug: row.slug,
    title: row.title,
    description: row.description,
    status: isDueToClose(row, now) ? 'closed' : row.status,
    signature_count: row.signature_count,
    signature_goal: row.signature_goal,
    closes_at: row.closes_at,
    image_url: row.image_url,
    image_alt: row.image_alt,
    language: row.language,
    category: row.category,
    creator: row.creator,
    created_at: row.created_at,
    published_at: row.published_at,
    promoted:
      site.current.modules.promotion && row.promoted_until !== null && row.promoted_until > now,
    log_id: config.transparencyLog && hasPublicLogId(row) ? row.log_id : null,
  };
};

/** Whether everybody may know which petition of the public log this one is. */
const hasPublicLogId = ({ visibility, status, published_at, deleted_at }: PetitionRow): boolean =>
  visibility === 'public' && status !== 'draft' && published_at !== null && deleted_at === null;

/** Converts a row to the answer of a single read, as `presentRecord`. */
export const presentPetition = (
  ctx: Context,
  row: PetitionRow,
  makers: DecisionMakerRow[],
  caller: Caller | null,
): Petition => ({
  ...presentRecord(ctx, row, makers, caller),
  description_html: renderMarkdown(row.description, ctx.config).text,
});

/** Converts a row to the last change of a text that many had signed. */
export const presentTextChange = (row: PetitionRow): TextChange | null =>
  row.text_changed_at && {
    at: row.text_changed_at,
    signatures_before: row.text_changed_after!,
    version: row.text_changed_version!,
  };

/**
 * Converts a row to the full petition. The addresses of decision makers are for those who may edit it, the access code for its
 * creator only: organizers read without it, and those who leave do not know it.
 */
export function presentRecord(
  ctx: Context,
  row: PetitionRow,
  makers: DecisionMakerRow[],
  caller: Caller | null,
): PetitionRecord {
  const now = ctx.now();
  const mayEdit = canEdit(row, caller);
  return {
    ...presentSummary(ctx, row),
    visibility: row.visibility,
    tags: row.tags,
    signature_privacy: row.signature_privacy,
    location_city: row.location_city,
    location_region: row.location_region,
    location_country: row.location_country,
    org_id: row.org_id,
    decision_makers: makers.map(({ id, name, title, email, verified }) => ({
      id,
      name,
      title,
      verified,
      ...(mayEdit && email !== null && { email }),
    })),
    victory_message: row.victory_message,
    closed_at: isDueToClose(row, now) ? row.closes_at : row.closed_at,
    text_change: presentTextChange(row),
    share_url: `${ctx.config.baseUrl}/p/${row.slug}`,
    embed_url: `${ctx.config.baseUrl}/embed/p/${row.slug}`,
    ...(isCreator(row, caller) &&
      row.visibility === 'private' && { access_code: accessCode(ctx, row) }),
  };
}
