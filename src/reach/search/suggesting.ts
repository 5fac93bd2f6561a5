import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { candidatesPerSuggestion, planScans } from './cost-model.ts';
import { estimateResult } from './estimate.ts';
import * as queries from './queries.ts';
import { analyzeQuery, titles, type AnalyzedQuery } from './query-analysis.ts';
import type { SuggestQuery, Suggestion } from './schema.ts';
import { runSearch } from './serving.ts';
import { correctSpelling } from './spelling.ts';
import { languagesFor, type LanguageChoice } from './vocabulary.ts';
import { readSuggestions } from './word-queries.ts';

const defaultSuggestions = 5;

/**
 * Titles with all the words, the last one perhaps unfinished, the best known first. If there are none: titles with
 * words one typing error away.
 */
export async function suggestTitles(
  ctx: Context,
  query: SuggestQuery & LanguageChoice,
): Promise<Suggestion[]> {
  const { q, limit = defaultSuggestions } = query;
  return runSearch(ctx, async (db) => {
    const typed = analyzeQuery(q, await languagesFor(ctx, db, query), titles);
    const found = await suggestionsFor(ctx, db, typed, limit);
    if (found.length > 0) return found;
    const corrected = await correctSpelling(db, typed);
    return corrected ? suggestionsFor(ctx, db, corrected, limit) : [];
  });
}

async function suggestionsFor(
  ctx: Context,
  db: Db,
  { words, inTitle }: AnalyzedQuery,
  limit: number,
): Promise<Suggestion[]> {
  if (!inTitle) return [];
  const estimate = await estimateResult(ctx, db, { words: inTitle.index, filters: {} });
  const candidates = candidatesPerSuggestion * limit;
  const scans = planScans({ ...estimate, matches: estimate.total }, candidates, 'title');
  const page = { match: { words, filters: {}, inTitle }, after: null, limit: candidates };
  const found = await queries.readBestKnown(db, page, scans);
  const ids = found.map(({ id }) => id);
  const suggestions = await readSuggestions(db, ids);
  return suggestions.slice(0, limit).map(({ id: _id, ...suggestion }) => suggestion);
}
