import { findListedPetitions } from '../../campaigns/petitions/read.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { isStopWord, stemsOf, wordsOf } from './analysis.ts';
import { maxComparedTitles, maxRankedSimilarTitles } from './cost-model.ts';
import type { Language } from './languages.ts';
import { titlesAndTags, wordQuery } from './query-analysis.ts';
import type { SimilarQuery } from './schema.ts';
import { runSearch } from './serving.ts';
import { languagesFor, type LanguageChoice } from './vocabulary.ts';
import * as queries from './word-queries.ts';

const maxShown = 5;
/** Share of the words' weight that two similar titles have in common, 0 to 1. */
const minSimilarity = 0.35;

/** Active petitions with similar titles, the most similar first. */
export async function similarPetitions(
  ctx: Context,
  query: SimilarQuery & LanguageChoice,
): Promise<PetitionSummary[]> {
  const ids = await runSearch(ctx, async (db) => {
    const languages = await languagesFor(ctx, db, query);
    const words = significantWords(query.title, languages);
    return words.length > 0 ? findSimilar(db, words, languages) : [];
  });
  return findListedPetitions(ctx, ids);
}

/** The words without stop words; all words if nothing else is left. */
function significantWords(title: string, languages: Language[]): string[] {
  const words = [...new Set(wordsOf(title))];
  const significant = words.filter(
    (word) => !languages.some((language) => isStopWord(word, language)),
  );
  return significant.length > 0 ? significant : words;
}

async function findSimilar(db: Db, words: string[], languages: Language[]): Promise<string[]> {
  const counts = await countsOf(db, words);
  const match = {
    words: [wordQuery(rarest(words, counts), languages, titlesAndTags.index)],
    filters: {},
  };
  const anyWord = wordQuery(words, languages);
  const found = await queries.findSimilarTitles(db, match, anyWord, maxComparedTitles);
  const titles = found.map(({ id, title }) => ({ id, words: significantWords(title, languages) }));
  const all = await countsOf(db, [...new Set(titles.flatMap((title) => title.words)), ...words]);
  return titles
    .map(({ id, words: others }) => ({
      id,
      similarity: similarityOf(words, others, all, languages),
    }))
    .filter(({ similarity }) => similarity >= minSimilarity)
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, maxShown)
    .map(({ id }) => id);
}

/** How many titles have each word. */
type TitleCounts = Map<string, number>;

const countsOf = async (db: Db, words: string[]): Promise<TitleCounts> =>
  new Map((await queries.countTitles(db, words)).map(({ word, titles }) => [word, titles]));

/** The rarest words, as many as have at most `maxRankedSimilarTitles` titles together. */
function rarest(words: string[], counts: TitleCounts): string[] {
  const rare: string[] = [];
  let titles = 0;
  for (const word of words.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))) {
    titles += counts.get(word) ?? 0;
    if (titles > maxRankedSimilarTitles && rare.length > 0) break;
    rare.push(word);
  }
  return rare;
}

/** The share of words, compared by stems, that two titles have in common, 0 to 1. Rare words weigh more. */
function similarityOf(
  one: string[],
  other: string[],
  counts: TitleCounts,
  languages: Language[],
): number {
  const weight = (word: string) => 1 / (1 + Math.log10(1 + (counts.get(word) ?? 0)));
  const total = (words: string[]) => words.reduce((sum, word) => sum + weight(word), 0);
  const formsOf = (word: string) => languages.flatMap((language) => stemsOf(word, language));
  const otherForms = new Set(other.flatMap((word) => [word, ...formsOf(word)]));
  const shared = one.filter(
    (word) => otherForms.has(word) || formsOf(word).some((form) => otherForms.has(form)),
  );
  return (2 * total(shared)) / (total(one) + total(other));
}
