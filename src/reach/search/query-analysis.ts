import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { completedShare, maxCompletions, minTitlesToComplete } from './cost-model.ts';
import { languageOf, type Language } from './languages.ts';
import type { TitleQueries } from './matching.ts';
import {
  allTerms,
  anywhere,
  formsOf,
  parseQuery,
  titlesAndTags,
  wantedQueries,
  type Term,
  type TitleFields,
} from './query.ts';
import { mainLanguages, wordsWithPrefix, type TitleWord } from './word-queries.ts';

/** How matches are ranked, as tsqueries on the `title` vector. */
export interface Ranking {
  /** Any of the wanted words. */
  words: string;
  /** Titles that consist of exactly these words. */
  whole: string;
}

/** A typed query as tsqueries. */
export interface AnalyzedQuery {
  terms: readonly Term[];
  languages: readonly Language[];
  /** What is searched as title. */
  fields: TitleFields;
  /** What a document must have; empty without words. */
  words: readonly string[];
  /** The same with all wanted words in the title, by the word index and by the `title` vector of a row. */
  inTitle: TitleQueries | null;
  /** Null if no word is wanted. */
  ranking: Ranking | null;
}

/** Languages of documents that words are tried in, besides the reader's. */
const maxMainLanguages = 4;
const maxPreferredLanguages = 2;

/** Languages of a query: the named one, or the reader's; English; and those of most documents. */
export async function languagesFor(
  ctx: Context,
  db: Db,
  {
    language,
    acceptLanguage = '',
  }: { language?: string | undefined; acceptLanguage?: string | undefined },
): Promise<Language[]> {
  const main = await ctx.cache.read('search-languages', '', () =>
    mainLanguages(db, maxMainLanguages),
  );
  const preferred = language
    ? [language]
    : acceptLanguage
        .slice(0, 200)
        .split(',', maxPreferredLanguages)
        .map((part) => part.split(';')[0]!.trim());
  return [...new Set([...preferred, 'en', ...main].flatMap((tag) => languageOf(tag) ?? []))];
}

/** Analyzes a typed query. */
export function analyzeQuery(
  text: string,
  languages: readonly Language[],
  fields = titlesAndTags,
): AnalyzedQuery {
  const { terms, whole } = parseQuery(text, languages);
  const wanted = wantedQueries(terms, languages, anywhere);
  const ranking = wanted.length > 0 ? { words: wanted.join(' | '), whole } : null;
  return toAnalyzed(terms, { languages, fields, ranking });
}

/** The query of other terms, ranked as before. */
export function toAnalyzed(
  terms: readonly Term[],
  { languages, fields, ranking }: Pick<AnalyzedQuery, 'languages' | 'fields' | 'ranking'>,
): AnalyzedQuery {
  const inTitle = ranking && {
    index: allTerms(terms, languages, fields.index),
    row: wantedQueries(terms, languages, fields.row).join(' & '),
  };
  return { terms, languages, fields, ranking, words: allTerms(terms, languages), inTitle };
}

/**
 * The query with an unfinished word that many titles have replaced by the commonest words that begin with it: GIN
 * collects every document of a prefix before it looks at other conditions, so this is for queries that have others.
 */
export async function completePrefix(
  ctx: Context,
  db: Db,
  query: AnalyzedQuery,
): Promise<AnalyzedQuery> {
  const prefix = query.terms.find(({ isPrefix }) => isPrefix);
  if (!prefix) return query;
  const [word = ''] = prefix.words;
  const completions = await ctx.estimates.read('search-completions', word, () =>
    wordsWithPrefix(db, word, maxCompletions),
  );
  const titles = titlesOf(completions);
  if (titles < minTitlesToComplete) return query;
  const commonest = completions.filter(
    (_, n) => titlesOf(completions.slice(0, n)) < titles * completedShare,
  );
  const alternatives = new Set([
    ...formsOf(word, query.languages, prefix.written),
    ...commonest.map((one) => one.word),
  ]);
  const completed = { ...prefix, isPrefix: false, alternatives: [...alternatives] };
  return toAnalyzed(
    query.terms.map((term) => (term === prefix ? completed : term)),
    query,
  );
}

const titlesOf = (words: readonly TitleWord[]): number =>
  words.reduce((sum, { titles }) => sum + titles, 0);
