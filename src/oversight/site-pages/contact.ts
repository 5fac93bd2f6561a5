import { createHash } from 'node:crypto';
import en from '../../../locales/en/contact-mail.json' with { type: 'json' };
import type { Context } from '../../platform/context.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { sendUnlessFinal, type Mail } from '../../platform/mail.ts';
import { lineWithoutLinks } from '../../platform/mail-addresses.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { mailboxKey } from '../../platform/mail-suppressions.ts';
import { catalog, plainText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { notFound } from '../../platform/problems.ts';
import type { ContactInput } from './schema.ts';

const texts = catalog('contact-mail', en);

const daySeconds = 86_400;
const networkQuota: Quota = {
  name: 'contact-network',
  points: 5,
  durationSeconds: daySeconds,
  countsWithoutRedis: true,
};
/** By the address that the sender gives. */
const senderQuota: Quota = { name: 'contact-sender', points: 3, durationSeconds: daySeconds };

type Message = Pick<ContactInput, 'name' | 'email' | 'message'>;

/**
 * Mails a message of a visitor to those who run the site. It is stored in the job alone; the same message, sent twice, is
 * one job.
 * @throws {Problem} not-found where the site has no address for it; rate-limited
 */
export async function sendToOperator(
  ctx: Context,
  { name, email, message }: Message,
  ip: string,
): Promise<void> {
  if (ctx.site.current.contactEmail === null) throw notFound('page');
  const quota = ctx.sharedNetworks.raiseQuota(networkQuota, ip);
  await ctx.limits.take(quota, networkOf(ip), 'Too many messages from this address.');
  await ctx.limits.take(
    senderQuota,
    mailboxKey(ctx.keys, email),
    'Too many messages from this email address.',
  );
  const key = createHash('sha256')
    .update(JSON.stringify([name, email, message]))
    .digest('hex');
  await addMailJob(ctx.db, 'send-contact-mail', { name, email, message }, { key });
}

/** Sends the mail, to the address that the site has by then; if it has none any more, it goes nowhere. */
export async function sendContactMail(ctx: Context, message: Message): Promise<void> {
  const { contactEmail: to, defaultLanguage: language } = ctx.site.current;
  if (to !== null) await sendUnlessFinal(ctx, contactMail({ to, language }, message));
}

/** Composes the mail; an answer to it goes to the visitor. */
export const contactMail = (
  { to, language }: { to: string; language: Language },
  { name, email, message }: Message,
): Mail => ({
  kind: 'contact',
  cause: 'own act',
  to,
  replyTo: email,
  language,
  subject: plainText(texts, language, 'subject', { name: lineWithoutLinks(name) }),
  text: `${plainText(texts, language, 'lead', { name: lineWithoutLinks(name), email })}\n\n${message}\n`,
});
