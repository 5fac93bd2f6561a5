import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { candidatesPerSuggestion, suggestionScans } from './cost-model.ts';
import * as queries from './queries.ts';
import { analyzeQuery, titles, type AnalyzedQuery } from './query-analysis.ts';
import type { SuggestQuery, Suggestion } from './schema.ts';
import { runSearch } from './serving.ts';
import { correctSpelling } from './spelling.ts';
import { languagesFor } from './vocabulary.ts';
import { titlesOf } from './word-queries.ts';

const defaultSuggestions = 5;

/**
 * Titles with all the words, the last one perhaps unfinished, the best known first. If there are none: titles with
 * words one typing error away.
 */
export async function suggestTitles(
  ctx: Context,
  _caller: Caller | null,
  query: SuggestQuery & { acceptLanguage?: string | undefined },
): Promise<Suggestion[]> {
  const { q, limit = defaultSuggestions } = query;
  return runSearch(ctx, async (db) => {
    const typed = analyzeQuery(q, await languagesFor(ctx, db, query), titles);
    const found = await bestKnown(db, typed, limit);
    if (found.length > 0) return found;
    const corrected = await correctSpelling(db, typed);
    return corrected ? bestKnown(db, corrected, limit) : [];
  });
}

async function bestKnown(
  db: Db,
  { words, inTitle }: AnalyzedQuery,
  limit: number,
): Promise<Suggestion[]> {
  if (!inTitle) return [];
  const match = { words, filters: {}, inTitle };
  const page = { match, after: null, limit: candidatesPerSuggestion * limit };
  const found = await queries.readFirst(suggestionScans, (scan) =>
    queries.readBestKnown(db, page, scan),
  );
  const shown = await titlesOf(
    db,
    found.map(({ id }) => id),
  );
  return shown
    .slice(0, limit)
    .map(({ title, slug, signature_count }) => ({ title, slug, signature_count }));
}
