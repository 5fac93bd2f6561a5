import type { Tx } from '../../platform/db.ts';

export interface FanOut {
  noticeId: string;
  petitionId: string;
  exceptIds: string[];
  afterId: string;
  /** What it is about was removed meanwhile. */
  pointless: boolean;
}

/**
 * The fan-out that waited longest of those that no other process is at, if there is one. While its
 * petition is under review it waits.
 */
export async function takeFanOut(tx: Tx): Promise<FanOut | undefined> {
  const [row] = await tx<FanOut[]>`
    select f.notice_id as "noticeId", f.petition_id as "petitionId", f.except_ids as "exceptIds",
      f.after_id as "afterId",
      p.deleted_at is not null or (n.type = 'petition_update' and not exists (
        select from updates where id = (n.data ->> 'update_id')::uuid)) as pointless
    from notification_fan_outs f
    join petitions p on p.id = f.petition_id
    join notices n on n.id = f.notice_id
    where p.deleted_at is not null or p.status in ('active', 'closed', 'victory')
    order by f.stepped_at
    limit 1
    for update of f skip locked`;
  return row;
}

/**
 * Lets the transaction commit before it is on disk: a flush for each step was one in ten of the server's,
 * and without them 10 to 20 % more people are told in the same time (docs/benchmarks.md). Should
 * PostgreSQL itself go down within that moment, what was told is lost together with the place of the
 * fan-out, so that it is told anew, once. No mail is sent that could be told of again: who takes it
 * commits durably, and with that all that was committed before.
 */
export async function commitWithoutWaiting(tx: Tx): Promise<void> {
  await tx`set local synchronous_commit = off`;
}

/** The id of the last signature of a full stretch; undefined where fewer are left. */
export async function endOfRange(
  tx: Tx,
  { petitionId, afterId }: FanOut,
  size: number,
): Promise<string | undefined> {
  const [row] = await tx`
    select id from signatures where petition_id = ${petitionId} and id > ${afterId}
    order by id
    offset ${size - 1} limit 1`;
  return row?.id;
}

export async function advanceFanOut(tx: Tx, noticeId: string, afterId: string): Promise<void> {
  await tx`
    update notification_fan_outs set after_id = ${afterId}, stepped_at = clock_timestamp()
    where notice_id = ${noticeId}`;
}

/** The notice is kept from then on, as what it told is: the fan-out may have waited for long. */
export async function endFanOut(tx: Tx, noticeId: string): Promise<void> {
  await tx`delete from notification_fan_outs where notice_id = ${noticeId}`;
  await tx`update notices set created_at = now() where id = ${noticeId}`;
}
