import en from '../../../locales/en/report-mails.json' with { type: 'json' };
import { mailboxOf } from '../../identity/accounts/accounts.ts';
import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { equalInConstantTime } from '../../platform/keys.ts';
import type { Quota } from '../../platform/limits.ts';
import { fromUnprovenAct } from '../../platform/mail-stopping.ts';
import { sendUnlessFinal, type Mail } from '../../platform/mail.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { mailboxKey, strangersMailQuota } from '../../platform/mail-suppressions.ts';
import { catalog, plainText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { gone, invalidValue, rateLimited, validationFailed } from '../../platform/problems.ts';
import { insertContact, type ReportContact } from './contacts.ts';
import { networkHash, networkKey } from './networks.ts';
import * as pending from './pending-queries.ts';
import type { PendingReportRow } from './pending-queries.ts';
import { storeReport } from './queueing.ts';
import { maxCodeAttempts, type ReportConfirmation, type ReportInput } from './schema.ts';
import { browserHash, codeOf, linkToken, tokenHash } from './secrets.ts';
import { contentOfVisible } from './targets.ts';

/** By the network that sends the form. */
const networkQuota: Quota = {
  name: 'report-mail',
  points: 10,
  durationSeconds: 3600,
  countsWithoutRedis: true,
};
/** By recipient, who may not have asked for the mails. */
const recipientQuota: Quota = { name: 'report-mail-to', points: 5, durationSeconds: 86_400 };
/** Codes from one network, for all reports. */
const codeQuota: Quota = {
  name: 'report-code',
  points: 30,
  durationSeconds: 3600,
  countsWithoutRedis: true,
};

const texts = catalog('report-mails', en);

interface PendingRequest {
  input: ReportInput;
  email: string;
  language: Language;
  ip: string;
  /** The browser that sends the form. */
  browserId: string;
  /** Whether the proven account of the address has signed in in that browser before. */
  isKnownBrowser?: boolean;
}

/**
 * Stores a report of somebody without an account, and mails a link and a code that confirm it. Returns its id. Moderators
 * see it after that only, with what the target says now.
 * @throws {Problem} not-found if not everybody can see the target; forbidden; rate-limited
 */
export async function createPendingReport(ctx: Context, request: PendingRequest): Promise<string> {
  const { email, language, ip, browserId, isKnownBrowser = false } = request;
  const { access_code: code, ...input } = request.input;
  const target = { type: input.target_type, id: input.target_id.toLowerCase() };
  const content = await contentOfVisible(ctx, null, target, code);
  const mailbox = mailboxKey(ctx.keys, email);
  const quota = ctx.sharedNetworks.raiseQuota(networkQuota, ip);
  await ctx.limits.take(quota, networkKey(ctx, ip), 'Too many reports from this address.');
  await ctx.limits.take(recipientQuota, mailbox, tooManyMails);
  await ctx.limits.take(strangersMailQuota, mailbox, tooManyMails);
  const id = newId();
  await transaction(ctx.db, async (tx) => {
    await pending.insertPending(tx, {
      ...content,
      id,
      email,
      input: { ...input, target_id: target.id },
      network: networkHash(ctx),
      language,
      browser_hash: browserHash(ctx, browserId),
      token_hash: tokenHash(ctx, linkToken(ctx, id)),
    });
    await addMailJob(tx, 'send-report-mail', { id, is_own: isKnownBrowser });
  });
  return id;
}

const tooManyMails = 'Too many mails to this address.';

/** A report whose mail is due. */
export interface ReportMailJob {
  id: string;
  /** Whether it was sent in a known browser; absent from jobs of earlier versions, and once it is confirmed. */
  is_own?: boolean;
}

/** Mails the link and the code of a report, or its number once it is confirmed. */
export async function sendReportMail(
  ctx: Context,
  { id, is_own: isOwn }: ReportMailJob,
): Promise<void> {
  const row = await pending.findPending(ctx.db, id);
  if (!row) return;
  const host = new URL(ctx.config.baseUrl).host;
  if (row.report_id !== null) {
    await sendUnlessFinal(ctx, reportMail(row, 'received', { host, number: row.report_id }));
    return;
  }
  const mail = reportMail(row, 'confirm', {
    host,
    link: `${ctx.config.baseUrl}/reports/confirm?token=${linkToken(ctx, id)}`,
    code: codeOf(ctx, id),
  });
  await sendUnlessFinal(ctx, isOwn ? mail : fromUnprovenAct(ctx, mail));
}

/** Composes the mail that confirms the address of a report, or that has its number. */
export const reportMail = (
  { email, language }: ReportContact,
  step: 'confirm' | 'received',
  values: Record<string, string>,
): Mail => ({
  kind: step === 'confirm' ? 'report-confirmation' : 'report-receipt',
  cause: 'own act',
  to: email,
  language,
  subject: plainText(texts, language, `${step}_subject`, values),
  text: `${plainText(texts, language, `${step}_text`, values)}\n`,
});

/**
 * Stores a pending report that a link or a code confirms. Returns the id of the report; that of before, if it was
 * confirmed already, or the mailbox has an open report on the target.
 * @throws {Problem} gone for an unknown or old one; validation-failed for a wrong code; rate-limited after five codes,
 *   for the right one too
 */
export async function confirmReport(
  ctx: Context,
  answer: ReportConfirmation,
  ip: string,
): Promise<string> {
  const { id } = await requireAnswered(ctx, answer, ip);
  return transaction(ctx.db, async (tx) => {
    const row = await pending.lockPending(tx, id);
    if (!row) throw confirmationOver();
    if (row.report_id !== null) return row.report_id;
    const { input, author_id, petition_id, snapshot } = row;
    const stored = await storeReport(tx, {
      id: newId(),
      reporter: { userId: null, mailbox: mailboxOf(ctx.keys, row.email).mailbox },
      target: { type: input.target_type, id: input.target_id },
      content: { author_id, petition_id, snapshot },
      reason: input.reason,
      description: input.description?.trim() || null,
      network: row.network,
    });
    await insertContact(tx, stored.id, row);
    await pending.markConfirmed(tx, id, stored.id);
    await addMailJob(tx, 'send-report-mail', { id });
    return stored.id;
  });
}

async function requireAnswered(
  ctx: Context,
  { token, id, code }: ReportConfirmation,
  ip: string,
): Promise<PendingReportRow> {
  if (token !== undefined) {
    const found = await findPendingOfLink(ctx, token);
    if (!found) throw confirmationOver();
    return found;
  }
  if (id === undefined || code === undefined) {
    throw validationFailed({
      field: 'code',
      message: 'Send the code in the mail.',
      code: 'required',
    });
  }
  const quota = ctx.sharedNetworks.raiseQuota(codeQuota, ip);
  await ctx.limits.take(quota, networkKey(ctx, ip), 'Too many codes from this address.');
  const tried = await pending.countTry(ctx.pools.main, id);
  if (!tried) throw confirmationOver();
  if (tried.tries > maxCodeAttempts) {
    const seconds = (tried.expires_at.getTime() - ctx.now().getTime()) / 1000;
    throw rateLimited(Math.max(1, seconds), 'The code was tried too often. Use the link.');
  }
  if (!equalInConstantTime(code, codeOf(ctx, id))) {
    throw invalidValue('code', 'This is not the code in the mail.');
  }
  return tried;
}

/** Returns the pending report of a link, confirmed or not; undefined if it is unknown or old. */
export const findPendingOfLink = (
  ctx: Context,
  token: string,
): Promise<PendingReportRow | undefined> =>
  pending.findPendingByToken(ctx.db, tokenHash(ctx, token));

/** Returns a pending report to the browser that sent its form; undefined to all others. */
export async function findPendingOfBrowser(
  ctx: Context,
  id: string,
  browserId: string | undefined,
): Promise<PendingReportRow | undefined> {
  const row = isUuid(id) ? await pending.findPending(ctx.db, id) : undefined;
  const isOwn = browserId !== undefined && row?.browser_hash.equals(browserHash(ctx, browserId));
  return isOwn ? row : undefined;
}

const confirmationOver = () =>
  gone('This link or code is unknown or too old. Send the report again.');
