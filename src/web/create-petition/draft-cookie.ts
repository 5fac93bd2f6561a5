import { parseCookie, stringifySetCookie } from 'cookie';
import { cookies } from '../../platform/cookies.ts';
import { randomToken } from '../../platform/keys.ts';
import type { View } from '../site/site.ts';

const { name: cookieName, seconds: maxAge } = cookies.drafts;

/** The token of a browser's drafts, from its cookie. */
export const draftToken = ({ headers }: Pick<View, 'headers'>): string | undefined =>
  parseCookie(headers.cookie ?? '')[cookieName];

/**
 * Returns the token of a browser's drafts, and gives it one where it has none. The page of a new draft sets it, so that
 * forms that are sent twice at once carry the same.
 */
export function ensureDraftToken(view: View): string {
  const { ctx, header } = view;
  const token = draftToken(view) ?? randomToken(24);
  header(
    'set-cookie',
    stringifySetCookie({
      name: cookieName,
      value: token,
      path: '/start',
      maxAge,
      httpOnly: true,
      sameSite: 'lax',
      secure: ctx.config.baseUrl.startsWith('https:'),
    }),
  );
  return token;
}
