import type { Db, Tx } from '../../platform/db.ts';
import type { Payment, PaymentResult } from './schema.ts';

export interface PaymentRow extends Omit<Payment, 'checkout_url'> {
  payer_id: string | null;
  checkout_url: string | null;
}

export type NewPayment = Omit<PaymentRow, 'status' | 'created_at' | 'completed_at'>;

export async function insertPayment(db: Db, payment: NewPayment): Promise<PaymentRow> {
  return db.one<PaymentRow>`insert into payments ${db(payment)} returning *`;
}

export async function findPayment(db: Db, id: string): Promise<PaymentRow | undefined> {
  return db.first<PaymentRow>`select * from payments where id = ${id}`;
}

export async function findPayments(db: Db, ids: string[]): Promise<PaymentRow[]> {
  return db<PaymentRow[]>`select * from payments where id = any(${ids}::uuid[])`;
}

export async function listPayments(
  db: Db,
  petitionId: string,
  before: string | null,
  limit: number,
): Promise<PaymentRow[]> {
  return db<PaymentRow[]>`
    select * from payments
    where petition_id = ${petitionId} ${before ? db`and id < ${before}` : db``}
    order by id desc
    limit ${limit}`;
}

/**
 * Stores a result. Returns whether it changed the payment: a completed one stays completed, a failed one can
 * still be completed.
 */
export async function settlePayment(
  tx: Tx,
  { payment_id: id, status, reference }: PaymentResult,
  now: Date,
): Promise<boolean> {
  return tx.changed`
    update payments set status = ${status}, reference = coalesce(${reference ?? null}, reference),
      completed_at = ${status === 'completed' ? now : null}
    where id = ${id} and status <> 'completed' and status <> ${status}`;
}

export async function exportPayments(db: Db, payerId: string): Promise<readonly object[]> {
  return db`
    select id, petition_id, amount, currency, status, provider, reference, checkout_url, created_at,
      completed_at
    from payments where payer_id = ${payerId} order by id`;
}

/** Removes the payer from payments, which are kept. */
export async function anonymizePayments(tx: Tx, payerId: string): Promise<void> {
  await tx`update payments set payer_id = null where payer_id = ${payerId}`;
}

/** Counts a petition's pending payments of the last 24 hours. */
export async function countPending(db: Db, petitionId: string): Promise<number> {
  return db.value<number>`
    select count(*)::integer as count from payments
    where petition_id = ${petitionId} and status = 'pending'
      and created_at > now() - interval '1 day'`;
}
