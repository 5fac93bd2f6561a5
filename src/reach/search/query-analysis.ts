import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { inFront, type Mark } from './document.ts';
import { languageOf, type Language } from './languages.ts';
import type { Queries, Ranking } from './queries.ts';
import { matchQuery, parseQuery, rankQuery, type Term } from './query.ts';
import { mainLanguages } from './word-queries.ts';

/** What somebody typed, as the database is asked for it. */
export interface AnalyzedQuery {
  terms: Term[];
  languages: Language[];
  /** What is looked at as titles. */
  marks: readonly Mark[];
  /** What must be there; nothing where no word was typed. */
  words: Queries;
  /** The same in titles; nothing where no word is wanted. */
  inTitles: Queries;
  /** Of documents that have the words, such a part has them in titles, about: 0 to 1. */
  shareInTitles: number;
  /** So many titles have it, about, where words of titles tell that. */
  titles?: number;
  /** No title has a word that begins as the last one: it is perhaps misspelt. */
  isUnheardOf?: boolean;
  /** Null where nothing is wanted, such as where all words are excluded. */
  ranking: Ranking | null;
}

/** Languages of the documents that words are tried in, beside that of whoever types. */
const mostCommon = 4;

/**
 * In which languages words are understood: the one that was named, or those that the browser prefers;
 * English; and those that most documents are in.
 */
export async function languagesFor(
  ctx: Context,
  db: Db,
  {
    language,
    acceptLanguage,
  }: { language?: string | undefined; acceptLanguage?: string | undefined },
): Promise<Language[]> {
  const common = await ctx.cache.read('search-languages', '', () => mainLanguages(db, mostCommon));
  const preferred = language ? [language] : preferredOf(acceptLanguage);
  const known = [...preferred, 'en', ...common].flatMap((tag) => languageOf(tag) ?? []);
  return [...new Set(known)];
}

/** The two first of an Accept-Language header. */
const preferredOf = (header = ''): string[] =>
  header
    .slice(0, 200)
    .split(',', 2)
    .map((part) => part.split(';')[0]!.trim());

/** Understands what was typed; `marks` say what is looked at as titles. */
export function analyzeQuery(
  text: string,
  languages: Language[],
  marks: readonly Mark[] = inFront,
): AnalyzedQuery {
  const { terms, whole } = parseQuery(text, languages);
  const wanted = rankQuery(terms, languages);
  return {
    terms,
    languages,
    marks,
    words: matchQuery(terms, languages),
    inTitles: wanted === null ? [] : matchQuery(terms, languages, marks),
    shareInTitles: usualShareOf(terms),
    ranking: wanted === null ? null : { words: wanted, whole },
  };
}

/** Of documents that have a word, so many have it in title or tags, about. */
export const usualShareInTitles = 1 / 8;
/** The same of all the words that are wanted. */
export const usualShareOf = (terms: Term[]): number => usualShareInTitles ** wordCount(terms);

/** How many words are wanted. */
export const wordCount = (terms: Term[]): number =>
  terms.filter(({ isExcluded }) => !isExcluded).flatMap(({ words }) => words).length;
