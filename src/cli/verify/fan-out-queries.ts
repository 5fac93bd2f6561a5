import type { Db } from '../../platform/db.ts';
import { wantsInApp } from '../../reach/notifications/notify-queries.ts';
import type { KeyRange, SignatureKey } from './keys.ts';
import type { SignersEvent } from './log-queries.ts';
import { inRange } from './signature-queries.ts';
import { writerTransaction } from './snapshot.ts';

export interface NoticeState {
  /** Null if the event has no notice. */
  notice_id: string | null;
  /** The fan-out is not finished. */
  in_progress: boolean;
  /** The petition or update was deleted, so signers need no notification. */
  is_obsolete: boolean;
  creator_id: string | null;
}

/** Reads the state of the notice of an event. */
export async function noticeOf(
  db: Db,
  { id, transaction, position }: SignersEvent,
): Promise<NoticeState | undefined> {
  return db.first<NoticeState>`
    select n.id as notice_id, p.creator_id,
      exists (select from notification_fan_outs f where f.notice_id = n.id) as in_progress,
      p.id is null or p.deleted_at is not null or (e.type = 'update.created' and not exists (
        select from updates u where u.id = (e.data ->> 'update_id')::uuid)) as is_obsolete
    from events e
    left join notices n on n.event_id = e.id
    left join petitions p on p.id = e.petition_id
    where e.transaction = ${transaction}::xid8 and e.position = ${position}::bigint and e.id = ${id}`;
}

export interface Missed {
  looked_at: number;
  missed: number;
  examples: string[] | null;
}

/**
 * Counts signers in the range who lack the notification of an event whose fan-out is finished. Checks only signers
 * whose signature and account have not changed since the event: for others, the database does not store whether they
 * had signed by then, and which notifications they wanted.
 */
export async function countMissedSigners(
  db: Db,
  range: KeyRange<SignatureKey>,
  event: SignersEvent,
  notice: { id: string; exceptIds: string[] },
): Promise<Missed> {
  const number = db`${event.transaction}::text::bigint`;
  return db.one<Missed>`
    with signer as materialized (
      select s.id, exists (
        select from notifications t where t.user_id = s.user_id and t.notice_id = n.id) as is_notified
      from signatures s
      join notices n on n.id = ${notice.id}
      join users u on u.id = s.user_id
      where ${inRange(db, range)} and s.state = 'counted' and s.created_at <= ${event.created_at}
        and s.user_id <> all(${notice.exceptIds}::uuid[])
        and u.suspended_at is null and ${wantsInApp(db)}
        and ${writerTransaction(db, db`s.xmin`)} < ${number} and ${writerTransaction(db, db`u.xmin`)} < ${number}
        and not exists (select from notification_fan_outs f where f.notice_id = n.id)
    )
    select count(*)::integer as looked_at, count(*) filter (where not is_notified)::integer as missed,
      (array_agg(id) filter (where not is_notified))[1:5]::text[] as examples
    from signer`;
}
