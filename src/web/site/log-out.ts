import { logOutBrowser } from '../../identity/browser-sessions/browser-sessions.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { forgetKeptForm } from './kept-forms.ts';
import type { View } from './view.ts';

/** Ends the browser's session, and deletes what the pages keep in the browser for its user. */
export async function logOut(view: View, sessions: Sessions): Promise<void> {
  const { ctx, header, browser } = view;
  await forgetKeptForm(view);
  if (browser) await logOutBrowser(ctx, sessions, header, browser);
}
