import type { Db } from '../../platform/db.ts';

/** What became of the forms of a petition that are confirmed by mail. */
export interface SigningMailCounts {
  /** Forms that were filled in. */
  asked: number;
  /** Mails that the mail server took. */
  mailed: number;
  /** Signatures that were confirmed. */
  confirmed: number;
}

/** Adds one to a count of a petition. Its row is locked until the transaction ends. */
export async function countSigningMail(
  db: Db,
  petitionId: string,
  what: keyof SigningMailCounts,
): Promise<void> {
  const column = { asked: db`asked`, mailed: db`mailed`, confirmed: db`confirmed` }[what];
  await db`
    insert into signing_mail_counts as c (petition_id, ${column})
    select id, 1 from petitions where id = ${petitionId}
    on conflict (petition_id) do update set ${column} = c.${column} + 1`;
}

export async function readSigningMailCounts(
  db: Db,
  petitionId: string,
): Promise<SigningMailCounts> {
  const counts = await db.first<SigningMailCounts>`
    select asked, mailed, confirmed from signing_mail_counts where petition_id = ${petitionId}`;
  return counts ?? { asked: 0, mailed: 0, confirmed: 0 };
}
