import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { completedShare, maxCompletions, minTitlesToComplete } from './cost-model.ts';
import { filterQueries, type SearchFilters } from './document.ts';
import { languageOf, type Language } from './languages.ts';
import type { Term } from './parsing.ts';
import { formsOfTerm, prefixesOf, toAnalyzed, type AnalyzedQuery } from './query-analysis.ts';
import { mainLanguages, wordsWithPrefix, type TitleWord } from './word-queries.ts';

/** Languages of documents that words are tried in, besides the reader's. */
const maxMainLanguages = 4;
const maxPreferredLanguages = 2;

export interface LanguageChoice {
  /** The language that the client names. */
  language?: string | undefined;
  /** Else the value of the reader's Accept-Language header. */
  acceptLanguage?: string | undefined;
}

/** Languages of a query: the named one, or the reader's; English; and those of most documents. */
export async function languagesFor(
  ctx: Context,
  db: Db,
  { language, acceptLanguage = '' }: LanguageChoice,
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

/**
 * The query with an unfinished word that many titles have replaced by the commonest words that begin with it. GIN
 * collects every document of a prefix before it looks at other conditions, so a query without others stays as it is.
 */
export async function completePrefix(
  ctx: Context,
  db: Db,
  query: AnalyzedQuery,
  filters: SearchFilters,
): Promise<AnalyzedQuery> {
  if (query.terms.length + filterQueries(filters).length === 1) return query;
  const prefixes = [...new Set(query.terms.flatMap(prefixesOf))];
  const completions = new Map(
    await Promise.all(
      prefixes.map(async (prefix) => [prefix, await completionsOf(ctx, db, prefix)] as const),
    ),
  );
  const complete = (term: Term): Term => {
    const completed = prefixesOf(term).filter((prefix) => completions.get(prefix));
    if (completed.length === 0) return term;
    const words = completed.flatMap((prefix) => completions.get(prefix)!);
    return {
      ...term,
      isPrefix: term.isPrefix && !completed.includes(term.words[0]!),
      unfinished: term.unfinished.filter(({ word }) => !completed.includes(word)),
      alternatives: [...new Set([...formsOfTerm(term, query.languages), ...words])],
    };
  };
  return toAnalyzed(query.terms.map(complete), query);
}

/** The commonest words that begin with the prefix; undefined if few titles have any. */
async function completionsOf(ctx: Context, db: Db, prefix: string): Promise<string[] | undefined> {
  const completions = await ctx.estimates.read('search-completions', prefix, () =>
    wordsWithPrefix(db, prefix, maxCompletions),
  );
  const titles = totalTitles(completions);
  if (titles < minTitlesToComplete) return undefined;
  return completions
    .filter((_, n) => totalTitles(completions.slice(0, n)) < titles * completedShare)
    .map(({ word }) => word);
}

const totalTitles = (words: readonly TitleWord[]): number =>
  words.reduce((sum, { titles }) => sum + titles, 0);
