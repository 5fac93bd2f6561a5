import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { complete } from './completing.ts';
import { titleMark, type Mark } from './document.ts';
import { sampleIn } from './estimating.ts';
import { unfiltered } from './filtering.ts';
import { correctSpelling } from './spelling.ts';
import * as queries from './queries.ts';
import { simply } from './queries.ts';
import { readBestKnown } from './relevance.ts';
import type { SuggestQuery, Suggestion } from './schema.ts';
import { serve } from './serving.ts';
import { languagesFor, analyzeQuery, type AnalyzedQuery } from './query-analysis.ts';
import { titlesOf } from './word-queries.ts';

/** Of the best known petitions, so many are looked at before those with the words are looked up. */
const walkBudget = 150;
const longWalkBudget = 600;
const usualLimit = 5;
/** Where it is not known how many have the words, they are read as where many have. */
const many = 50_000;
/** Not in tags. */
const inTitle: Mark[] = [titleMark];

/**
 * Titles that have the words, the last one perhaps unfinished, the best known first; where none has them,
 * those with words one typing error away.
 */
export async function suggestTitles(
  ctx: Context,
  _caller: Caller | null,
  query: SuggestQuery & { acceptLanguage?: string | undefined },
): Promise<Suggestion[]> {
  const { q, limit = usualLimit } = query;
  return serve(ctx, async (db) => {
    const typed = analyzeQuery(q, await languagesFor(ctx, db, query), inTitle);
    if (typed.inTitles.length === 0) return [];
    const found = await bestKnown(ctx, db, typed, limit);
    if (found.length > 0) return found;
    const mended = await correctSpelling(db, typed);
    return mended ? bestKnown(ctx, db, mended, limit) : [];
  });
}

async function bestKnown(
  ctx: Context,
  db: Db,
  typed: AnalyzedQuery,
  limit: number,
): Promise<Suggestion[]> {
  // Their order is by steps of how well known they are: some more, so that the best are among them.
  const wanted = 4 * limit;
  const walk = (budget: number) =>
    queries.walkByKnown(db, simply(...typed.inTitles), null, { budget, limit: wanted });
  let known = await walk(walkBudget);
  // Where enough are likely to be a little further on, that is sooner than the index.
  if (known.length < wanted && 2 * known.length >= limit) known = await walk(longWalkBudget);
  if (known.length < limit) {
    const isBegun = typed.terms.some(({ isPrefix }) => isPrefix);
    const { understood } = isBegun
      ? await complete(ctx, db, typed, unfiltered)
      : { understood: typed };
    const { inTitles, titles: found = many } = understood;
    if (found === 0) return [];
    const sample = await sampleIn(ctx, db);
    known = await readBestKnown(db, simply(...inTitles), {
      extent: { found, fetched: found, sample: { ...sample, of: Infinity } },
      after: null,
      limit: wanted,
    });
  }
  const titles = await titlesOf(
    db,
    known.map(({ id }) => id),
  );
  return titles
    .slice(0, limit)
    .map(({ title, slug, signature_count }) => ({ title, slug, signature_count }));
}
