import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A new secret in the form of the Standard Webhooks specification: base64 of 32 random bytes. */
export const newSecret = (): string => prefix + randomBytes(32).toString('base64');

interface Signed {
  /** Exactly as it is sent. */
  body: string;
  eventId: string;
  /** Of this try, in seconds since 1970. */
  timestamp: number;
}

/**
 * The headers by which a receiver knows who sent a body, with a signature for each secret, the newest
 * first: X-Service-Signature is keyed with the secret as it was shown, and webhook-signature, by the
 * Standard Webhooks specification 1.0.0, with the bytes that its base64 stands for.
 */
export function signatureHeaders(
  secrets: string[],
  { body, eventId, timestamp }: Signed,
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
