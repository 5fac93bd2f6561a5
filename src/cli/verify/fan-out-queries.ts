import type { Db } from '../../platform/db.ts';
import { wantsInApp } from '../../reach/notifications/notify-queries.ts';
import type { KeyRange, SignatureKey } from './keys.ts';
import type { SignersEvent } from './log-queries.ts';
import { inRange } from './signature-queries.ts';
import { writtenIn } from './snapshot.ts';

export interface NoticeState {
  /** Null where the event was told nobody. */
  notice_id: string | null;
  /** Signers are still being told. */
  under_way: boolean;
  /** What it is about is gone, so that signers need not be told. */
  pointless: boolean;
  creator_id: string | null;
}

/** What became of an event. */
export async function noticeOf(
  db: Db,
  { id, transaction, position }: SignersEvent,
): Promise<NoticeState | undefined> {
  const [row] = await db<NoticeState[]>`
    select n.id as notice_id, p.creator_id,
      exists (select from notification_fan_outs f where f.notice_id = n.id) as under_way,
      p.id is null or p.deleted_at is not null or (e.type = 'update.created' and not exists (
        select from updates u where u.id = (e.data ->> 'update_id')::uuid)) as pointless
    from events e
    left join notices n on n.event_id = e.id
    left join petitions p on p.id = e.petition_id
    where e.transaction = ${transaction}::xid8 and e.position = ${position}::bigint and e.id = ${id}`;
  return row;
}

export interface Missed {
  looked_at: number;
  missed: number;
  examples: string[] | null;
}

/**
 * Signers in the range who must have been told of an event and were not, once that has ended. Looked at are those
 * whose signature and account have not changed since before the event: of others it is not kept whether they had
 * signed by then, and what they wanted to be told.
 */
export async function missedSigners(
  db: Db,
  range: KeyRange<SignatureKey>,
  event: SignersEvent,
  notice: { id: string; exceptIds: string[] },
): Promise<Missed> {
  const number = db`${event.transaction}::text::bigint`;
  const [row] = await db<Missed[]>`
    with signer as materialized (
      select s.id, exists (
        select from notifications t where t.user_id = s.user_id and t.notice_id = n.id) as told
      from signatures s
      join notices n on n.id = ${notice.id}
      join users u on u.id = s.user_id
      where ${inRange(db, range)} and s.invalidated_by is null and s.created_at <= ${event.created_at}
        and s.user_id <> all(${notice.exceptIds}::uuid[])
        and u.suspended_at is null and ${wantsInApp(db)}
        and ${writtenIn(db, db`s.xmin`)} < ${number} and ${writtenIn(db, db`u.xmin`)} < ${number}
        and not exists (select from notification_fan_outs f where f.notice_id = n.id)
    )
    select count(*)::integer as looked_at, count(*) filter (where not told)::integer as missed,
      (array_agg(id) filter (where not told))[1:5]::text[] as examples
    from signer`;
  return row!;
}
