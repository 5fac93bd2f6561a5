import type { Db, Tx } from '../../platform/db.ts';
import type { Channel, OwnShare, TopSharer } from './schema.ts';

interface ShareKey {
  petitionId: string;
  /** Null for everybody without an account. */
  userId: string | null;
  channel: Channel;
}

/** Returns the link of a user, or the common one, for a channel, and whether it was shared on that day. */
export async function findShare(
  db: Db,
  { petitionId, userId, channel }: ShareKey,
  day: string,
): Promise<{ ref: string; shared: boolean } | undefined> {
  return db.first<{ ref: string; shared: boolean }>`
    select ref, last_shared_on >= ${day}::date as shared from shares
    where petition_id = ${petitionId} and channel = ${channel}
      and ${userId === null ? db`user_id is null` : db`user_id = ${userId}`}`;
}

interface NewShare extends ShareKey {
  id: string;
  ref: string;
  at: Date;
  /** Day in UTC, YYYY-MM-DD. */
  day: string;
}

/**
 * Counts a share, and stores its link if it is the first. Returns the link's ref, or undefined if the user's
 * share of the day was counted before or the petition is no longer published.
 *
 * Locks the petition first, as its erasure does, and the day's sum last, since all sharers of the petition
 * wait for it. Locks the user before the link, so that a concurrent suspension sees the share or is seen.
 */
export async function countShare(
  db: Db,
  { id, petitionId, userId, channel, ref, at, day }: NewShare,
): Promise<string | undefined> {
  return db.value<string | undefined>`
    with petition as materialized (
      select id from petitions
      where id = ${petitionId} and deleted_at is null and status in ('active', 'closed', 'victory')
      for key share
    ),
    account as materialized (
      select u.id, u.suspended_at from petition join users u on u.id = ${userId}::uuid
      for share of u
    ),
    share as (
      insert into shares (id, petition_id, user_id, channel, ref, last_shared_on)
      select ${id}, p.id, ${userId}::uuid, ${channel}, ${ref}, ${day}::date
      from petition p left join account on true
      on conflict on constraint shares_once do update set
        share_count = shares.share_count + 1,
        last_shared_on = greatest(shares.last_shared_on, excluded.last_shared_on)
      where shares.user_id is null or shares.last_shared_on < excluded.last_shared_on
      returning petition_id, user_id, ref
    ),
    sharer as (
      insert into sharers (petition_id, user_id, share_count, since, hidden)
      select s.petition_id, a.id, 1, ${at}, a.suspended_at is not null
      from share s join account a on a.id = s.user_id
      on conflict (user_id, petition_id) do update set
        share_count = sharers.share_count + 1, since = excluded.since
    ),
    counted as (
      insert into share_days (petition_id, day, by_users, by_others)
      select petition_id, ${day}::date, (user_id is not null)::integer, (user_id is null)::integer
      from share
      on conflict (petition_id, day) do update set
        by_users = share_days.by_users + excluded.by_users,
        by_others = share_days.by_others + excluded.by_others
    )
    select ref from share`;
}

/** The share that a ref belongs to. */
export interface ShareRow {
  id: string;
  petition_id: string;
  user_id: string | null;
}

export async function findShareByRef(db: Db, ref: string): Promise<ShareRow | undefined> {
  return db.first<ShareRow>`
    select id, petition_id, user_id from shares where ref = ${ref}`;
}

/** Returns a user's links to one petition, at most one per channel. */
export async function findSharesOfUser(
  db: Db,
  userId: string,
  petitionId: string,
): Promise<Omit<OwnShare, 'share_url'>[]> {
  return db<Omit<OwnShare, 'share_url'>[]>`
    select channel, ref, share_count, visits, signatures from shares
    where petition_id = ${petitionId} and user_id = ${userId}
    order by id`;
}

/** Returns the number of shares of a petition, from day `from` to day `to`, both included. */
export async function countShares(
  db: Db,
  petitionId: string,
  { from, to }: { from?: string; to?: string },
): Promise<{ byUsers: number; byOthers: number }> {
  return db.one<{ byUsers: number; byOthers: number }>`
    select coalesce(sum(by_users), 0)::integer as "byUsers",
      coalesce(sum(by_others), 0)::integer as "byOthers"
    from share_days
    where petition_id = ${petitionId}
      ${from === undefined ? db`` : db`and day >= ${from}::date`}
      ${to === undefined ? db`` : db`and day <= ${to}::date`}`;
}

export async function findTopSharers(
  db: Db,
  petitionId: string,
  limit: number,
): Promise<TopSharer[]> {
  return db<TopSharer[]>`
    select u.id as "userId", u.display_name as "displayName", u.slug, u.avatar_url as "avatarUrl",
      s.share_count as "shareCount"
    from sharers s join users u on u.id = s.user_id
    where s.petition_id = ${petitionId} and not s.hidden
    order by s.share_count desc, s.since, s.user_id
    limit ${limit}`;
}

/** Returns how often a user has shared a petition. */
export async function findShareCount(db: Db, userId: string, petitionId: string): Promise<number> {
  const row = await db.first`
    select share_count from sharers where user_id = ${userId} and petition_id = ${petitionId}`;
  return row?.share_count ?? 0;
}

/** Returns how many users have shared a petition more often. */
export async function countUsersAhead(
  db: Db,
  petitionId: string,
  shareCount: number,
): Promise<number> {
  return db.value<number>`
    select coalesce(sum(sharers), 0)::integer as n from sharer_levels
    where petition_id = ${petitionId} and share_count > ${shareCount}`;
}

/** Returns all links of a user, with their petitions. */
export async function exportShares(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select s.petition_id, p.title as petition_title, s.channel, s.ref, s.share_count,
      s.last_shared_on::text, s.visits, s.signatures, s.created_at
    from shares s join petitions p on p.id = s.petition_id
    where s.user_id = ${userId}
    order by s.id`;
}

/** Deletes the links of a user, and removes the user from leaderboards. The sums of days stay. */
export async function eraseSharer(tx: Tx, userId: string): Promise<void> {
  // Locks the user first, as `countShare` does.
  await tx`select from users where id = ${userId} for no key update`;
  await tx`select from shares where user_id = ${userId} order by id for update`;
  await tx`delete from shares where user_id = ${userId}`;
  await tx`select hide_sharer(${userId}, true)`;
  await tx`delete from sharers where user_id = ${userId}`;
}

/** Shares of a petition by channel, the most used first. */
export async function countByChannel(
  db: Db,
  petitionId: string,
): Promise<{ channel: Channel; shares: number }[]> {
  return db<{ channel: Channel; shares: number }[]>`
    select channel, sum(share_count)::integer as shares from shares
    where petition_id = ${petitionId}
    group by channel order by shares desc, channel`;
}
