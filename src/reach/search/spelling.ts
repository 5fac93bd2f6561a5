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
  const { languages, ranking } = query;
  const typed = query.terms.filter(
    ({ isExcluded, isPhrase, words: [word = ''] }) =>
      !isExcluded && !isPhrase && isCorrectable(word),
  );
  if (typed.length === 0 || ranking === null) return undefined;
  const [found, near] = await Promise.all([
    queries.countTitles(db, typed.map(firstWord)),
    Promise.all(typed.map((term) => wordsNear(db, term))),
  ]);
  const corrections = new Map(
    typed.flatMap((term, n) => (near[n]!.length > 0 ? [[term, near[n]!] as const] : [])),
  );
  const unknown = typed.filter((term) => !found.some(({ word }) => word === firstWord(term)));
  if (corrections.size === 0 || unknown.some((term) => !corrections.has(term))) return undefined;
  const correct = (misspelt: readonly Term[]) =>
    query.terms.map((term) => {
      const words = misspelt.includes(term) ? corrections.get(term)! : undefined;
      const alternatives = words?.flatMap((word) => formsOf(word, languages));
      return { ...term, ...(alternatives && { isPrefix: false, unfinished: [], alternatives }) };
    });
  const meant = [...corrections.values()].map((words) => wordQuery(words, languages));
  const corrected = {
    ...query,
    ranking: { ...ranking, words: [ranking.words, ...meant].join(' | ') },
  };
  if (unknown.length > 0) return toAnalyzed(correct(unknown), corrected);
  return anyOf([...corrections.keys()].map((term) => toAnalyzed(correct([term]), corrected)));
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
