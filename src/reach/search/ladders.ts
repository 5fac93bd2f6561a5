import { quoted } from './document.ts';

/**
 * Large results are read in steps down a ladder: on which rung a petition stands is a lexeme of its
 * document, so that one look into one index finds the matches of some rungs, however many there are in all.
 * Rungs are whole numbers, the highest come first (migrations/0029).
 */
export type Ladder = 'known' | 'day' | 'trend';

const ladders: Record<Ladder, { sign: string; digits: number }> = {
  known: { sign: '=k ', digits: 6 },
  day: { sign: '=d ', digits: 5 },
  trend: { sign: '=t ', digits: 5 },
};

/** Some rungs of a ladder, both ends with them. */
export interface Stretch {
  from: number;
  upTo: number;
}

export const topOf = (ladder: Ladder): number => 10 ** ladders[ladder].digits - 1;
export const bottom = 0;

/** Rungs of `known` that tell petitions as well known apart by the months of their days. */
export const stepOfKnown = 10_000;

const stepOf = (signatures: number) => Math.floor(2 * Math.log2(1 + signatures)) * stepOfKnown;

/** The highest rung on which a petition of so many signatures may stand. */
export const knownBy = (signatures: number): number => stepOf(signatures) + stepOfKnown - 1;

export const knownOf = (signatures: number, at: Date): number =>
  stepOf(signatures) + (at.getUTCFullYear() - 1970) * 12 + at.getUTCMonth();

export const dayOf = (at: Date): number => Math.max(Math.floor(at.getTime() / 86_400_000), 0);

/** The lexeme of a rung. */
export const rungLexeme = (ladder: Ladder, rung: number): string =>
  ladders[ladder].sign + String(rung).padStart(ladders[ladder].digits, '0');

/** Documents on these rungs, as tsquery; null where these are all. */
export function rungsQuery(ladder: Ladder, { from, upTo }: Stretch): string | null {
  if (upTo <= bottom && from >= topOf(ladder)) return null;
  const { sign, digits } = ladders[ladder];
  const covered = beginningsOf(Math.max(upTo, bottom), Math.min(from, topOf(ladder)), digits);
  return `(${covered
    .map((begun) => quoted(sign + begun) + (begun.length < digits ? ':*' : ''))
    .join(' | ')})`;
}

/** The fewest beginnings of numbers of so many digits that all those between two of them have. */
function beginningsOf(low: number, high: number, digits: number): string[] {
  const found: string[] = [];
  for (let next = low; next <= high;) {
    let size = 1;
    while (next % (size * 10) === 0 && next + size * 10 - 1 <= high) size *= 10;
    const length = digits - Math.log10(size);
    found.push(String(next).padStart(digits, '0').slice(0, length));
    next += size;
  }
  return found;
}
