import type { Db } from '../../platform/db.ts';
import { isAfter } from '../../platform/events.ts';
import { wantsInApp } from '../../reach/notifications/notify-queries.ts';
import type { DatabaseCheck, Finding } from './check.ts';
import type { SignersEvent } from './log.ts';
import { isSignatureIn, rangeOf, signaturePages, type SignatureRange } from './pages.ts';
import { followerPositions, writerTransaction } from './snapshot.ts';

/** Each event for signers has a notice, and its finished fan-out has notified all signers of the petition. */
export const fanOuts: DatabaseCheck = {
  name: 'fan-outs',
  subject: 'signers',

  async *run({ db, petitionId, log }) {
    const followerPosition = (await followerPositions(db)).get('notifications');
    if (!followerPosition) return;
    // Events before the first notice may be older than the follower.
    let hasNotice = false;
    for (const event of log.signersEvents) {
      if (isAfter(event, followerPosition)) return;
      const state = await noticeOf(db, event);
      if (!state) continue;
      hasNotice ||= state.notice_id !== null;
      if (petitionId !== null && event.petition_id !== petitionId) continue;
      if (state.is_obsolete || state.in_progress || !hasNotice) continue;
      if (state.notice_id === null) {
        const wrong = [`event ${event.id} of petition ${event.petition_id} has no notice`];
        yield { checked: 0, wrong };
        continue;
      }
      const exceptIds = [state.creator_id, event.actor_id].filter((id) => id !== null);
      for await (const page of signaturePages(db, rangeOf(event.petition_id))) {
        yield await compareSigners(db, page, event, { id: state.notice_id, exceptIds });
      }
    }
  },
};

interface NoticeState {
  /** Null if the event has no notice. */
  notice_id: string | null;
  /** The fan-out is not finished. */
  in_progress: boolean;
  /** The petition or update was deleted, so signers need no notification. */
  is_obsolete: boolean;
  creator_id: string | null;
}

/** Reads the state of the notice of an event. */
async function noticeOf(
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

/**
 * Finds signers in the range who lack the notification of an event whose fan-out is finished. Checks only signers
 * whose signature and account have not changed since the event: for others, the database does not store whether they
 * had signed by then, and which notifications they wanted.
 */
async function compareSigners(
  db: Db,
  page: SignatureRange,
  event: SignersEvent,
  notice: { id: string; exceptIds: string[] },
): Promise<Finding> {
  const number = db`${event.transaction}::text::bigint`;
  const { missed, examples, checked } = await db.one<{
    checked: number;
    missed: number;
    examples: string[];
  }>`
    with signer as materialized (
      select s.id, exists (
        select from notifications t where t.user_id = s.user_id and t.notice_id = n.id) as is_notified
      from signatures s
      join notices n on n.id = ${notice.id}
      join users u on u.id = s.user_id
      where ${isSignatureIn(db, page)} and s.state = 'counted' and s.created_at <= ${event.created_at}
        and s.user_id <> all(${notice.exceptIds}::uuid[])
        and u.suspended_at is null and ${wantsInApp(db)}
        and ${writerTransaction(db, db`s.xmin`)} < ${number} and ${writerTransaction(db, db`u.xmin`)} < ${number}
        and not exists (select from notification_fan_outs f where f.notice_id = n.id)
    )
    select count(*)::integer as checked, count(*) filter (where not is_notified)::integer as missed,
      coalesce((array_agg(id) filter (where not is_notified))[1:5]::text[], '{}') as examples
    from signer`;
  return {
    checked,
    wrong: examples.map((id) => `signer of signature ${id} was not notified of event ${event.id}`),
    moreWrong: missed - examples.length,
  };
}
