/**
 * Large results are read in steps down a ladder: a small sample tells on how many rungs a page of matches
 * stands, and the indexes of words and rungs together find these alone, however many match in all. Rungs are
 * whole numbers, the highest come first (migrations/0029).
 */
export type Ladder = 'known' | 'day' | 'trend';

/** Some rungs of a ladder, both ends with them. */
export interface Stretch {
  from: number;
  upTo: number;
  /** Documents of the sample that match on these rungs and on all below, where that is known. */
  left?: number;
}

/** Above all rungs. */
export const top = 2 ** 31 - 1;
export const bottom = 0;

/** Rungs of `known` that tell petitions as well known apart by the months of their days. */
export const stepOfKnown = 10_000;

/** The highest rung on which a petition of so many signatures may stand. */
export const knownBy = (signatures: number): number =>
  (Math.floor(2 * Math.log2(1 + signatures)) + 1) * stepOfKnown - 1;

export const dayOf = (at: Date): number => Math.max(Math.floor(at.getTime() / 86_400_000), 0);
