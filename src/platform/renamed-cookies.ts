import { parseCookie } from 'cookie';
import type { Call } from './http/route.ts';
import { cookies, cookieText, readCookie, setCookie } from './cookies.ts';

/** Paths of cookies that had no `__Host-` prefix before migration 0132. */
const formerPaths = { kept_form: '/continue', drafts: '/start' } as const;
const renamingMigration = '0132_kept_form_openers.sql';

/**
 * Returns the value of a cookie, and renames it where the browser has it from before the upgrade. The former name is read
 * for 7 days after the upgrade: other hosts of the domain can set it.
 */
export async function readRenamedCookie(
  { ctx, headers, header }: Pick<Call, 'ctx' | 'headers' | 'header'>,
  id: keyof typeof formerPaths,
): Promise<string | undefined> {
  const value = readCookie(ctx, headers, id);
  if (value !== undefined) return value;
  const { name } = cookies[id];
  const former = parseCookie(headers.cookie ?? '')[name];
  if (former === undefined) return undefined;
  const isRecent = await ctx.db.first`
    select from migrations
    where name = ${renamingMigration} and applied_at > now() - interval '7 days'`;
  if (!isRecent) return undefined;
  header('set-cookie', cookieText(ctx, { name, value: '', path: formerPaths[id], seconds: 0 }));
  setCookie(ctx, header, id, former);
  return former;
}
