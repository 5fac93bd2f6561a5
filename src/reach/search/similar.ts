import { listedPetitions } from '../../campaigns/petitions/read.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { isStopWord, stemsOf, wordsOf } from './analysis.ts';
import { inFront } from './document.ts';
import type { Language } from './languages.ts';
import { wordQuery } from './query.ts';
import type { SimilarQuery } from './schema.ts';
import { serve } from './serving.ts';
import { languagesFor } from './query-analysis.ts';
import * as queries from './word-queries.ts';

const mostShown = 5;
/** Titles that are compared word by word. */
const mostCompared = 50;
/** Titles with one of the rarer words that are looked at, about. */
const mostFetched = 5000;
/** What two titles must have in common, by weight: 1 is all. */
const leastAlike = 0.35;

/** Active petitions whose titles are like a new one's, the likest first. */
export async function similarPetitions(
  ctx: Context,
  _caller: Caller | null,
  query: SimilarQuery & { acceptLanguage?: string | undefined },
): Promise<PetitionSummary[]> {
  const ids = await serve(ctx, async (db) => {
    const languages = await languagesFor(ctx, db, query);
    const words = tellingWords(query.title, languages);
    return words.length > 0 ? findLike(db, words, languages) : [];
  });
  return listedPetitions(ctx, ids);
}

/** Those that are not too frequent to say anything; all where none is left. */
function tellingWords(title: string, languages: Language[]): string[] {
  const words = [...new Set(wordsOf(title))];
  const telling = words.filter((word) => !languages.some((one) => isStopWord(word, one)));
  return telling.length > 0 ? telling : words;
}

async function findLike(db: Db, words: string[], languages: Language[]): Promise<string[]> {
  const counts = await countsOf(db, words);
  const match = {
    queries: [wordQuery(rarest(words, counts), languages, inFront)],
    common: { status: 'active' },
  };
  const found = await queries.titlesLike(db, match, wordQuery(words, languages), mostCompared);
  const titles = found.map(({ id, title }) => ({ id, words: tellingWords(title, languages) }));
  const all = await countsOf(db, [...new Set(titles.flatMap((one) => one.words)), ...words]);
  return titles
    .map(({ id, words: others }) => ({ id, likeness: likeness(words, others, all, languages) }))
    .filter((one) => one.likeness >= leastAlike)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, mostShown)
    .map(({ id }) => id);
}

type Counts = Map<string, number>;

const countsOf = async (db: Db, words: string[]): Promise<Counts> =>
  new Map((await queries.knownWords(db, words)).map(({ word, titles }) => [word, titles]));

/** The rarest words, as many as have not too many titles together. */
function rarest(words: string[], counts: Counts): string[] {
  const rare: string[] = [];
  let titles = 0;
  for (const word of words.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))) {
    titles += counts.get(word) ?? 0;
    if (titles > mostFetched && rare.length > 0) break;
    rare.push(word);
  }
  return rare;
}

/** The share of words that two titles have in common, by their stems; rare ones weigh more. */
function likeness(one: string[], other: string[], counts: Counts, languages: Language[]): number {
  const weight = (word: string) => 1 / (1 + Math.log10(1 + (counts.get(word) ?? 0)));
  const total = (words: string[]) => words.reduce((sum, word) => sum + weight(word), 0);
  const formsOf = (word: string) => languages.flatMap((language) => stemsOf(word, language));
  const known = new Set(other.flatMap((word) => [word, ...formsOf(word)]));
  const shared = one.filter(
    (word) => known.has(word) || formsOf(word).some((form) => known.has(form)),
  );
  return (2 * total(shared)) / (total(one) + total(other));
}
