import type { Context } from '../../platform/context.ts';
import { retryOnDeadlock } from '../../platform/db.ts';
import { idOfToken, tokenOfId } from '../../platform/id-tokens.ts';
import type { Keys } from '../../platform/keys.ts';
import { sendUnlessFinal } from '../../platform/mail.ts';
import { evictPetitions } from '../petitions/cache.ts';
import { receiptMail } from './mail-texts.ts';
import * as queries from './queries.ts';
import { findReceipt, type ReceiptRow } from './receipt-queries.ts';

export type { ReceiptRow } from './receipt-queries.ts';

/** Address of the receipt that the public log gives the signer of a petition; null where there is no log. */
export const logReceiptUrl = (
  { config }: Pick<Context, 'config'>,
  petitionId: string,
): string | null =>
  config.transparencyLog
    ? `${config.baseUrl}/v1/petitions/${petitionId}/signatures/me/receipt`
    : null;

const purpose = 'signature-receipt';

/** Returns the token of the link by which a signer sees and withdraws a signature without logging in. */
export const receiptToken = (keys: Keys, signatureId: string): string =>
  tokenOfId(keys, purpose, signatureId);

/** What the link of a receipt leads to. */
export type Receipt = { state: 'unknown' | 'withdrawn' } | ({ state: 'stored' } & ReceiptRow);

/** Returns the signature of a receipt, as it is now. */
export async function readReceipt(ctx: Context, token: string): Promise<Receipt> {
  const id = idOfToken(ctx.keys, purpose, token);
  if (id === undefined) return { state: 'unknown' };
  const row = await findReceipt(ctx.db, id);
  return row ? { state: 'stored', ...row } : { state: 'withdrawn' };
}

/** Withdraws the signature of a receipt, as its signer. Does nothing if that was done before. */
export async function withdrawByReceipt(ctx: Context, token: string): Promise<void> {
  const receipt = await readReceipt(ctx, token);
  if (receipt.state !== 'stored') return;
  const { petition, user_id: userId } = receipt;
  await retryOnDeadlock(() =>
    queries.deleteSignature(ctx.db, petition.id, { userId }, { type: 'user', id: userId }),
  );
  evictPetitions(ctx, [petition.id]);
}

/** Mails a signer who confirmed by mail the link to the signature. */
export async function sendReceipt(ctx: Context, signatureId: string): Promise<void> {
  const row = await findReceipt(ctx.db, signatureId);
  if (!row || row.signature_state === 'invalid') return;
  const page = `${ctx.config.baseUrl}/receipts/${receiptToken(ctx.keys, signatureId)}`;
  const file = ctx.config.transparencyLog ? `${page}/file` : null;
  await sendUnlessFinal(ctx, receiptMail(row, { page, file }));
}
