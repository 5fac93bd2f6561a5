import { asciiAddress } from '../../platform/mail-addresses.ts';
import type { Context } from '../../platform/context.ts';
import { tokenOfId } from '../../platform/id-tokens.ts';
import { fromUnprovenAct } from '../../platform/mail-stopping.ts';
import { sendUnlessFinal } from '../../platform/mail.ts';
import { accountMail, findUser } from '../accounts/accounts.ts';
import { findChange } from './queries.ts';

/** Mails the link that confirms a new address, to that address. */
export async function sendConfirmation(ctx: Context, id: string): Promise<void> {
  const change = await findChange(ctx.db, id);
  const user = change && (await findUser(ctx.db, change.user_id));
  if (!user || change.confirmed_at) return;
  const link = `${ctx.config.baseUrl}/email/confirm?token=${tokenOfId(ctx.keys, 'address-change', id)}`;
  const { language } = user;
  const host = new URL(ctx.config.baseUrl).host;
  const to = { email: asciiAddress(change.new_email), language };
  await sendUnlessFinal(ctx, fromUnprovenAct(ctx, accountMail(to, 'new_address', { link, host })));
}

/** Mails the link that undoes a change, to the old address. */
export async function sendChanged(ctx: Context, id: string): Promise<void> {
  const change = await findChange(ctx.db, id);
  const user = change && (await findUser(ctx.db, change.user_id));
  if (!user || change.undone_at) return;
  const link = `${ctx.config.baseUrl}/email/undo?token=${tokenOfId(ctx.keys, 'address-undo', id)}`;
  const { language } = user;
  const host = new URL(ctx.config.baseUrl).host;
  await sendUnlessFinal(
    ctx,
    accountMail({ email: change.old_email, language }, 'address_changed', { link, host }),
  );
}
