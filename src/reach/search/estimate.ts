import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { minSampledRows } from './cost-model.ts';
import { facetGroups, toCounts, type Counts, type FacetGroup } from './facets.ts';
import { byWordIndex, type Match } from './matching.ts';

/** What the sample says about the size of a result. All numbers are of all documents. */
export interface ResultEstimate extends Counts {
  /** Documents in the index. */
  documents: number;
  /** Documents in the index of the best known. */
  bestKnown: number;
  /** Matches with all words in the title. */
  inTitle: number;
}

/** How many documents a row of the sample stands for. */
interface SampleWeights {
  documents: number;
  bestKnown: number;
  fine: number;
  coarse: number;
}

/** Shares of the sample: each 16th document, and each 16th of these again (migrations/0045). */
const sampledShare = 16;

/**
 * Estimates a result; `inTitle` is a tsquery on `title`. Estimates are kept for a minute (`ctx.estimates`).
 */
export const estimateResult = (
  ctx: Context,
  db: Db,
  match: Match,
  inTitle?: string,
): Promise<ResultEstimate> =>
  ctx.estimates.read('search-results', JSON.stringify(match), async () => {
    const weights = await ctx.estimates.read('search-sample', '', () => readWeights(db));
    return countInSample(db, weights, match, inTitle);
  });

async function readWeights(db: Db): Promise<SampleWeights> {
  const row = await db.one<{ fine: number; coarse: number; counted: number; bestKnown: number }>`
    select count(*)::integer as fine, (count(*) filter (where is_coarse))::integer as coarse,
      (select reltuples from pg_class where oid = 'search_documents'::regclass) as counted,
      (select reltuples from pg_class where oid = 'search_documents_best_known'::regclass)
        as "bestKnown"
    from search_sample`;
  const { fine, coarse, counted, bestKnown } = row;
  // PostgreSQL's own count is more precise, but -1 before the first ANALYZE, and outdated if the sample differs by
  // more than chance.
  const isUpToDate =
    counted >= fine && Math.abs(counted / sampledShare - fine) <= 4 * Math.sqrt(fine);
  const documents = isUpToDate ? counted : fine * sampledShare;
  return {
    documents,
    bestKnown: Math.max(bestKnown, 0),
    fine: documents / Math.max(fine, 1),
    coarse: documents / Math.max(coarse, 1),
  };
}

/** Counts matches in the coarse sample, or in all of the sample if the coarse one has too few. */
async function countInSample(
  db: Db,
  weights: SampleWeights,
  match: Match,
  inTitle: string | undefined,
): Promise<ResultEstimate> {
  const columns = db`d.status, d.category_id, d.country, d.tag_keys,
    ${inTitle ? db`d.title @@ ${inTitle}::tsquery` : db`false`} as is_in_title`;
  const row = await db.one<{ isCoarse: boolean; inTitle: number; groups: FacetGroup[] }>`
    with coarse as materialized (
      select ${columns} from search_sample d where d.is_coarse and ${byWordIndex(db, match)}
    ),
    enough as materialized (select count(*) >= ${minSampledRows} as is_coarse from coarse),
    sampled as materialized (
      select * from coarse where (select is_coarse from enough)
      union all
      select ${columns} from search_sample d
      where ${byWordIndex(db, match)} and not (select is_coarse from enough)
    )
    select (select is_coarse from enough) as "isCoarse",
      (select count(*) filter (where is_in_title) from sampled)::integer as "inTitle",
      ${facetGroups(db, db`sampled`)} as groups`;
  const weight = row.isCoarse ? weights.coarse : weights.fine;
  return {
    ...toCounts(row.groups, weight),
    documents: weights.documents,
    bestKnown: weights.bestKnown,
    inTitle: row.inTitle * weight,
  };
}
