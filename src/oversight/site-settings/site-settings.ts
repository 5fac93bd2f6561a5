import { isDeepStrictEqual } from 'node:util';
import { readPicture } from '../../campaigns/media/media.ts';
import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, invalidValue, notFound } from '../../platform/problems.ts';
import { logoAddress } from '../../platform/site/icons.ts';
import type { SiteProfile } from '../../platform/site/profile.ts';
import type { SettingChanges, SettingName } from '../../platform/site/site-settings.ts';
import { findLogo, hashOfLogoAddress, storeLogo } from './logo.ts';
import * as queries from './queries.ts';
import type { AdminSite, Site, SiteChange, SiteUpdate } from './schema.ts';

export { readLogo } from './queries.ts';
export { findLogo, uploadLogo } from './logo.ts';

/** Returns the site as everybody sees it. Reads nothing. */
export const presentSite = (ctx: Context): Site => shownOf(ctx, ctx.site.current);

const shownOf = (ctx: Context, site: SiteProfile): Site => ({
  name: site.name,
  tagline: site.tagline,
  accent: site.accent,
  logo_url: site.logo && ctx.config.baseUrl + logoAddress(site.logo),
  languages: [...site.languages],
  default_language: site.defaultLanguage,
  modules: { ...site.modules },
});

/** Returns the site as administrators see it. Reads nothing. */
export function presentAdminSite(ctx: Context, site = ctx.site.current): AdminSite {
  const { fixed } = ctx.site;
  const fixable = <T>(name: SettingName, value: T) => ({ value, fixed: name in fixed });
  return {
    ...shownOf(ctx, site),
    contact_email: site.contactEmail,
    mail_from_name: fixable('mail_from_name', site.mailFromName),
    mail_reply_to: fixable('mail_reply_to', site.mailReplyTo),
    signup: site.signup,
    moderation: fixable('moderation', site.moderation),
    signature_policy: fixable('signature_policy', site.signaturePolicy),
  };
}

/**
 * Returns what an update sets. Keeps a copy of a logo.
 * @throws {Problem} conflict for a setting that an environment variable fixes, validation-failed
 */
export async function changesOf(ctx: Context, update: SiteUpdate): Promise<SettingChanges> {
  const { logo_url: logoUrl, accent, ...others } = update;
  const changes = { ...others } as SettingChanges;
  if (accent !== undefined) changes.accent = accent && accent.toLowerCase();
  if (logoUrl !== undefined) changes.logo = logoUrl === null ? null : await logoAt(ctx, logoUrl);
  requireChangeable(ctx, Object.keys(changes));
  return changes;
}

/** @throws {Problem} conflict for a setting that an environment variable fixes */
function requireChangeable({ site }: Context, names: readonly string[]): void {
  const fixed = names.find((name) => name in site.fixed);
  if (fixed === undefined) return;
  throw conflict('setting_fixed', `${fixed} is set by an environment variable of the service.`);
}

/** @throws {Problem} validation-failed at logo_url */
async function logoAt(ctx: Context, url: string) {
  const hash = hashOfLogoAddress(ctx, url);
  if (hash !== undefined) return findLogo(ctx, hash, 'logo_url');
  const bytes = await readPicture(ctx, url);
  if (Buffer.isBuffer(bytes)) return storeLogo(ctx, bytes);
  throw invalidValue(
    'logo_url',
    'There is no picture of this service. Upload one, and send the address of one of its variants.',
  );
}

/**
 * Changes settings of the site, in one transaction, and records each change. What stays the same is no change. Returns the
 * site as it is then.
 * @throws {Problem} validation-failed
 */
export async function changeSettings(
  ctx: Context,
  userId: string,
  wanted: SettingChanges,
): Promise<SiteProfile> {
  const site = await transaction(ctx.db, async (tx) => {
    const stored = await queries.lockSettings(tx);
    const changes = { ...wanted };
    if (changes.modules) changes.modules = { ...stored.modules, ...changes.modules };
    const settings = { ...stored, ...changes };
    requireOfferedDefault(settings);
    const changed = (Object.keys(changes) as SettingName[]).filter(
      (name) =>
        changes[name] !== undefined &&
        !isDeepStrictEqual(changes[name] ?? null, stored[name] ?? null),
    );
    for (const name of changed) {
      await queries.storeSetting(tx, {
        id: newId(),
        name,
        before: stored[name] ?? null,
        after: changes[name] ?? null,
        changedBy: userId,
      });
    }
    if (changed.length > 0) {
      await recordAdminAction(tx, {
        actorId: userId,
        action: 'site.change',
        targetType: 'site',
        targetId: null,
        details: { settings: changed.join(', ') },
      });
    }
    return ctx.site.profileOf(settings);
  });
  await ctx.afterCommit(() => ctx.site.refresh());
  return site;
}

/** @throws {Problem} validation-failed where the default language is none of the chosen ones */
function requireOfferedDefault({ languages, default_language: chosen }: SettingChanges): void {
  if (!languages || !chosen || languages.includes(chosen)) return;
  throw invalidValue('default_language', 'It must be one of the languages of the site.');
}

/** Returns the changes of settings, newest first. */
export async function listChanges(ctx: Context, query: PageQuery): Promise<Page<SiteChange>> {
  return pageById(
    'site-changes',
    query,
    (before, count) => queries.findChanges(ctx.db, before, count),
    (row) => row,
  );
}

/**
 * Sets a setting to what it was before a change; that is a change too.
 * @throws {Problem} not-found; conflict for a setting that an environment variable fixes; validation-failed
 */
export async function undoChange(ctx: Context, caller: Caller, id: string): Promise<SiteProfile> {
  const change = await queries.findChange(ctx.db, id);
  if (!change) throw notFound('change');
  const { name, before } = change;
  requireChangeable(ctx, [name]);
  return changeSettings(ctx, caller.userId, { [name]: before });
}
