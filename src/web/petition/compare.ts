import { diffArrays } from 'diff';
import { setImmediate } from 'node:timers/promises';
import { ConcurrencyLimit } from '../../platform/concurrency-limit.ts';

/** A run of text that both versions have, or only the earlier or the later one. */
export interface Piece {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/**
 * Words that differ at most, and the time that comparing takes at most. The time grows with the square of the differences:
 * 800 took 40 ms, 1,000 took 65 ms. A text that repeats itself takes longer. Texts that differ more are new texts; marks
 * would hide that.
 */
const maxDifferences = 800;
const maxMs = 80;

/** Words, characters of scripts that write none between spaces, spaces, and single other characters. */
const tokens = /\p{Ideographic}|[[\p{L}\p{M}\p{N}]--\p{Ideographic}]+|\s+|[^]/gv;

const tokensOf = (text: string): string[] => text.match(tokens) ?? [];

/** Compares two texts word by word. Returns undefined if they have too little in common. */
export function compareTexts(before: string, after: string): Piece[] | undefined {
  const parts = diffArrays(tokensOf(before), tokensOf(after), {
    maxEditLength: maxDifferences,
    timeout: maxMs,
  });
  if (!parts) return undefined;
  return joinChanges(
    parts.map(({ removed, added, value }) => ({
      kind: removed ? 'removed' : added ? 'added' : 'same',
      text: value.join(''),
    })),
  );
}

/** Texts of 49 kB take up to 80 ms each: 29 pairs at once kept a liveness probe waiting for 0.96 s. */
const comparisons = new ConcurrencyLimit(1, {
  maxWaiting: 100,
  message: 'Too many versions are being compared at the moment. Try again shortly.',
});

/**
 * Compares two texts as `compareTexts`, one pair of the process after the other. Other requests are answered in between.
 * @throws {Problem} unavailable, if too many wait
 */
export const compareInTurn = (before: string, after: string): Promise<Piece[] | undefined> =>
  comparisons.run(async () => {
    const pieces = compareTexts(before, after);
    await setImmediate();
    return pieces;
  });

/** Joins changes that only spaces on one line divide, so that a phrase is read as one: first what it was. */
function joinChanges(pieces: Piece[]): Piece[] {
  const joined: Piece[] = [];
  let removed = '';
  let added = '';
  const flush = () => {
    if (removed !== '') joined.push({ kind: 'removed', text: removed });
    if (added !== '') joined.push({ kind: 'added', text: added });
    removed = added = '';
  };
  for (const [index, { kind, text }] of pieces.entries()) {
    if (kind === 'removed') removed += text;
    else if (kind === 'added') added += text;
    else if (removed !== '' && added !== '' && /^ +$/.test(text) && index < pieces.length - 1) {
      removed += text;
      added += text;
    } else {
      flush();
      joined.push({ kind, text });
    }
  }
  flush();
  return joined;
}
