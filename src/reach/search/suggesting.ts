import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { candidatesPerSuggestion, planScans } from './cost-model.ts';
import * as queries from './queries.ts';
import { analyzeQuery, titles, type AnalyzedQuery } from './query-analysis.ts';
import type { SuggestQuery, Suggestion } from './schema.ts';
import { runSearch } from './serving.ts';
import { correctSpelling } from './spelling.ts';
import { surveyIn } from './survey.ts';
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
    const found = await bestKnown(ctx, db, typed, limit);
    if (found.length > 0) return found;
    const corrected = await correctSpelling(db, typed);
    return corrected ? bestKnown(ctx, db, corrected, limit) : [];
  });
}

async function bestKnown(
  ctx: Context,
  db: Db,
  { words, inTitle }: AnalyzedQuery,
  limit: number,
): Promise<Suggestion[]> {
  if (!inTitle) return [];
  const survey = await surveyIn(ctx, db, { words: inTitle.index, filters: {} });
  const candidates = candidatesPerSuggestion * limit;
  const scans = planScans({ ...survey, matches: survey.total }, candidates, 'title');
  const page = { match: { words, filters: {}, inTitle }, after: null, limit: candidates };
  const found = await queries.readFirst(scans, (scan) => queries.readBestKnown(db, page, scan));
  const shown = await titlesOf(
    db,
    found.map(({ id }) => id),
  );
  return shown
    .slice(0, limit)
    .map(({ title, slug, signature_count }) => ({ title, slug, signature_count }));
}
