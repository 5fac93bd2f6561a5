import type { Db } from '../../platform/db.ts';
import { mailAttempts } from '../../platform/mail-queue.ts';

/** Adds a job even for an unknown address, so that timing does not reveal accounts. */
export async function addResetJob(db: Db, email: string): Promise<void> {
  await db`
    select 1 from graphile_worker.add_job('send-reset-mail', max_attempts => ${mailAttempts},
      payload => json_build_object('user_id',
        (select id from users where lower(email) = lower(${email}))))`;
}
