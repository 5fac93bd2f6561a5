import { findListedPetitions } from '../../campaigns/petitions/read.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { compoundsOf, isStopWord, searchedWordsOf, wordsOfToken } from './analysis.ts';
import { maxComparedTitles, maxRankedSimilarTitles } from './cost-model.ts';
import type { Language } from './languages.ts';
import { formsOf, titlesAndTags, wordQuery } from './query-analysis.ts';
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

/** A word of a title. */
interface Word {
  word: string;
  /** The word, and the joined words of its compound. */
  spellings: string[];
}

/** The words without stop words; all words if nothing else is left. */
function significantWords(title: string, languages: Language[]): Word[] {
  const words = new Map<string, Word>();
  for (const { token, joined } of compoundsOf(title).flatMap(searchedWordsOf)) {
    for (const word of wordsOfToken(token)) {
      const others = joined.map((each) => each.word);
      const spellings = [word, ...(words.get(word)?.spellings ?? []), ...others];
      words.set(word, { word, spellings: [...new Set(spellings)] });
    }
  }
  const all = [...words.values()];
  const significant = all.filter(
    ({ word }) => !languages.some((language) => isStopWord(word, language)),
  );
  return significant.length > 0 ? significant : all;
}

const spellingsOf = (words: readonly Word[]): string[] => [
  ...new Set(words.flatMap(({ spellings }) => spellings)),
];

async function findSimilar(db: Db, words: Word[], languages: Language[]): Promise<string[]> {
  const counts = await countsOf(db, spellingsOf(words));
  const match = {
    words: [wordQuery(spellingsOf(rarest(words, counts)), languages, titlesAndTags.index)],
    filters: {},
  };
  const anyWord = wordQuery(spellingsOf(words), languages);
  const found = await queries.findSimilarTitles(db, match, anyWord, maxComparedTitles);
  const titles = found.map(({ id, title }) => ({ id, words: significantWords(title, languages) }));
  const all = await countsOf(
    db,
    spellingsOf([...titles.flatMap((title) => title.words), ...words]),
  );
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

const titlesOf = ({ spellings }: Word, counts: TitleCounts): number =>
  spellings.reduce((sum, spelling) => sum + (counts.get(spelling) ?? 0), 0);

/** The rarest words, as many as have at most `maxRankedSimilarTitles` titles together. */
function rarest(words: Word[], counts: TitleCounts): Word[] {
  const rare: Word[] = [];
  let titles = 0;
  for (const word of words.toSorted((a, b) => titlesOf(a, counts) - titlesOf(b, counts))) {
    titles += titlesOf(word, counts);
    if (titles > maxRankedSimilarTitles && rare.length > 0) break;
    rare.push(word);
  }
  return rare;
}

/** The share of words, compared by stems, that two titles have in common, 0 to 1. Rare words weigh more. */
function similarityOf(
  one: Word[],
  other: Word[],
  counts: TitleCounts,
  languages: Language[],
): number {
  const weight = ({ word }: Word) => 1 / (1 + Math.log10(1 + (counts.get(word) ?? 0)));
  const total = (words: Word[]) => words.reduce((sum, word) => sum + weight(word), 0);
  const allForms = ({ spellings }: Word) =>
    spellings.flatMap((spelling) => formsOf(spelling, languages));
  const otherForms = new Set(other.flatMap(allForms));
  const shared = one.filter((word) => allForms(word).some((form) => otherForms.has(form)));
  // A compound of two words may be one word in the other title.
  return Math.min(1, (2 * total(shared)) / (total(one) + total(other)));
}
