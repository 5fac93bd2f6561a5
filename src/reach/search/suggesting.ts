import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import * as queries from './queries.ts';
import { end, start } from './queries.ts';
import type { SuggestQuery, Suggestion } from './schema.ts';
import { serve } from './serving.ts';
import { languagesFor, mend, understand } from './understanding.ts';

/** Of the best known petitions, so many are looked at before those with the words are looked up. */
const walkBudget = 1000;
const usualLimit = 5;
/** Titles' own words, not tags. */
const inTitle = 'A';

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
    const typed = understand(q, await languagesFor(ctx, db, query), inTitle);
    if (typed.words === null) return [];
    const found = await bestKnown(db, typed.words, limit);
    if (found.length > 0) return found;
    const mended = await mend(db, typed, inTitle);
    return mended ? bestKnown(db, mended.words!, limit) : [];
  });
}

async function bestKnown(db: Db, match: string, limit: number): Promise<Suggestion[]> {
  const stretch = { match, part: 'title', after: start, upTo: end } as const;
  // Their order is by steps of how well they are known: some more, so that the best are among them.
  const wanted = 4 * limit;
  let known = await queries.walkByPrior(db, stretch, null, { budget: walkBudget, limit: wanted });
  if (known.length < wanted) known = await queries.gatherByPrior(db, stretch, null, wanted);
  const titles = await queries.titlesOf(
    db,
    known.map(({ id }) => id),
  );
  return titles
    .slice(0, limit)
    .map(({ title, slug, signature_count }) => ({ title, slug, signature_count }));
}
