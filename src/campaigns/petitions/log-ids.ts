import type { Backfill } from '../../platform/backfills.ts';
import { giveLogIds } from './log-id-queries.ts';

const lowestId = '00000000-0000-0000-0000-000000000000';
/** Petitions that one step of the backfill reads. */
const backfillSize = 500;

/** Gives the petitions of earlier versions their ids in the public log. */
export const logIdsBackfill: Backfill = {
  name: 'petition-log-ids',
  total: (db) =>
    db.value<number>`
      select greatest(reltuples, 0)::integer from pg_class where oid = 'petitions'::regclass`,
  async step(db, cursor) {
    const ids = await giveLogIds(db, cursor ?? lowestId, backfillSize);
    const last = ids.at(-1);
    return last === undefined ? null : { cursor: last, rows: ids.length };
  },
};
