import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction, type Db } from '../../platform/db.ts';
import { emit, system } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { conflict, invalidValue, notFound } from '../../platform/problems.ts';
import { forgetPetitions } from '../../campaigns/petitions/cache.ts';
import { lockPetition } from '../../campaigns/petitions/state.ts';
import { ownPetition } from '../../campaigns/petitions/read.ts';
import { promotePetition } from '../../campaigns/petitions/write.ts';
import type { PaymentProvider } from './provider.ts';
import * as queries from './queries.ts';
import type { PaymentRow } from './queries.ts';
import type { Payment, PaymentResult, PromotionInput } from './schema.ts';

export { signedCallbacks, type PaymentProvider } from './provider.ts';

const day = 86_400_000;
/** What a day costs, in the smallest unit of whatever currency. */
const unitsPerDay = 1000;
/** Days that one payment buys at most. */
const mostDays = 30;

/** How long a payment promotes a petition, in milliseconds: parts of a day in proportion. */
export const promotionFor = (amount: number): number =>
  Math.round(Math.min(amount / unitsPerDay, mostDays) * day);

/**
 * Begins a payment that promotes the caller's petition once the provider tells that it is made.
 * @throws {Problem} not-found, forbidden, conflict where the petition is not active and public
 */
export async function startPromotion(
  ctx: Context,
  provider: PaymentProvider,
  caller: Caller,
  ref: string,
  { amount, currency: given }: PromotionInput,
): Promise<Payment> {
  const currency = knownCurrency(given);
  const petition = await ownPetition(ctx, caller, ref);
  if (petition.status !== 'active' || petition.visibility !== 'public') {
    throw conflict('invalid_state', 'Only an active petition that is public can be promoted.');
  }
  if ((await queries.countPending(ctx.db, petition.id)) >= mostPending) throw tooManyPending();
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

/** Payments of one petition that may wait for their provider: nobody begins more by mistake. */
const mostPending = 20;

const tooManyPending = () =>
  conflict('too_many_payments', `${mostPending} payments of this petition are pending already.`);

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** @throws {Problem} validation-failed where ISO 4217 has no such currency */
function knownCurrency(text: string): string {
  const currency = text.toUpperCase();
  if (currencies.has(currency)) return currency;
  throw invalidValue('currency', 'This is no currency of ISO 4217.');
}

/** A page of the payments for the caller's petition, newest first. */
export async function listPromotions(
  ctx: Context,
  caller: Caller,
  ref: string,
  query: PageQuery,
): Promise<Page<Payment>> {
  const { id } = await ownPetition(ctx, caller, ref);
  return pageById(
    'promotions',
    query,
    (before, most) => queries.listPayments(ctx.db, id, before, most),
    presentPayment,
  );
}

/** A payment, for who pays it and for administrators. */
export async function getPayment(ctx: Context, caller: Caller, id: string): Promise<Payment> {
  const row = isUuid(id) ? await queries.findPayment(ctx.db, id) : undefined;
  if (!row || (row.payer_id !== caller.userId && caller.role !== 'admin')) {
    throw notFound('payment');
  }
  return presentPayment(row);
}

/**
 * Keeps what the provider tells of a payment. The first time that it tells of one that is made, the
 * petition is promoted, for longer where it is already; all that comes after it changes nothing.
 * @throws {Problem} not-found
 */
export async function settle(ctx: Context, result: PaymentResult): Promise<void> {
  const payment = await queries.findPayment(ctx.db, result.payment_id);
  if (!payment) throw notFound('payment');
  const { petition_id: petitionId, payer_id: payerId, id, amount, currency } = payment;
  await transaction(ctx.db, async (tx) => {
    // Before the payment's row: erasing the creator's account locks them in this order too.
    if (petitionId) await lockPetition(tx, petitionId);
    const settled = await queries.settlePayment(tx, result, ctx.now());
    if (settled?.status !== 'completed') return;
    if (petitionId) await promotePetition(tx, petitionId, promotionFor(amount), ctx.now());
    await emit(tx, {
      type: 'payment.completed',
      petitionId,
      actor: payerId ? { type: 'user', id: payerId } : system,
      data: { payment_id: id, amount, currency },
    });
  });
  if (petitionId) forgetPetitions(ctx, [petitionId]);
}

/** Payments as the API shows them. */
export async function paymentsForEvents(db: Db, ids: string[]): Promise<Payment[]> {
  return (await queries.findPayments(db, ids)).map(presentPayment);
}

function presentPayment(row: PaymentRow): Payment {
  const { payer_id: _, checkout_url, ...shown } = row;
  return { ...shown, ...(checkout_url !== null && { checkout_url }) };
}
