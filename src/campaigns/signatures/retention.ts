import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { addJob } from '../../platform/jobs.ts';
import { retentionMs } from '../../platform/retention.ts';
import { deleteWithdrawalsBefore } from './withdrawal-queries.ts';

const batchSize = 2_000;

/**
 * Erases the mailboxes, origins and devices of the signatures of one old petition, and adds a job for the next one. The
 * country stays.
 */
export async function forgetOldOrigins(ctx: Context): Promise<void> {
  const endedBefore = new Date(ctx.now().getTime() - retentionMs('signature_origins'));
  const petitionId = await findPetitionWithOrigins(ctx.db, endedBefore);
  if (!petitionId) return;
  let lastId: string | undefined;
  do {
    lastId = await forgetOrigins(ctx.db, petitionId, lastId);
  } while (lastId);
  await ctx.db`delete from withdrawn_signatures where petition_id = ${petitionId}`;
  await ctx.db`update petitions set origins_forgotten = true where id = ${petitionId}`;
  await addJob(ctx.db, 'forget-origins', {}, { key: 'forget-origins' });
}

/** Forgets who withdrew a signature long ago. */
export const forgetOldWithdrawals = (ctx: Context): Promise<void> =>
  deleteWithdrawalsBefore(
    ctx.db,
    new Date(ctx.now().getTime() - retentionMs('signature_withdrawals')),
  );

async function findPetitionWithOrigins(db: Db, endedBefore: Date): Promise<string | undefined> {
  return db.value<string | undefined>`
    select id from petitions
    where not origins_forgotten and (closed_at is not null or deleted_at is not null)
      and least(closed_at, deleted_at) < ${endedBefore}
    order by least(closed_at, deleted_at)
    limit 1`;
}

/** Processes one batch in the order of the primary key. Returns the last id of the batch, if any. */
async function forgetOrigins(
  db: Db,
  petitionId: string,
  afterId: string | undefined,
): Promise<string | undefined> {
  return db.value<string | undefined>`
    with batch as materialized (
      select id from signatures
      where petition_id = ${petitionId} ${afterId ? db`and id > ${afterId}` : db``}
      order by id
      limit ${batchSize}
    ),
    forgotten as (
      update signatures s set origin = null, device = null, autonomous_system = null,
        mailbox = null, mail_domain = null, is_disposable = null
      where s.petition_id = ${petitionId} and s.id in (select id from batch)
        and num_nonnulls(origin, device, autonomous_system, mailbox, mail_domain, is_disposable) > 0
    )
    select id from batch order by id desc limit 1`;
}
