import type { Db } from '../../platform/db.ts';
import type { Mark } from './document.ts';
import { allOf, termQuery, wordQuery, type Term } from './query.ts';
import { isCorrectable, isNear, isNearBeginning, variantsTyped } from './typing-errors.ts';
import { usualShareOf, type AnalyzedQuery } from './query-analysis.ts';
import * as queries from './word-queries.ts';

/** Words that one misspelt word is taken for at most. */
const mostMeant = 20;

/**
 * The same with words that titles have instead of those that were perhaps misspelt: each that no title
 * has, else one of all. Undefined where there are none.
 */
export async function correctSpelling(
  db: Db,
  { terms, languages, marks, ranking }: AnalyzedQuery,
): Promise<AnalyzedQuery | undefined> {
  const typed = terms.filter(
    ({ isExcluded, isPhrase, words: [word = ''] }) =>
      !isExcluded && !isPhrase && isCorrectable(word),
  );
  if (typed.length === 0 || ranking === null) return undefined;
  const [known, near] = await Promise.all([
    queries.knownWords(
      db,
      typed.map(({ words }) => words[0]!),
    ),
    Promise.all(typed.map((term) => wordsMeantBy(db, term))),
  ]);
  const meant = new Map(typed.map((term, n) => [term, near[n]!] as const));
  for (const [term, words] of meant) if (words.length === 0) meant.delete(term);
  const unknown = typed.filter(({ words }) => !known.some(({ word }) => word === words[0]));
  if (meant.size === 0 || unknown.some((term) => !meant.has(term))) return undefined;
  const instead = (mended: Term[], places?: readonly Mark[]) =>
    allOf(terms, (term) =>
      mended.includes(term)
        ? wordQuery(meant.get(term)!, languages, places)
        : termQuery(term, languages, places),
    );
  const anyInstead = (places?: readonly Mark[]) =>
    `(${[...meant.keys()].map((term) => `(${instead([term], places).join(' & ')})`).join(' | ')})`;
  const allInstead = (places?: readonly Mark[]) =>
    unknown.length > 0 ? instead(unknown, places) : [anyInstead(places)];
  const wanted = [
    ranking.words,
    ...[...meant.values()].map((words) => wordQuery(words, languages)),
  ];
  return {
    // What is mended is not completed.
    terms: terms.map((term) => ({ ...term, isPrefix: false })),
    languages,
    marks,
    words: allInstead(),
    inTitles: allInstead(marks),
    shareInTitles: usualShareOf(terms),
    ranking: { ...ranking, words: wanted.join(' | ') },
  };
}

async function wordsMeantBy(db: Db, { words, isPrefix }: Term): Promise<string[]> {
  const typed = words[0]!;
  const near = await queries.wordsNear(db, variantsTyped(typed));
  return near
    .map(({ word }) => word)
    .filter((word) => word !== typed)
    .filter((word) => isNear(typed, word) || (isPrefix && isNearBeginning(typed, word)))
    .slice(0, mostMeant);
}
