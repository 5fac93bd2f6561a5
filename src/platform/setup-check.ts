import { createHmac, hkdfSync } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { equalInConstantTime } from './keys.ts';

/*
 * `npm run check-setup` asks a running service by its public address how it sees the caller. The service answers only to those who
 * know SECRET, in headers of /health.
 */

export const proofHeader = 'x-setup-check';
export const addressHeader = 'x-setup-check-address';
export const forwardedHeader = 'x-setup-check-forwarded-for';

const validMs = 60_000;

/** Returns a proof of knowing SECRET, valid for a minute. */
export function createProof(secret: string, now: Date): string {
  const time = String(now.getTime());
  return `${time}.${sign(secret, time)}`;
}

/** Returns the headers of the answer: none without a valid proof. */
export function answerToCheck(
  secret: string,
  { headers, ip, now }: { headers: IncomingHttpHeaders; ip: string; now: Date },
): Record<string, string> {
  const [time = '', signature = ''] = String(headers[proofHeader] ?? '').split('.');
  const isRecent = Math.abs(now.getTime() - Number(time)) < validMs;
  if (!isRecent || !equalInConstantTime(signature, sign(secret, time))) return {};
  return { [addressHeader]: ip, [forwardedHeader]: String(headers['x-forwarded-for'] ?? '') };
}

function sign(secret: string, time: string): string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'setup-check', 32));
  return createHmac('sha256', key).update(time).digest('hex');
}
