/**
 * Every constant that decides how a search is read. Times are of 1,000,000 petitions in memory on one core of an AMD
 * EPYC; docs/search.md shows how they were measured.
 */

/** Larger results are estimated and read page by page. Ranking and counting 1,000 matches takes 4 ms. */
export const maxExactDocuments = 1000;

/** Microseconds to find one match by the word index and read its row. */
const matchMicroseconds = 2;
/** Microseconds to read one row in the order of an index and check it. */
const walkMicroseconds = {
  /** Petitions by publication, trend or signatures, with their documents. */
  sort_at: 2.5,
  sort_trend: 3.6,
  sort_count: 6.4,
  /** Documents by how well known they are, checking the whole document or the title only. */
  document: 3.5,
  title: 1.4,
};
/** Estimates are off by an eighth or more: a way is tried first if it finds so many times the page, as estimated. */
const margin = 1.5;

/**
 * The lowest bucket `known`, of 4,096 signatures, whose documents have a word index of their own: a tenth of real
 * petitions.
 */
export const bestKnownThreshold = 240_000;

/** A way to read matches: a walk of so many rows, or every match by a word index. */
export type Scan = { maxRows: number } | WordIndex;
export type WordIndex = 'best known' | 'all';

/** Estimates of a result, in documents. */
export interface ScanEstimates {
  matches: number;
  documents: number;
  /** Documents in the index of the best known; 0 if the order is another. */
  bestKnown: number;
}

/**
 * Ways to find `limit` matches, the cheapest first: a way that finds too few is followed by the next. A walk ends when
 * it has cost as much as the next way.
 */
export function planScans(
  { matches, documents, bestKnown }: ScanEstimates,
  limit: number,
  rows: keyof typeof walkMicroseconds,
): Scan[] {
  const matchesOfBestKnown = (matches * bestKnown) / documents;
  const isInBestKnown = matchesOfBestKnown >= limit * margin;
  const nextMatches = isInBestKnown ? matchesOfBestKnown : matches;
  const maxRows = Math.floor((nextMatches * matchMicroseconds) / walkMicroseconds[rows]);
  const isWalkShort = ((limit * documents) / matches) * margin <= maxRows;
  return [
    ...(isWalkShort ? [{ maxRows }] : []),
    ...(isInBestKnown ? (['best known'] as const) : []),
    'all',
  ];
}

/** Rows of the coarse sample that are enough for an estimate: the standard error is an eighth. */
export const minSampledRows = 64;

/** Titles that are ranked together. More are ranked in parts, the best known first. Ranking 1,000 takes 3 ms. */
export const maxRankedTitles = 1000;
/** Titles of one part, at least: a page and a half. */
export const minTitlesOfPart = 30;

/** An unfinished word that so many titles have, an eighth of as many documents, is replaced by completions. */
export const minTitlesToComplete = 250;
/** Each completion is a list of the word index, and is looked up in each row of a walk. */
export const maxCompletions = 16;
/** The commonest completions that have such a share of the titles of all of them are taken. */
export const completedShare = 0.95;

/** Suggestions are read from so many times as many candidates, since buckets order these only roughly. */
export const candidatesPerSuggestion = 4;

/** Words of titles that share a variant with a misspelt word and are compared with it. */
export const maxSpellingCandidates = 500;
/** Words that replace one misspelt word. */
export const maxCorrections = 20;

/** Searches that run or wait for one of the connections, in one process. */
export const maxConcurrentSearches = 40;
export const searchTimeoutMs = 3000;

/** Titles with one of the rarest words of a new title, which PostgreSQL ranks. */
export const maxRankedSimilarTitles = 5000;
/** The best of these, which are compared word by word. */
export const maxComparedTitles = 50;
