import { Type, type Static } from 'typebox';
import { named, nullable, oneOf, Timestamp, Uuid } from '../../platform/http/schema.ts';

/** Events that webhooks, the event log and the real-time API publish. */
export const publicPaymentEvents = ['payment.completed'] as const;

declare module '../../platform/events.ts' {
  interface EventTypes extends Record<(typeof publicPaymentEvents)[number], true> {}
}

const paymentStatuses = ['pending', 'completed', 'failed'] as const;

const Amount = Type.Integer({
  minimum: 100,
  maximum: 2_000_000_000,
  description: "In the currency's smallest unit.",
});
const Reference = Type.String({ maxLength: 200, description: 'What the provider calls it.' });

export const PromotionInput = Type.Object({
  amount: Amount,
  currency: Type.String({
    pattern: '^[A-Za-z]{3}$',
    description: 'ISO 4217 alpha-3, in letters of either case',
  }),
});
export type PromotionInput = Static<typeof PromotionInput>;

export const Payment = named(
  'Payment',
  Type.Object({
    id: Uuid,
    petition_id: nullable(Uuid),
    amount: Amount,
    currency: Type.String(),
    status: oneOf(paymentStatuses),
    provider: Type.String(),
    reference: nullable(Reference),
    checkout_url: Type.Optional(
      Type.String({ format: 'uri', description: 'Where to pay, if the provider has such a page.' }),
    ),
    created_at: Timestamp,
    completed_at: nullable(Timestamp),
  }),
);
export type Payment = Static<typeof Payment>;

/** Result of a payment, as the provider reports it. */
export const PaymentResult = Type.Object({
  payment_id: Uuid,
  status: oneOf(['completed', 'failed']),
  reference: Type.Optional(Reference),
});
export type PaymentResult = Static<typeof PaymentResult>;
