import { equalInConstantTime, type Keys } from '../../platform/keys.ts';
import { notFound } from '../../platform/problems.ts';
import type { ComplaintSide } from './schema.ts';

/** Which decision a link is about, and who got it. */
export interface ComplaintLink {
  decisionId: string;
  side: ComplaintSide;
  /** Null for people without an account. */
  userId: string | null;
}

const letters = { author: 'a', reporter: 'r' } as const;

/** Returns the signed token of a link. It is not stored. */
export const complaintToken = (keys: Keys, { decisionId, side, userId }: ComplaintLink): string =>
  sign(keys, [decisionId, letters[side], userId ?? ''].join('.'));

/** The path of the page where its recipient reads a decision and can complain. */
export const complaintPath = (keys: Keys, link: ComplaintLink): string =>
  `/complaints/${complaintToken(keys, link)}`;

const sign = (keys: Keys, claim: string) =>
  `${claim}.${keys.hash('complaint', claim).toString('base64url')}`;

/** @throws {Problem} not-found if the signature is wrong */
export function readComplaintToken(keys: Keys, token: string): ComplaintLink {
  const claim = token.slice(0, Math.max(0, token.lastIndexOf('.')));
  if (!equalInConstantTime(sign(keys, claim), token)) throw notFound('link');
  const [decisionId = '', letter, userId] = claim.split('.');
  return { decisionId, side: letter === 'a' ? 'author' : 'reporter', userId: userId || null };
}
