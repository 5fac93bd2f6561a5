import type { Db } from '../../platform/db.ts';
import type { ExportedSignature } from './schema.ts';

export interface SignatureRange {
  /** Bounds of ids, both exclusive. */
  afterId: string;
  beforeId: string;
  /** Bounds of times; `until` is exclusive. */
  from: Date | null;
  until: Date | null;
}

interface SignatureRow extends Omit<ExportedSignature, 'user'> {
  display_name: string | null;
  slug: string | null;
}

/**
 * Returns counted and invalid signatures of a petition in the order of their ids, by primary keys only.
 *
 * Times are text and signers flat columns: 3.4 µs per row in this process, against 5.7 µs with dates and
 * objects from the driver, and three quarters of the garbage.
 */
export async function listSignatures(
  db: Db,
  petitionId: string,
  { afterId, beforeId, from, until }: SignatureRange,
  limit: number,
): Promise<ExportedSignature[]> {
  const rows = await db<SignatureRow[]>`
    select s.id,
      to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
      s.state,
      case when u.id is not null then coalesce(s.signer_name, u.display_name) end as display_name,
      u.slug, case when q.user_id is null then s.comment end as comment, s.display_location, s.is_anonymous
    from (
      select id, created_at, state, user_id, signer_name, comment, display_location, is_anonymous
      from signatures
      where petition_id = ${petitionId} and id > ${afterId} and id < ${beforeId}
        and state <> 'held'
        ${from ? db`and created_at >= ${from}` : db``}
        ${until ? db`and created_at < ${until}` : db``}
      order by id
      limit ${limit}) s
    -- Without name and comment of quarantined accounts, as in the list.
    left join quarantined_accounts q on q.user_id = s.user_id
    left join users u on u.id = s.user_id and not s.is_anonymous and q.user_id is null
    order by s.id`;
  const signatures = rows.map(({ display_name, slug, ...row }) => ({
    ...row,
    user: display_name === null || slug === null ? null : { display_name, slug },
  }));
  // Finished queries reference each other, with their results, until a full garbage collection: thousands
  // of them kept 400 bytes a row.
  rows.length = 0;
  return signatures;
}
