import type { Db } from '../../platform/db.ts';

/** One statement whether the address is known or not, so that time does not tell. */
export async function addResetJob(db: Db, email: string): Promise<void> {
  await db`
    select graphile_worker.add_job('send-reset-mail',
      payload => json_build_object('user_id', id), max_attempts => 12)
    from users where lower(email) = lower(${email})`;
}
