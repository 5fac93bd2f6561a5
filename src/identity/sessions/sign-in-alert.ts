import type { Context } from '../../platform/context.ts';
import { sendUnlessFinal } from '../../platform/mail.ts';
import { timeText } from '../../platform/pages/catalog.ts';
import { accountMail, findUser, mailAboutAccount } from '../accounts/accounts.ts';
import { findSession } from './queries.ts';
import { describeSource } from './texts.ts';

/** Mails that a session was created with a new device, from a new country. */
export async function sendSignInAlert(ctx: Context, sessionId: string): Promise<void> {
  const session = await findSession(ctx.db, sessionId);
  const user = session && (await findUser(ctx.db, session.user_id));
  if (!user) return;
  const { baseUrl } = ctx.config;
  const mail = accountMail(user, 'new_sign_in', {
    ...describeSource(user.language, session),
    time: timeText(user.language, session.created_at),
    reset: `${baseUrl}/forgot-password`,
    sessions: `${baseUrl}/settings/sessions`,
  });
  await sendUnlessFinal(ctx, mailAboutAccount(ctx, user, mail));
}
