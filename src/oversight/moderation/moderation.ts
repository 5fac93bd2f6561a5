import mailsEn from '../../../locales/en/moderation-mails.json' with { type: 'json' };
import { languageAsked, nameCategories } from '../../campaigns/categories/categories.ts';
import { evictPetitions } from '../../campaigns/petitions/cache.ts';
import { approveTextChange, transitionPetition } from '../../campaigns/petitions/transition.ts';
import {
  petitionsByStatus,
  petitionsWithChangedText,
  presentSummary,
  presentTextChange,
} from '../../campaigns/petitions/list.ts';
import { isPublished } from '../../campaigns/petitions/policy.ts';
import {
  findPublishedPetition,
  readFreshPetition,
  requireVisiblePetition,
  type PetitionRow,
} from '../../campaigns/petitions/read.ts';
import type { Petition, RedactionInput, TextChange } from '../../campaigns/petitions/schema.ts';
import { redactPetition } from '../../campaigns/petitions/write.ts';
import { findUser } from '../../identity/accounts/accounts.ts';
import { readReasons, recordAdminAction } from '../../platform/audit.ts';
import { recordDecision, type DecisionAct } from '../../platform/decisions.ts';
import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage, type Page } from '../../platform/cursor.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { conflict } from '../../platform/problems.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { withoutLinks } from '../../platform/mail-addresses.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { sendUnlessFinal, type Mail } from '../../platform/mail.ts';
import { catalog, plainText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { countOpenReports, forgetSnapshotsOf, resolveReports } from '../reports/reports.ts';
import { changedQueue, type AdminPetition, type PetitionQueueQuery } from './schema.ts';

const mailTexts = catalog('moderation-mails', mailsEn);

/**
 * Returns a page of petitions with one status, by default under review, longest in it first; or of those whose changed
 * text waits, oldest change first.
 */
export async function listPetitionQueue(
  ctx: Context,
  { status = 'under_review', limit = defaultLimit, cursor, lang }: PetitionQueueQuery,
): Promise<Page<AdminPetition>> {
  const list = `petitions-${status}`;
  const after = decodeCursor(list, ['time', 'uuid'], cursor);
  const rows =
    status === changedQueue
      ? await petitionsWithChangedText(ctx.db, after, limit + 1)
      : await petitionsByStatus(ctx.db, status, after, limit + 1);
  const ids = rows.map(({ id }) => id);
  const reports = await countOpenReports(ctx.db, 'petition', ids);
  return toPage(
    await nameCategories(ctx, rows, languageAsked(lang)),
    limit,
    ({ status_since, text_changed_at, id }) => {
      const since = status === changedQueue ? text_changed_at! : status_since;
      return encodeCursor(list, [since.toISOString(), id]);
    },
    (row) => present(ctx, row, reports.get(row.id) ?? 0),
  );
}

const present = (ctx: Context, row: PetitionRow, openReports: number): AdminPetition => ({
  ...presentSummary(ctx, row),
  visibility: row.visibility,
  tags: row.tags,
  status_since: row.status_since,
  text_change: presentTextChange(row),
  open_reports: openReports,
  url: `${ctx.config.baseUrl}/v1/petitions/${row.id}`,
});

const isChangeWaiting = (petition: PetitionRow) =>
  petition.text_changed_at !== null && petition.change_reviewed_at === null;

/** A changed text that waits for a moderator. */
export interface WaitingChange {
  change: TextChange;
  /** The newest version of the text. */
  version: number;
}

/** Returns the change of a petition's text that waits for a moderator, if there is one. */
export async function findWaitingChange(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<WaitingChange | null> {
  const petition = await requireVisiblePetition(ctx, caller, ref);
  const change = isChangeWaiting(petition) ? presentTextChange(petition) : null;
  return change && { change, version: petition.version };
}

/**
 * Publishes a petition that is under review, and dismisses its open reports. Of a published petition, approves the changed
 * text that waits.
 * @throws {Problem} conflict if the petition is neither, or if its text is no longer the version that was seen
 */
export async function approve(
  ctx: Context,
  caller: Caller,
  ref: string,
  seenVersion?: number,
): Promise<Petition> {
  const petition = await requireVisiblePetition(ctx, caller, ref);
  if (seenVersion !== undefined && seenVersion !== petition.version) throw changedMeanwhile();
  if (!isPublished(petition) || !isChangeWaiting(petition)) {
    return decide(ctx, caller, petition, { name: 'approve', resolution: 'dismissed' });
  }
  await transaction(ctx.db, async (tx) => {
    await recordAdminAction(tx, {
      actorId: caller.userId,
      // Not `petition.approve`, which raises how many reports send the petition to review: this moderator judged a change
      // of the text, and not what was reported. So the open reports stay, too.
      action: 'petition.approve_change',
      targetType: 'petition',
      targetId: petition.id,
      details: { version: petition.version },
    });
    if (!(await approveTextChange(tx, petition))) throw changedMeanwhile();
  });
  evictPetitions(ctx, [petition.id]);
  return readFreshPetition(ctx, petition.id, caller);
}

const changedMeanwhile = () =>
  conflict('edit_conflict', 'The petition was changed meanwhile. Look at it again.');

/** Returns a petition that is under review to its creator, as a draft. */
export const reject = async (
  ctx: Context,
  caller: Caller,
  ref: string,
  reason: string,
): Promise<Petition> =>
  decide(ctx, caller, await requireVisiblePetition(ctx, caller, ref), {
    name: 'reject',
    reason,
    resolution: 'actioned',
  });

export const close = async (
  ctx: Context,
  caller: Caller,
  ref: string,
  reason: string,
): Promise<Petition> => {
  const petition = await requireVisiblePetition(ctx, caller, ref);
  return decide(ctx, caller, petition, { name: 'close', reason });
};

interface Decision {
  name: 'approve' | 'reject' | 'close';
  reason?: string;
  /** The new status of its open reports, if the decision resolves them. */
  resolution?: 'actioned' | 'dismissed';
}

async function decide(
  ctx: Context,
  caller: Caller,
  petition: PetitionRow,
  decision: Decision,
): Promise<Petition> {
  await transaction(ctx.db, (tx) => apply(tx, caller, petition, decision));
  evictPetitions(ctx, [petition.id]);
  return readFreshPetition(ctx, petition.id, caller);
}

async function apply(
  tx: Tx,
  caller: Caller,
  petition: PetitionRow,
  { name, reason, resolution }: Decision,
): Promise<void> {
  const actId = await recordAdminAction(tx, {
    actorId: caller.userId,
    action: `petition.${name}`,
    targetType: 'petition',
    targetId: petition.id,
    reason: reason === undefined ? undefined : { text: reason, about: petition.creator_id },
  });
  const actor = { type: 'admin', id: caller.userId } as const;
  // The notification of a rejection contains the reason; of other decisions only the audit log has it.
  await transitionPetition(tx, { petition, name, actor, ...(name === 'reject' && { actId }) });
  // Who approves a petition has read its text, unless that was changed since: then the change waits on.
  if (name === 'approve') await approveTextChange(tx, petition);
  const reportIds = resolution
    ? await resolveReports(
        tx,
        { type: 'petition', id: petition.id },
        { status: resolution, action: null, by: caller.userId },
      )
    : [];
  // The creator is notified of an approval in another way.
  if (name === 'approve' && reportIds.length === 0) return;
  await recordDecision(tx, { ...decisionOn(petition, caller), act: acts[name], reason, reportIds });
}

const acts = {
  approve: 'dismiss_report',
  reject: 'reject_petition',
  close: 'close_petition',
} as const satisfies Record<Decision['name'], DecisionAct>;

const decisionOn = (petition: PetitionRow, caller: Caller) => ({
  target: { type: 'petition', id: petition.id },
  petitionId: petition.id,
  userId: petition.creator_id,
  moderatorId: caller.userId,
});

/**
 * Replaces text of a petition that must not be shown, in its versions too. The creator gets a mail with the reason.
 * @throws {Problem} not-found; conflict if the petition was changed meanwhile; validation-failed without a text
 */
export async function redact(
  ctx: Context,
  caller: Caller,
  ref: string,
  input: RedactionInput,
): Promise<Petition> {
  const petition = await requireVisiblePetition(ctx, caller, ref);
  await transaction(ctx.db, async (tx) => {
    const actId = await recordAdminAction(tx, {
      actorId: caller.userId,
      action: 'petition.redact',
      targetType: 'petition',
      targetId: petition.id,
      reason: { text: input.reason, about: petition.creator_id },
    });
    await redactPetition(tx, petition, input, { type: 'admin', id: caller.userId });
    await forgetSnapshotsOf(tx, { type: 'petition', id: petition.id });
    await addMailJob(tx, 'notify-redacted', { petition_id: petition.id, act_id: actId });
    await recordDecision(tx, {
      ...decisionOn(petition, caller),
      act: 'redact_petition',
      reason: input.reason,
    });
  });
  evictPetitions(ctx, [petition.id]);
  return readFreshPetition(ctx, petition.id, caller);
}

/** Mails the creator of a redacted petition, if the address is verified. */
export async function notifyRedacted(
  ctx: Context,
  { petition_id: petitionId, act_id: actId }: { petition_id: string; act_id: string },
): Promise<void> {
  const petition = await findPublishedPetition(ctx, petitionId);
  const user = petition?.creator && (await findUser(ctx.db, petition.creator.id));
  const reason = (await transaction(ctx.db, (tx) => readReasons(tx, [actId]))).get(actId);
  if (!user?.email_verified_at || reason === undefined) return;
  const values = { link: petition!.share_url, reason, host: new URL(ctx.config.baseUrl).host };
  await sendUnlessFinal(ctx, redactedMail(user, values));
}

/** Composes the mail to the creator of a petition whose text a moderator replaced. */
export const redactedMail = (
  { email, language }: { email: string; language: Language },
  values: { link: string; reason: string; host: string },
): Mail => ({
  kind: 'petition-redacted',
  cause: 'own act',
  to: email,
  language,
  subject: plainText(mailTexts, language, 'redacted_subject'),
  text: plainText(mailTexts, language, 'redacted', {
    ...values,
    reason: withoutLinks(values.reason),
  }),
});
