import type { Db } from '../../platform/db.ts';

/** Adds a job whether the address is known or not, so that time does not tell. */
export async function addResetJob(db: Db, email: string): Promise<void> {
  await db`
    select 1 from graphile_worker.add_job('send-reset-mail', max_attempts => 12,
      payload => json_build_object('user_id',
        (select id from users where lower(email) = lower(${email}))))`;
}
