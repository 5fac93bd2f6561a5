import type { NotificationType } from '../../identity/accounts/schema.ts';
import type { Tx } from '../../platform/db.ts';
import type { CommentContext, PetitionContext } from './rules.ts';
import type { NoticeData } from './schema.ts';

const byId = <Row extends { id: string }>(rows: Row[]) => new Map(rows.map((row) => [row.id, row]));

/** Returns the petitions that are not deleted. */
export async function findPetitions(tx: Tx, ids: string[]): Promise<Map<string, PetitionContext>> {
  return byId(
    await tx<PetitionContext[]>`
      select id, slug, title, creator_id from petitions
      where id = any(${ids}::uuid[]) and deleted_at is null`,
  );
}

/** Returns the signers' user ids by signature id, without withdrawn signatures. */
export async function findSigners(
  tx: Tx,
  petitionIds: string[],
  ids: string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx<{ id: string; user_id: string }[]>`
    select id, user_id from signatures
    where petition_id = any(${petitionIds}::uuid[]) and id = any(${ids}::uuid[])
      and user_id is not null`;
  return new Map(rows.map(({ id, user_id }) => [id, user_id]));
}

/** Returns the comments that are neither deleted nor hidden. */
export async function findComments(
  tx: Tx,
  ids: string[],
): Promise<Map<string, CommentContext & { id: string }>> {
  if (ids.length === 0) return new Map();
  return byId(
    await tx<(CommentContext & { id: string })[]>`
      select c.id, c.user_id, c.parent_id, parent.user_id as parent_user_id
      from comments c left join comments parent on parent.id = c.parent_id
      where c.id = any(${ids}::uuid[]) and c.deleted_at is null and not c.is_hidden`,
  );
}

export async function findUpdates(
  tx: Tx,
  ids: string[],
): Promise<Map<string, { id: string; title: string }>> {
  if (ids.length === 0) return new Map();
  return byId(
    await tx<{ id: string; title: string }[]>`
      select id, title from updates where id = any(${ids}::uuid[])`,
  );
}

export async function findOrganizations(
  tx: Tx,
  ids: string[],
): Promise<Map<string, { id: string; name: string; slug: string }>> {
  if (ids.length === 0) return new Map();
  return byId(
    await tx<{ id: string; name: string; slug: string }[]>`
      select id, name, slug from organizations where id = any(${ids}::uuid[])`,
  );
}

export interface NewNotice {
  id: string;
  eventId: string;
  type: NotificationType;
  groupId?: string;
  forUserId?: string;
  petitionId: string | null;
  about: string;
  detail?: string;
  data: NoticeData;
  createdAt: Date;
}

export async function insertNotices(tx: Tx, notices: NewNotice[]): Promise<void> {
  const rows = notices.map(({ id, eventId, type, petitionId, createdAt, ...rest }) => ({
    id,
    event_id: eventId,
    type,
    group_id: rest.groupId ?? null,
    for_user_id: rest.forUserId ?? null,
    petition_id: petitionId,
    about: rest.about,
    detail: rest.detail ?? null,
    data: rest.data,
    created_at: createdAt,
  }));
  await tx`insert into notices ${tx(rows)}`;
}

export interface NewFanOut {
  noticeId: string;
  petitionId: string;
  exceptIds: string[];
}

/** Starts fan-outs to the signers of petitions whose rows still exist. */
export async function insertFanOuts(tx: Tx, fanOuts: NewFanOut[]): Promise<void> {
  for (const { noticeId, petitionId, exceptIds } of fanOuts) {
    await tx`
      insert into notification_fan_outs (notice_id, petition_id, except_ids)
      select ${noticeId}, id, ${exceptIds}::uuid[] from petitions where id = ${petitionId}`;
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
