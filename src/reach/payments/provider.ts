import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { equalInConstantTime } from '../../platform/keys.ts';

export interface Checkout {
  /** The provider's reference, if it is known already. */
  reference: string | null;
  /** Page where the payer pays, if there is one. */
  url: string | null;
}

export interface PaymentProvider {
  /** Stored with payments. */
  name: string;
  /** Called before the payment is stored: if storing fails, the provider's callback finds no payment. */
  createCheckout(payment: { id: string; amount: number; currency: string }): Promise<Checkout>;
  /** Returns whether the provider sent this body to the callback. */
  hasSent(body: string, headers: IncomingHttpHeaders): boolean;
}

/**
 * A provider without external service: a system that has PAYMENT_SECRET, such as the operator's billing,
 * collects the money and reports it to the callback.
 */
export const signedCallbacks = (secret: string): PaymentProvider => ({
  name: 'callback',
  createCheckout: async () => ({ reference: null, url: null }),
  hasSent(body, headers) {
    const given = String(headers['x-payment-signature'] ?? '');
    return equalInConstantTime(given.toLowerCase(), signatureOf(secret, body));
  },
});

/** Returns the value of X-Payment-Signature: the HMAC-SHA-256 of the body. */
export const signatureOf = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
