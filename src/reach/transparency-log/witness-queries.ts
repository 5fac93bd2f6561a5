import type { Db, Tx } from '../../platform/db.ts';

/** A checkpoint that witnesses are asked to cosign. */
export interface OfferedCheckpoint {
  size: number;
  /** The signed note, without cosignatures. */
  checkpoint: string;
}

/**
 * Has witnesses asked to cosign the published checkpoint, unless they were asked for another one within the interval.
 * Returns whether it is a new one.
 */
export const offerPublished = (db: Db, intervalMs: number): Promise<boolean> =>
  db.changed`
    insert into transparency_offered_checkpoints (size, checkpoint)
    select published_size, published_checkpoint from transparency_log
    where published_checkpoint is not null and not exists (
      select from transparency_offered_checkpoints
      where size >= published_size or offered_at > clock_timestamp() - ${intervalMs} * interval '1 ms')
    on conflict do nothing`;

/** Returns the newest offered checkpoint, unless all of these keys have cosigned it. */
export async function findDueCheckpoint(
  db: Db,
  keys: readonly string[],
): Promise<OfferedCheckpoint | undefined> {
  const row = await db.first<{ size: string; checkpoint: string }>`
    select o.size, o.checkpoint
    from (select size, checkpoint from transparency_offered_checkpoints order by size desc limit 1) o
    where (select count(*) from transparency_cosignatures c
      where c.size = o.size and c.verifier_key = any(${[...keys]}::text[])) < ${keys.length}`;
  return row && { size: Number(row.size), checkpoint: row.checkpoint };
}

/** What is known of a witness. */
export interface WitnessState {
  knownSize: number;
  failures: number;
  /** Why the last offer failed. */
  failure: string | null;
}

/** Keeps other processes from offering anything to a witness for so long. Returns undefined if it is not due. */
export async function claimWitness(
  db: Db,
  url: string,
  leaseMs: number,
): Promise<WitnessState | undefined> {
  const row = await db.first<{ known_size: string; failures: number; failure: string | null }>`
    insert into transparency_witnesses as w (url, next_offer_at, behind_since)
    values (${url}, clock_timestamp() + ${leaseMs} * interval '1 ms', clock_timestamp())
    on conflict (url) do update set
      next_offer_at = excluded.next_offer_at,
      behind_since = coalesce(w.behind_since, excluded.behind_since)
    where w.next_offer_at <= clock_timestamp()
    returning known_size, failures, failure`;
  return row && { knownSize: Number(row.known_size), failures: row.failures, failure: row.failure };
}

/** Lets any process offer again. */
export async function releaseWitness(db: Db, url: string): Promise<void> {
  await db`update transparency_witnesses set next_offer_at = clock_timestamp() where url = ${url}`;
}

/** Stores that a witness has cosigned what it was offered last, and lets any process offer again. */
export async function storeSuccess(db: Db, url: string, size: number): Promise<void> {
  await db`
    update transparency_witnesses
    set known_size = ${size}, next_offer_at = clock_timestamp(), behind_since = null, failures = 0, failure = null
    where url = ${url}`;
}

interface Failure {
  because: string;
  /** Where known: the size that the witness has cosigned. */
  knownSize: number | undefined;
  retryAfterMs: number;
}

export async function storeFailure(
  db: Db,
  url: string,
  { because, knownSize, retryAfterMs }: Failure,
): Promise<void> {
  await db`
    update transparency_witnesses
    set known_size = coalesce(${knownSize ?? null}::bigint, known_size),
      next_offer_at = clock_timestamp() + ${retryAfterMs} * interval '1 ms',
      failures = failures + 1, failure = ${because}, failed_at = clock_timestamp()
    where url = ${url}`;
}

/** A cosignature of a checkpoint. */
export interface Cosignature {
  verifierKey: string;
  /** The signature line, with its line feed. */
  line: string;
  cosignedAt: Date;
}

export async function storeCosignatures(
  tx: Tx,
  size: number,
  cosignatures: readonly Cosignature[],
): Promise<void> {
  for (const { verifierKey, line, cosignedAt } of cosignatures) {
    await tx`
      insert into transparency_cosignatures (verifier_key, size, line, cosigned_at)
      values (${verifierKey}, ${size}, ${line}, ${cosignedAt})
      on conflict (verifier_key, size) do nothing`;
  }
}

/** The newest checkpoints that are kept: slow witnesses can still cosign one of them. */
const keptCheckpoints = 20;

/**
 * Deletes checkpoints that no receipt is made for: a newer one has at least as many cosignatures of these keys. Of each key
 * the newest cosignature stays.
 */
export async function deleteReplacedCheckpoints(tx: Tx, keys: readonly string[]): Promise<void> {
  await tx`
    with counts as (
      select o.size, count(c.size) as cosignatures
      from transparency_offered_checkpoints o
      left join transparency_cosignatures c on c.size = o.size and c.verifier_key = any(${[...keys]}::text[])
      group by o.size),
    ranked as (
      select size, cosignatures, row_number() over (order by size desc) as number,
        max(cosignatures) over (order by size desc rows between unbounded preceding and 1 preceding) as most
      from counts)
    delete from transparency_offered_checkpoints
    where size in (select size from ranked where number > ${keptCheckpoints} and cosignatures <= most)`;
  await tx`
    delete from transparency_cosignatures c
    where not exists (select from transparency_offered_checkpoints o where o.size = c.size)
      and exists (
        select from transparency_cosignatures n
        where n.verifier_key = c.verifier_key and n.size > c.size)`;
}

/** Returns the signature lines of these keys under the checkpoint of that size, in the order of the keys. */
export const readCosignatureLines = (
  db: Db,
  keys: readonly string[],
  size: number,
): Promise<string[]> =>
  db.column<string>`
    select line from transparency_cosignatures
    where verifier_key = any(${[...keys]}::text[]) and size = ${size}
    order by array_position(${[...keys]}::text[], verifier_key)`;

interface CosignedRange {
  /** The index of the leaf that it has. */
  leaf: number;
  /** The size that is published. */
  published: number;
  /** The age in milliseconds up to which an earlier one is taken. */
  maxAgeMs: number;
}

/**
 * Returns the checkpoint with the most cosignatures of these keys that has the leaf, the newest of several. Undefined if
 * none has any.
 */
export async function findMostCosigned(
  db: Db,
  keys: readonly string[],
  { leaf, published, maxAgeMs }: CosignedRange,
): Promise<OfferedCheckpoint | undefined> {
  const row = await db.first<{ size: string; checkpoint: string }>`
    select o.size, o.checkpoint
    from transparency_offered_checkpoints o
    join transparency_cosignatures c on c.size = o.size and c.verifier_key = any(${[...keys]}::text[])
    where o.size > ${leaf} and o.size <= ${published}
      and (o.size = ${published} or o.offered_at > clock_timestamp() - ${maxAgeMs} * interval '1 ms')
    group by o.size
    order by count(*) desc, o.size desc
    limit 1`;
  return row && { size: Number(row.size), checkpoint: row.checkpoint };
}

/** The newest cosignature of a key. */
export interface NewestCosignature {
  verifierKey: string;
  size: number;
  cosignedAt: Date;
}

export async function readNewestCosignatures(
  db: Db,
  keys: readonly string[],
): Promise<NewestCosignature[]> {
  const rows = await db<{ verifier_key: string; size: string; cosigned_at: Date }[]>`
    select distinct on (verifier_key) verifier_key, size, cosigned_at
    from transparency_cosignatures
    where verifier_key = any(${[...keys]}::text[])
    order by verifier_key, size desc`;
  return rows.map(({ verifier_key: verifierKey, size, cosigned_at: cosignedAt }) => ({
    verifierKey,
    size: Number(size),
    cosignedAt,
  }));
}

/** Returns for each witness how long there has been a checkpoint that it has not cosigned, in seconds. */
export const readLags = (
  db: Db,
  urls: readonly string[],
): Promise<{ url: string; seconds: number }[]> =>
  db<{ url: string; seconds: number }[]>`
    select u.url,
      coalesce(extract(epoch from clock_timestamp() - w.behind_since), 0)::float8 as seconds
    from unnest(${[...urls]}::text[]) as u (url)
    left join transparency_witnesses w on w.url = u.url`;
