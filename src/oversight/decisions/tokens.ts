import { equalInConstantTime, type Keys } from '../../platform/keys.ts';
import { notFound } from '../../platform/problems.ts';
import type { ComplaintSide } from './schema.ts';

/** Which decision a link is about, and who got it. */
export interface ComplaintLink {
  decisionId: string;
  side: ComplaintSide;
  /** Null for people without an account. */
  userId: string | null;
  /** The report of a reporter without an account; null for all others. */
  reportId: string | null;
}

type Letter = 'a' | 'r' | 'g';

/** Returns the signed token of a link. It is not stored. */
export function complaintToken(
  keys: Keys,
  { decisionId, side, userId, reportId }: ComplaintLink,
): string {
  if (reportId !== null) return sign(keys, decisionId, 'g', reportId);
  return sign(keys, decisionId, side === 'author' ? 'a' : 'r', userId ?? '');
}

/** The path of the page where its recipient reads a decision and can complain. */
export const complaintPath = (keys: Keys, link: ComplaintLink): string =>
  `/complaints/${complaintToken(keys, link)}`;

function sign(keys: Keys, decisionId: string, letter: Letter, holderId: string): string {
  const claim = [decisionId, letter, holderId].join('.');
  return `${claim}.${keys.hash('complaint', claim).toString('base64url')}`;
}

/** @throws {Problem} not-found if the signature is wrong */
export function readComplaintToken(keys: Keys, token: string): ComplaintLink {
  const [decisionId = '', letter, holderId = ''] = token.split('.');
  if (!equalInConstantTime(sign(keys, decisionId, letter as Letter, holderId), token)) {
    throw notFound('link');
  }
  const isGuest = letter === 'g';
  return {
    decisionId,
    side: letter === 'a' ? 'author' : 'reporter',
    userId: isGuest ? null : holderId || null,
    reportId: isGuest ? holderId : null,
  };
}
