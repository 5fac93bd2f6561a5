import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { equalInConstantTime } from '../../platform/keys.ts';

export interface Checkout {
  /** What the provider calls the payment, where it says so now. */
  reference: string | null;
  /** Where the payer is sent to pay, if anywhere. */
  url: string | null;
}

/** Who takes the money. */
export interface PaymentProvider {
  /** Under which payments remember it. */
  name: string;
  /** Asked before the payment is stored: one that only the provider knows is never completed here. */
  createCheckout(payment: { id: string; amount: number; currency: string }): Promise<Checkout>;
  /** Whether it was this provider who sent that body to the callback. */
  hasSent(body: string, headers: IncomingHttpHeaders): boolean;
}

/**
 * The provider that needs nothing outside: whoever holds PAYMENT_SECRET, such as the operator's own
 * billing, takes the money in its own way and then tells the callback.
 */
export const signedCallbacks = (secret: string): PaymentProvider => ({
  name: 'callback',
  createCheckout: async () => ({ reference: null, url: null }),
  hasSent(body, headers) {
    const shown = String(headers['x-payment-signature'] ?? '');
    return equalInConstantTime(shown.toLowerCase(), signatureOf(secret, body));
  },
});

/** HMAC-SHA-256 of the body, in the form of X-Payment-Signature. */
export const signatureOf = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
