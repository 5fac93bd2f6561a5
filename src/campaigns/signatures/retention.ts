import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { addJob } from '../../platform/jobs.ts';

/** For so long after a petition was closed or deleted, doubts about its signatures may come up. */
const keptDays = 90;
const batchSize = 2_000;

/**
 * Clears what is kept of where signatures were given, and with what, of one petition that has been over
 * for long, and comes again while there are more of them. The country stays.
 */
export async function forgetOldOrigins(ctx: Context): Promise<void> {
  const before = new Date(ctx.now().getTime() - keptDays * 86_400_000);
  const petitionId = await findPetitionWithOrigins(ctx.db, before);
  if (!petitionId) return;
  let last: string | undefined;
  do {
    last = await forgetOrigins(ctx.db, petitionId, last);
  } while (last);
  await ctx.db`update petitions set origins_forgotten = true where id = ${petitionId}`;
  await addJob(ctx.db, 'forget-origins', {}, { key: 'forget-origins' });
}

async function findPetitionWithOrigins(db: Db, endedBefore: Date): Promise<string | undefined> {
  const [row] = await db`
    select id from petitions
    where not origins_forgotten and (closed_at is not null or deleted_at is not null)
      and least(closed_at, deleted_at) < ${endedBefore}
    order by least(closed_at, deleted_at)
    limit 1`;
  return row?.id;
}

/** One batch, in the order of the primary key. Gives the last signature that was looked at, if any. */
async function forgetOrigins(
  db: Db,
  petitionId: string,
  after: string | undefined,
): Promise<string | undefined> {
  const [row] = await db`
    with batch as materialized (
      select id from signatures
      where petition_id = ${petitionId} ${after ? db`and id > ${after}` : db``}
      order by id
      limit ${batchSize}
    ),
    forgotten as (
      update signatures s set origin = null, device = null
      where s.petition_id = ${petitionId} and s.id in (select id from batch)
        and (s.origin is not null or s.device is not null)
    )
    select id from batch order by id desc limit 1`;
  return row?.id;
}
