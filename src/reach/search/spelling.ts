import type { Db } from '../../platform/db.ts';
import { maxCorrections, maxSpellingCandidates } from './cost-model.ts';
import type { Term } from './parsing.ts';
import { formsOf, toAnalyzed, wordQuery, type AnalyzedQuery } from './query-analysis.ts';
import { isCorrectable, isNear, isNearPrefix, variantsTyped } from './typing-errors.ts';
import * as queries from './word-queries.ts';

/**
 * The query with words of titles instead of misspelt ones: instead of each word that no title has; if titles have all
 * words, instead of any one of them. Undefined if no word is near.
 */
export async function correctSpelling(
  db: Db,
  query: AnalyzedQuery,
): Promise<AnalyzedQuery | undefined> {
  const typed = query.terms.filter(isCorrectableTerm);
  if (typed.length === 0 || query.ranking === null) return undefined;
  const words = await findWords(db, typed);
  const unknown = words.filter(({ isInTitles }) => !isInTitles);
  const correctable = words.filter(({ near }) => near.length > 0);
  if (correctable.length === 0 || unknown.some(({ near }) => near.length === 0)) return undefined;
  const meant = correctable.map(({ near }) => wordQuery(near, query.languages));
  const ranking = { ...query.ranking, words: [query.ranking.words, ...meant].join(' | ') };
  const ranked = { ...query, ranking };
  return unknown.length > 0
    ? replaceWords(ranked, unknown)
    : anyOf(correctable.map((word) => replaceWords(ranked, [word])));
}

const isCorrectableTerm = (term: Term): boolean =>
  !term.isExcluded && !term.isPhrase && isCorrectable(firstWord(term));

/** A typed word that may be misspelt. */
interface TypedWord {
  term: Term;
  isInTitles: boolean;
  /** Words of titles that are one typing error away. */
  near: string[];
}

async function findWords(db: Db, typed: readonly Term[]): Promise<TypedWord[]> {
  const [found, near] = await Promise.all([
    queries.countTitles(db, typed.map(firstWord)),
    Promise.all(typed.map((term) => wordsNear(db, term))),
  ]);
  const known = new Set(found.map(({ word }) => word));
  return typed.map((term, n) => ({
    term,
    isInTitles: known.has(firstWord(term)),
    near: near[n]!,
  }));
}

/** The query with the near words instead of the typed ones. */
function replaceWords(query: AnalyzedQuery, typed: readonly TypedWord[]): AnalyzedQuery {
  const terms = query.terms.map((term) => {
    const near = typed.find((word) => word.term === term)?.near;
    if (!near) return term;
    const alternatives = near.flatMap((word) => formsOf(word, query.languages));
    return { ...term, isPrefix: false, unfinished: [], alternatives };
  });
  return toAnalyzed(terms, query);
}

/** Matches what any of the queries matches. */
function anyOf(alternatives: readonly AnalyzedQuery[]): AnalyzedQuery {
  const join = (all: readonly (readonly string[])[]) =>
    all.map((conditions) => `(${conditions.join(' & ')})`).join(' | ');
  const inTitle = alternatives.flatMap((query) => query.inTitle ?? []);
  return {
    ...alternatives[0]!,
    words: [join(alternatives.map(({ words }) => words))],
    inTitle: {
      index: [join(inTitle.map(({ index }) => index))],
      row: join(inTitle.map(({ row }) => [row])),
    },
  };
}

const firstWord = ({ words: [word = ''] }: Term): string => word;

async function wordsNear(db: Db, term: Term): Promise<string[]> {
  const typed = firstWord(term);
  const candidates = await queries.wordsWithVariants(
    db,
    variantsTyped(typed),
    maxSpellingCandidates,
  );
  return candidates
    .map(({ word }) => word)
    .filter((word) => word !== typed)
    .filter((word) => isNear(typed, word) || (term.isPrefix && isNearPrefix(typed, word)))
    .slice(0, maxCorrections);
}
