import type { Db, Query } from '../../platform/db.ts';
import type { Ranking } from './query-analysis.ts';

/**
 * How well a document fits and how well known it is, in one number. Words in the title count most, words in tags
 * less; a short title counts more, a title of exactly these words most. Without words: how well known it is.
 */
export const relevanceScore = (db: Db, ranking: Ranking | null): Query =>
  ranking === null
    ? db`d.known`
    : db`(d.known / 10000
        + ts_rank('{0.1, 0.1, 0.4, 1}', d.title, ${ranking.words}::tsquery, 1) * 10000
          * (1 + (d.known / 10000) / 40.0::float8)
        + case when d.title @@ ${ranking.whole}::tsquery then 10000 else 0 end)::integer`;
