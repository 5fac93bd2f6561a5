import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction, type Db } from '../../platform/db.ts';
import { emit, systemActor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { conflict, invalidValue, notFound } from '../../platform/problems.ts';
import { evictPetitions } from '../../campaigns/petitions/cache.ts';
import { lockPetition } from '../../campaigns/petitions/state.ts';
import { requireOwnPetition } from '../../campaigns/petitions/read.ts';
import { promotePetition } from '../../campaigns/petitions/write.ts';
import type { PaymentProvider } from './provider.ts';
import * as queries from './queries.ts';
import type { PaymentRow } from './queries.ts';
import type { Payment, PaymentResult, PromotionInput } from './schema.ts';

export { signedCallbacks, type PaymentProvider } from './provider.ts';

const dayMs = 86_400_000;
/** Price of a day, in the smallest unit of any currency. */
const unitsPerDay = 1000;
/** Days per payment. */
const maxDays = 30;
/** Pending payments per petition. */
const maxPending = 20;

/** Returns how long a payment promotes a petition, in milliseconds. */
export const promotionFor = (amount: number): number =>
  Math.round(Math.min(amount / unitsPerDay, maxDays) * dayMs);

/**
 * Starts a payment. The petition is promoted when the provider reports it as completed.
 * @throws {Problem} not-found, forbidden, conflict if the petition is not active and public
 */
export async function startPromotion(
  ctx: Context,
  provider: PaymentProvider,
  caller: Caller,
  ref: string,
  { amount, currency: given }: PromotionInput,
): Promise<Payment> {
  const currency = parseCurrency(given);
  const petition = await requireOwnPetition(ctx, caller, ref);
  if (petition.status !== 'active' || petition.visibility !== 'public') {
    throw conflict('invalid_state', 'Only an active petition that is public can be promoted.');
  }
  if ((await queries.countPending(ctx.db, petition.id)) >= maxPending) {
    throw conflict(
      'too_many_payments',
      `${maxPending} payments of this petition are pending already.`,
    );
  }
  const id = newId();
  const checkout = await provider.createCheckout({ id, amount, currency });
  const row = await queries.insertPayment(ctx.db, {
    id,
    petition_id: petition.id,
    payer_id: caller.userId,
    amount,
    currency,
    provider: provider.name,
    reference: checkout.reference,
    checkout_url: checkout.url,
  });
  return presentPayment(row);
}

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** @throws {Problem} validation-failed if ISO 4217 has no such currency */
function parseCurrency(text: string): string {
  const currency = text.toUpperCase();
  if (currencies.has(currency)) return currency;
  throw invalidValue('currency', 'This is no currency of ISO 4217.');
}

/** Returns the payments for the caller's petition, newest first. */
export async function listPromotions(
  ctx: Context,
  caller: Caller,
  ref: string,
  query: PageQuery,
): Promise<Page<Payment>> {
  const { id } = await requireOwnPetition(ctx, caller, ref);
  return pageById(
    'promotions',
    query,
    (before, limit) => queries.listPayments(ctx.db, id, before, limit),
    presentPayment,
  );
}

/** Returns a payment to its payer or an administrator. */
export async function getPayment(ctx: Context, caller: Caller, id: string): Promise<Payment> {
  const row = isUuid(id) ? await queries.findPayment(ctx.db, id) : undefined;
  if (!row || (row.payer_id !== caller.userId && caller.role !== 'admin')) {
    throw notFound('payment');
  }
  return presentPayment(row);
}

/**
 * Stores the result of a payment. The first `completed` promotes the petition, or extends its promotion;
 * later results change nothing.
 * @throws {Problem} not-found
 */
export async function settle(ctx: Context, result: PaymentResult): Promise<void> {
  const payment = await queries.findPayment(ctx.db, result.payment_id);
  if (!payment) throw notFound('payment');
  const { petition_id: petitionId, payer_id: payerId, id, amount, currency } = payment;
  await transaction(ctx.db, async (tx) => {
    // Locked before the payment's row, in the same order as the erasure of the creator's account.
    if (petitionId) await lockPetition(tx, petitionId);
    const isChanged = await queries.settlePayment(tx, result, ctx.now());
    if (!isChanged || result.status !== 'completed') return;
    if (petitionId) await promotePetition(tx, petitionId, promotionFor(amount), ctx.now());
    await emit(tx, {
      type: 'payment.completed',
      petitionId,
      actor: payerId ? { type: 'user', id: payerId } : systemActor,
      data: { payment_id: id, amount, currency },
    });
  });
  if (petitionId) evictPetitions(ctx, [petitionId]);
}

/** Returns payments as the API shows them. */
export async function paymentsForEvents(db: Db, ids: string[]): Promise<Payment[]> {
  return (await queries.findPayments(db, ids)).map(presentPayment);
}

function presentPayment(row: PaymentRow): Payment {
  const { payer_id: _, checkout_url, ...shown } = row;
  return { ...shown, ...(checkout_url !== null && { checkout_url }) };
}
