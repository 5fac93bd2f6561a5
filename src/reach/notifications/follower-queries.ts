import type { Query, Tx } from '../../platform/db.ts';
import type { FanOut } from './fan-out-queries.ts';
import type {
  CommentContext,
  OrganizationContext,
  PetitionContext,
  UpdateContext,
} from './rules.ts';
import type { Notice } from './schema.ts';

/** Returns the rows that the statement finds by the ids. Without ids it does not run. */
async function byId<Row extends { id: string }>(
  ids: string[],
  statement: Query<Row[]>,
): Promise<Map<string, Row>> {
  const rows = ids.length > 0 ? await statement : [];
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the petitions that are not deleted, and who organizes them. */
export const findPetitions = (tx: Tx, ids: string[]): Promise<Map<string, PetitionContext>> =>
  byId(
    ids,
    tx<PetitionContext[]>`
      select id, slug, title, creator_id,
        array(
          select user_id from petition_organizers o
          where o.petition_id = p.id and o.user_id is not null order by o.id
        ) as organizer_ids
      from petitions p
      where id = any(${ids}::uuid[]) and deleted_at is null`,
  );

/** Returns the signatures that are not withdrawn, with their signers. */
export const findSignatures = (
  tx: Tx,
  petitionIds: string[],
  ids: string[],
): Promise<Map<string, { id: string; user_id: string }>> =>
  byId(
    ids,
    tx<{ id: string; user_id: string }[]>`
      select id, user_id from signatures
      where petition_id = any(${petitionIds}::uuid[]) and id = any(${ids}::uuid[])
        and user_id is not null`,
  );

/** Returns the comments that are neither deleted nor hidden. */
export const findComments = (tx: Tx, ids: string[]): Promise<Map<string, CommentContext>> =>
  byId(
    ids,
    tx<CommentContext[]>`
      select c.id, c.user_id, c.parent_id, parent.user_id as parent_user_id
      from comments c left join comments parent on parent.id = c.parent_id
      where c.id = any(${ids}::uuid[]) and c.deleted_at is null and not c.is_hidden`,
  );

export const findUpdates = (tx: Tx, ids: string[]): Promise<Map<string, UpdateContext>> =>
  byId(ids, tx<UpdateContext[]>`select id, title from updates where id = any(${ids}::uuid[])`);

export const findOrganizations = (
  tx: Tx,
  ids: string[],
): Promise<Map<string, OrganizationContext>> =>
  byId(
    ids,
    tx<OrganizationContext[]>`
      select id, name, slug from organizations where id = any(${ids}::uuid[])`,
  );

export const findModerators = (tx: Tx): Promise<string[]> =>
  tx.column<string>`
    select id from users where role in ('moderator', 'admin') and suspended_at is null order by id`;

export interface NewNotice extends Notice {
  id: string;
  event_id: string;
  for_user_id: string | null;
  petition_id: string | null;
  created_at: Date;
}

export async function insertNotices(tx: Tx, notices: NewNotice[]): Promise<void> {
  await tx`insert into notices ${tx(notices)}`;
}

export type NewFanOut = Pick<FanOut, 'noticeId' | 'petitionId' | 'exceptIds' | 'audience'>;

/** Starts fan-outs to the signers or followers of petitions whose rows still exist. */
export async function insertFanOuts(tx: Tx, fanOuts: NewFanOut[]): Promise<void> {
  for (const { noticeId, petitionId, exceptIds, audience } of fanOuts) {
    await tx`
      insert into notification_fan_outs (notice_id, petition_id, except_ids, audience)
      select ${noticeId}, id, ${exceptIds}::uuid[], ${audience} from petitions where id = ${petitionId}`;
  }
}

/** Removes notices for one person that reached neither inbox nor mail: the account may be gone. */
export async function deleteUnsentNotices(tx: Tx, ids: string[]): Promise<void> {
  await tx`
    delete from notices n
    where n.id = any(${ids}) and n.for_user_id is not null
      and not exists (select from notifications t where t.notice_id = n.id)
      and not exists (select from notification_mails m where m.notice_id = n.id)`;
}
