import type { Db, Tx } from '../../platform/db.ts';
import { insertEvents } from '../../platform/events.ts';
import type { SignatureKey } from './mailbox-queries.ts';

export interface PlacedSignature extends SignatureKey {
  display_location: string | null;
  /** By the IP address. */
  country: string | null;
  /** Of the petition. */
  language: string | null;
  place: string | null;
}

/** Returns the next signatures by primary key, with and without a text of a place. */
export const nextPlaces = (
  db: Db,
  after: SignatureKey,
  limit: number,
): Promise<PlacedSignature[]> =>
  db<PlacedSignature[]>`
    select s.petition_id, s.id, s.display_location, s.country, s.place,
      -- A join could read all petitions before that one.
      (select p.language from petitions p where p.id = s.petition_id) as language
    from signatures s
    where (s.petition_id, s.id) > (${after.petition_id}::uuid, ${after.id}::uuid)
    order by s.petition_id, s.id
    limit ${limit}`;

export interface PlaceChange extends SignatureKey {
  old_place: string | null;
  new_place: string | null;
}

/**
 * Changes the places of signatures, with one event for each petition. Skips signatures whose place is no longer the old
 * one. Returns how many changed. The caller has locked the petitions, so that the state and the place of a signature are
 * those that its last event had.
 *
 * The event is signature.restored with parts of both signs, and not a type of its own: processes of an earlier version
 * would pass over an unknown type while the service is upgraded, and their sums would keep the old places.
 */
export async function replacePlaces(tx: Tx, changes: PlaceChange[]): Promise<number> {
  const rows = changes.map(({ petition_id, id, old_place, new_place }) => ({
    petition_id,
    id,
    old_place,
    new_place,
  }));
  return tx.value<number>`
    with moved as (
      update signatures s set place = r.new_place
      from jsonb_to_recordset(${tx.json(rows)}) as r (petition_id uuid, id uuid, old_place text,
        new_place text)
      where s.petition_id = r.petition_id and s.id = r.id
        and s.place is not distinct from r.old_place
      returning s.petition_id, s.state, s.created_at, s.source, r.old_place, r.new_place
    ),
    cell as (
      select petition_id, date_trunc('hour', created_at, 'UTC') as hour, change.place, source,
        sum(change.count)::integer as count
      from moved cross join lateral (values (old_place, -1), (new_place, 1)) as change (place, count)
      -- Others are in no sums.
      where state = 'counted'
      group by 1, 2, 3, 4
      having sum(change.count) <> 0
    ),
    event as (
      ${insertEvents(
        tx,
        tx`select 'signature.restored', petition_id, 'system', null::uuid,
          jsonb_build_object('count', 0, 'parts', jsonb_agg(jsonb_build_object('hour', hour,
            'place', place, 'source', source, 'count', count)))
        from cell group by petition_id`,
      )}
    )
    select count(*)::integer from moved`;
}
