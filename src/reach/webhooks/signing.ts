import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** Returns a new secret of 32 random bytes, in the form of the Standard Webhooks specification. */
export const newSecret = (): string => prefix + randomBytes(32).toString('base64');

interface SignedRequest {
  /** Exactly as it is sent. */
  body: string;
  eventId: string;
  /** Time of the attempt, in seconds since 1970. */
  timestamp: number;
}

/**
 * Returns the headers by which a receiver verifies the sender, with one signature for each secret.
 * X-Service-Signature is keyed with the text of the secret; webhook-signature (Standard Webhooks
 * specification 1.0.0) with the bytes that are encoded in it.
 */
export function signatureHeaders(
  secrets: string[],
  { body, eventId, timestamp }: SignedRequest,
): Record<string, string> {
  const plain = secrets.map((secret) => `sha256=${hmac(secret, body).toString('hex')}`);
  const standard = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${hmac(key, `${eventId}.${timestamp}.${body}`).toString('base64')}`;
  });
  return {
    'x-service-signature': plain.join(','),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  };
}

const hmac = (key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest();
