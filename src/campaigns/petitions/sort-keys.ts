import type { EventFollower } from '../../platform/followers.ts';

/**
 * Lets the orders "most signed" and "trending" follow the counts. The counts change with every signature; in an index
 * they would make each change write all indexes of the petition's row.
 */
export const sortKeysFollower: EventFollower = {
  name: 'sort-keys',
  types: ['signature.created', 'signature.removed', 'signature.invalidated', 'signature.restored'],
  coalesceMs: 500,
  batchSize: 5_000,
  async handleEvents(tx, events) {
    const ids = [...new Set(events.flatMap(({ petitionId }) => petitionId ?? []))];
    await tx`
      with changed as materialized (
        select id from petitions
        where id = any(${ids}::uuid[])
          and (sort_count, sort_trend) is distinct from (signature_count, trend)
        order by id
        for no key update
      )
      update petitions p set sort_count = p.signature_count, sort_trend = p.trend
      from changed where p.id = changed.id`;
  },
};
