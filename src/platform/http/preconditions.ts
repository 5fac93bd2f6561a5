import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { preconditionFailed } from '../problems.ts';

/**
 * Judges what is stored, under the lock of its row, before it is changed.
 * @throws {Problem} precondition-failed
 */
export type Precondition<T> = (stored: T) => void;

/** Returns the revision of values that an editor can change: equal values have equal ones. It has no hyphen. */
export const revisionOf = (values: unknown): string =>
  hash('sha256', JSON.stringify(values), 'hex').slice(0, 20);

/** Returns what If-Match of a request demands; undefined without one. */
export function preconditionOf<T>(
  { 'if-match': header }: IncomingHttpHeaders,
  revision: (stored: T) => string,
): Precondition<T> | undefined {
  if (header === undefined) return undefined;
  return (stored) => {
    if (!matchesRevision(header, revision(stored))) throw preconditionFailed();
  };
}

/**
 * Whether If-Match names this revision, which an entity tag has before its first hyphen. Weak tags count too, since a
 * proxy that compresses makes tags weak or adds to them, and what follows the hyphen changes with every signature.
 */
function matchesRevision(header: string, revision: string): boolean {
  if (header.trim() === '*') return true;
  return header
    .split(',')
    .some((tag) => /^(?:W\/)?"([^"-]*)(?:-[^"]*)?"$/.exec(tag.trim())?.[1] === revision);
}
