import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import type { Precondition } from '../../platform/http/preconditions.ts';
import type { Caller } from '../../platform/http/route.ts';
import type { Language } from '../../platform/pages/language.ts';
import { notFound } from '../../platform/problems.ts';
import { isPageShown, writtenLanguage, type SitePageName } from '../../platform/site/pages.ts';
import { ownText } from './own-texts.ts';
import * as queries from './queries.ts';
import type { SitePage, SitePageInput, SitePageRef } from './schema.ts';

export { contactMail, sendToOperator } from './contact.ts';
export type { VersionEntry } from './queries.ts';

/** Of the cache. */
const cacheGroup = 'site-pages';

/**
 * Returns the page as readers of this language see it: as administrators wrote it, in that language if they did, else in the
 * default one, else in any; if they wrote none, the software's own text.
 * @throws {Problem} not-found
 */
export async function readSitePage(
  ctx: Context,
  page: SitePageName,
  wanted: Language,
): Promise<SitePage> {
  if (!isPageShown(ctx.site, page)) throw notFound('page');
  const language = writtenLanguage(ctx.site, page, wanted) ?? wanted;
  return ctx.cache.read(cacheGroup, `${page} ${language}`, () =>
    getSitePage(ctx, { page, language }),
  );
}

/**
 * Returns an earlier version, which somebody may have agreed to.
 * @throws {Problem} not-found
 */
export async function readPageVersion(
  ctx: Context,
  ref: SitePageRef,
  version: number,
): Promise<SitePage> {
  const row = await queries.findVersion(ctx.db, ref, version);
  if (!row || row.title === null) throw notFound('page');
  return present(ctx, ref, row);
}

/**
 * Returns the page in this language: as administrators wrote it, else the software's own text.
 * @throws {Problem} not-found
 */
export async function getSitePage(ctx: Context, ref: SitePageRef): Promise<SitePage> {
  return present(ctx, ref, await queries.findCurrent(ctx.db, ref));
}

/** @throws {Problem} not-found where neither administrators nor the software have a text */
function present(
  ctx: Context,
  { page, language }: SitePageRef,
  row: queries.VersionRow | undefined,
): SitePage {
  if (row && row.title !== null && row.body !== null) {
    const { title, body, version, created_at: updatedAt } = row;
    return { page, language, title, body, version, updated_at: updatedAt };
  }
  const own = ownText(ctx, page, language);
  if (!own) throw notFound('page');
  return { page, language, ...own, version: null, updated_at: null };
}

/** The versions that are shown of a page in one language. */
const maxVersions = 100;

/** Returns what administrators stored of a page in one language, newest first, without the texts. */
export const listPageVersions = (ctx: Context, ref: SitePageRef): Promise<queries.VersionEntry[]> =>
  queries.findVersions(ctx.db, ref, maxVersions);

/**
 * Stores the text as the newest version of the page, in which it is confirmed. The same text again is no new version.
 * @throws {Problem} precondition-failed
 */
export async function writeSitePage(
  ctx: Context,
  userId: string,
  ref: SitePageRef,
  text: SitePageInput,
  precondition?: Precondition<SitePageInput>,
): Promise<SitePage> {
  const row = await transaction(ctx.db, async (tx) => {
    const current = await queries.lockCurrent(tx, ref);
    precondition?.(textOf(ctx, ref, current));
    if (current?.title === text.title && current.body === text.body) return current;
    const version = (current?.version ?? 0) + 1;
    await record(tx, userId, ref, { action: 'site.page_write', version });
    return queries.insertVersion(tx, ref, { version, text, createdBy: userId });
  });
  await applyChange(ctx);
  return present(ctx, ref, row);
}

/** The text in force; empty where there is none. */
const textOf = (
  ctx: Context,
  { page, language }: SitePageRef,
  row: queries.VersionRow | undefined,
): SitePageInput => {
  if (row && row.title !== null) return { title: row.title, body: row.body ?? '' };
  return ownText(ctx, page, language) ?? { title: '', body: '' };
};

/**
 * Brings back the software's own text in this language. What was written stays among the versions.
 * @throws {Problem} not-found where nothing is written
 */
export async function restoreSitePage(
  ctx: Context,
  caller: Caller,
  ref: SitePageRef,
): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const current = await queries.lockCurrent(tx, ref);
    if (!current || current.title === null) throw notFound('page');
    const version = current.version + 1;
    await record(tx, caller.userId, ref, { action: 'site.page_restore', version });
    await queries.insertVersion(tx, ref, { version, text: null, createdBy: caller.userId });
  });
  await applyChange(ctx);
}

const record = (
  tx: Parameters<typeof recordAdminAction>[0],
  actorId: string,
  { page, language }: SitePageRef,
  { action, version }: { action: string; version: number },
) =>
  recordAdminAction(tx, {
    actorId,
    action,
    targetType: 'site',
    targetId: null,
    details: { page, language, version },
  });

const applyChange = (ctx: Context): Promise<void> =>
  ctx.afterCommit(async () => {
    await ctx.site.refresh();
    ctx.cache.drop(cacheGroup);
  });
