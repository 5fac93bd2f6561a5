import { setCookie } from '../../platform/cookies.ts';
import { randomToken } from '../../platform/keys.ts';
import { readRenamedCookie } from '../../platform/renamed-cookies.ts';
import type { View } from '../site/site.ts';

/** The token of a browser's drafts, from its cookie. */
export const draftToken = (view: View): Promise<string | undefined> =>
  readRenamedCookie(view, 'drafts');

/**
 * Returns the token of a browser's drafts, and gives it one where it has none. The page of a new draft sets it, so that
 * forms that are sent twice at once carry the same.
 */
export async function ensureDraftToken(view: View): Promise<string> {
  const token = (await draftToken(view)) ?? randomToken(24);
  setCookie(view.ctx, view.header, 'drafts', token);
  return token;
}
