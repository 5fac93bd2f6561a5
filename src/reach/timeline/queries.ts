import type { Db } from '../../platform/db.ts';
import type { positions } from '../../campaigns/decision-makers/schema.ts';
import type { TimelineType } from './schema.ts';

export interface TimelineRow {
  type: TimelineType;
  at: Date;
  /** Unique among those of the type. */
  key: string;
  count: number | null;
  /** Of an update. */
  heading: string | null;
  name: string | null;
  office: string | null;
  position: (typeof positions)[number] | null;
}

/** The place of an entry in the list. */
export interface TimelinePlace {
  at: string;
  type: string;
  key: string;
}

/**
 * Returns what happened to a petition before a place of the list, newest first. Reads all of it each time: a petition has a
 * few milestones, and what its creator and decision makers did, by indexes of the petition.
 */
export async function findEntries(
  db: Db,
  petitionId: string,
  before: TimelinePlace | null,
  limit: number,
): Promise<TimelineRow[]> {
  return db<TimelineRow[]>`
    with entries (type, at, key, count, heading, name, office, position) as (
      select 'published', published_at, '', null::integer, null, null, null, null
      from petitions where id = ${petitionId} and published_at is not null
      union all
      select status, closed_at, '', null, null, null, null, null
      from petitions where id = ${petitionId} and status in ('closed', 'victory') and closed_at is not null
      union all
      select 'milestone', reached_at, threshold::text, threshold, null, null, null, null
      from milestones where petition_id = ${petitionId}
      union all
      select 'text_changed', v.created_at, v.version::text, v.signatures_before, null, null, null, null
      from petition_versions v join petitions p on p.id = v.petition_id
      where v.petition_id = ${petitionId} and v.version > 1 and v.created_at > p.published_at
      union all
      select 'update', created_at, id::text, null, title, null, null, null
      from updates where petition_id = ${petitionId}
      union all
      select 'delivered', l.sent_at, l.id::text, null, null, m.name, m.title, null
      from decision_makers m join decision_maker_links l on l.decision_maker_id = m.id
      where m.petition_id = ${petitionId} and l.sent_at is not null
      union all
      select 'answered', r.published_at, r.id::text, null, null, m.name, m.title, r.status
      from decision_maker_responses r join decision_makers m on m.id = r.maker_id
      where r.petition_id = ${petitionId} and r.published_at is not null
    )
    select type, at, key, count, heading, name, office, position from entries
    ${before ? db`where (at, type, key) < (${before.at}::timestamptz, ${before.type}, ${before.key})` : db``}
    order by at desc, type desc, key desc
    limit ${limit}`;
}
