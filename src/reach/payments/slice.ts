import { giveRows } from '../../platform/rows-of-accounts.ts';
import { Type } from 'typebox';
import { many, nothing, ofModule, one, routes } from '../../platform/http/route.ts';
import { pageQuery } from '../../platform/http/schema.ts';
import { unauthorized } from '../../platform/problems.ts';
import type { Slice } from '../../platform/slice.ts';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import { getPayment, listPromotions, settle, startPromotion } from './payments.ts';
import type { PaymentProvider } from './provider.ts';
import { anonymizePayments, exportPayments } from './queries.ts';
import { Payment, PaymentResult, PromotionInput } from './schema.ts';

const api = routes('Payments');

export function paymentsSlice(provider: PaymentProvider): Slice {
  return {
    personalData: {
      name: 'payments',
      export: exportPayments,
      erase: anonymizePayments,
      quarantine: {
        release: async (tx, accounts) => {
          await giveRows(tx, { table: 'payments', column: 'payer_id' }, accounts);
        },
      },
    },
    routes: ofModule(
      'promotion',
      [
        api.post('/v1/petitions/{id}/promotions', {
          id: 'promotePetition',
          summary: 'Pay for promoting a petition',
          description:
            'Each 1,000 units promote it for a day, in proportion and for 30 days at most, added to what is left. It begins when the payment is completed; send an Idempotency-Key, so that trying again starts no second payment.',
          auth: { access: 'owner' },
          params: PetitionRef,
          body: { schema: PromotionInput, example: { amount: 5000, currency: 'EUR' } },
          returns: one(Payment, 201),
          problems: ['not-found', 'conflict'],
          handle: async ({ ctx, caller, params, body, header }) => {
            const payment = await startPromotion(ctx, provider, caller, params.id, body);
            header('location', `${ctx.config.baseUrl}/v1/payments/${payment.id}`);
            return payment;
          },
        }),
        api.get('/v1/petitions/{id}/promotions', {
          id: 'listPromotions',
          summary: 'The payments for promoting a petition, newest first',
          description:
            "Of the petition's creator alone. `status` says whether the provider has reported it as paid.",
          auth: { access: 'owner' },
          params: PetitionRef,
          query: Type.Object(pageQuery),
          returns: many(Payment),
          problems: ['not-found'],
          cache: { etag: true },
          handle: ({ ctx, caller, params, query }) => listPromotions(ctx, caller, params.id, query),
        }),
        api.get('/v1/payments/{id}', {
          id: 'getPayment',
          summary: 'A payment of yours',
          description: 'Only whoever made it may read it.',
          auth: { access: 'owner' },
          params: Type.Object({ id: Type.String({ description: 'Id of the payment.' }) }),
          returns: one(Payment),
          problems: ['not-found'],
          handle: ({ ctx, caller, params }) => getPayment(ctx, caller, params.id),
        }),
        api.post('/v1/payments/callback', {
          id: 'settlePayment',
          summary: 'For the payment provider: what has become of a payment',
          description:
            'Signed as `X-Payment-Signature: sha256=<hex>`, the HMAC-SHA-256 of the body by PAYMENT_SECRET. May be sent again; a completed payment stays completed, and a failed one may yet be completed.',
          auth: { access: 'anyone', ignoresCredentials: true },
          body: {
            schema: PaymentResult,
            verify(body, headers) {
              if (!provider.hasSent(body, headers)) {
                throw unauthorized('X-Payment-Signature is not that of this body.');
              }
            },
            example: {
              payment_id: '0199d3f0-5b1e-7c4a-9d55-3c1f0a2b7e11',
              status: 'completed',
              reference: 'invoice-2041',
            },
          },
          returns: nothing(),
          problems: ['unauthorized', 'not-found'],
          handle: ({ ctx, body }) => settle(ctx, body),
        }),
      ],
      ['settlePayment'],
    ),
  };
}
