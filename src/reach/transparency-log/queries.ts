import type { Tx } from '../../platform/db.ts';

/** A signature, by its key. */
export interface SignatureKey {
  petitionId: string;
  id: string;
}

/** A signature as it is now, beside its entry in the log. */
export interface ComparedSignature {
  petition_id: string;
  id: string;
  /** Version of the text that was signed; null if the signature is gone. */
  version: number | null;
  counts: boolean;
  /** Whether its signer has an account. */
  has_signer: boolean;
  /** Index of its `sign` entry, and whether an `undo` of that is in force; null without one. */
  leaf: string | null;
  is_undone: boolean | null;
}

/** Compares signatures with the log. Returns one row for each key, in their order. */
export async function compareSignatures(
  tx: Tx,
  keys: readonly SignatureKey[],
): Promise<ComparedSignature[]> {
  if (keys.length === 0) return [];
  return tx<ComparedSignature[]>`
    select k.petition_id, k.id, s.version, coalesce(s.state = 'counted', false) as counts,
      s.user_id is not null as has_signer, l.leaf, l.is_undone
    from unnest(${keys.map(({ petitionId }) => petitionId)}::uuid[], ${keys.map(({ id }) => id)}::uuid[])
      with ordinality as k (petition_id, id, n)
    left join signatures s on s.petition_id = k.petition_id and s.id = k.id
    left join transparency_leaves l on l.signature_id = k.id
    order by k.n`;
}

/** A petition as it is now, beside its sums in the log. */
export interface ComparedPetition {
  id: string;
  log_id: string | null;
  /** Version of the text; null unless it was published. */
  version: number | null;
  imported_signature_count: number;
  logged: LoggedPetition | null;
}

/** The sums of a petition's entries. */
export interface LoggedPetition {
  number: number;
  log_id: string;
  text_version: number;
  counted: number;
  imported: number;
  entries: number;
  total_index: number | null;
  /** As date-times. */
  totalled_at: string | null;
  total_due_at: string | null;
}

/** Compares petitions with the log. Leaves out those that neither has. */
export async function comparePetitions(
  tx: Tx,
  ids: readonly string[],
): Promise<ComparedPetition[]> {
  if (ids.length === 0) return [];
  return tx<ComparedPetition[]>`
    select k.id, coalesce(t.log_id, p.log_id) as log_id,
      case when p.published_at is not null then p.version end as version,
      coalesce(p.imported_signature_count, 0) as imported_signature_count, to_jsonb(t) as logged
    from unnest(${ids}::uuid[]) with ordinality as k (id, n)
    left join petitions p on p.id = k.id
    left join transparency_petitions t on t.petition_id = k.id
    where p.id is not null or t.number is not null
    order by k.n`;
}

/** A version of the text of a petition. */
export interface TextRow {
  petition_id: string;
  version: number;
  title: string | null;
  description: string | null;
  text_hash: Buffer | null;
  language: string | null;
}

/** Returns the texts of petitions after the given versions, by version. */
export async function readTextsAfter(
  tx: Tx,
  petitions: readonly { id: string; textVersion: number }[],
): Promise<TextRow[]> {
  if (petitions.length === 0) return [];
  return tx<TextRow[]>`
    select v.petition_id, v.version, v.title, v.description, v.text_hash, p.language
    from jsonb_to_recordset(${tx.json(petitions)}) as k (id uuid, "textVersion" integer)
    join petition_versions v on v.petition_id = k.id and v.version > k."textVersion"
    join petitions p on p.id = k.id
    order by v.petition_id, v.version`;
}

/** Adds petitions to the log. Returns their numbers. */
export async function addPetitions(
  tx: Tx,
  petitions: readonly { id: string; logId: string }[],
): Promise<{ id: string; number: number }[]> {
  if (petitions.length === 0) return [];
  return tx<{ id: string; number: number }[]>`
    insert into transparency_petitions (petition_id, log_id)
    select id, "logId" from jsonb_to_recordset(${tx.json(petitions)}) as k (id uuid, "logId" uuid)
    returning petition_id as id, number`;
}

/** Stores the sums of petitions. */
export async function storePetitions(tx: Tx, petitions: readonly LoggedPetition[]): Promise<void> {
  if (petitions.length === 0) return;
  await tx`
    update transparency_petitions t set text_version = k.text_version, counted = k.counted,
      imported = k.imported, entries = k.entries, total_index = k.total_index,
      totalled_at = k.totalled_at, total_due_at = k.total_due_at
    from jsonb_to_recordset(${tx.json(petitions)}) as k (number integer, text_version integer, counted bigint,
      imported bigint, entries bigint, total_index bigint, totalled_at timestamptz,
      total_due_at timestamptz)
    where t.number = k.number`;
}

/** Returns petitions whose `total` entry is due. */
export async function readDuePetitions(
  tx: Tx,
  now: Date,
  limit: number,
): Promise<LoggedPetition[]> {
  return tx.column<LoggedPetition>`
    select to_jsonb(t) from transparency_petitions t
    where total_due_at <= ${now} order by total_due_at limit ${limit}`;
}

/** What is stored of the `sign` entry of a signature. */
export interface Leaf {
  signatureId: string;
  /** Number of the petition. */
  petition: number;
  /** Null where nobody may ever open the commitment. */
  random: Buffer | null;
}

/** Stores `sign` entries that follow each other in the log, the first of which has this index. */
export async function storeLeaves(
  tx: Tx,
  firstIndex: number,
  leaves: readonly Leaf[],
): Promise<void> {
  if (leaves.length === 0) return;
  await tx`
    insert into transparency_leaves (signature_id, leaf, petition)
    select signature_id, ${firstIndex}::bigint + n - 1, petition
    from unnest(${leaves.map(({ signatureId }) => signatureId)}::uuid[],
      ${leaves.map(({ petition }) => petition)}::integer[])
      with ordinality as k (signature_id, petition, n)`;
}

/**
 * Stores what opens the commitments of these entries, where somebody may. One value of bytes takes a third of the time of
 * an array, which is sent as text.
 */
export async function storeOpenings(
  tx: Tx,
  firstIndex: number,
  leaves: readonly Leaf[],
): Promise<void> {
  const openable = leaves.flatMap(({ random }, n) => (random ? [{ random, n }] : []));
  if (openable.length === 0) return;
  await tx`
    insert into transparency_openings (leaf, random)
    select ${firstIndex}::bigint + place,
      substring(${Buffer.concat(openable.map(({ random }) => random))}::bytea
        from (32 * (n - 1) + 1)::integer for 32)
    from unnest(${openable.map(({ n }) => n)}::integer[]) with ordinality as k (place, n)`;
}

/** Stores whether an `undo` of each signature's entry is in force. */
export async function storeCorrections(
  tx: Tx,
  corrections: readonly { signatureId: string; isUndone: boolean }[],
): Promise<void> {
  if (corrections.length === 0) return;
  await tx`
    update transparency_leaves l set is_undone = k.is_undone
    from unnest(${corrections.map(({ signatureId }) => signatureId)}::uuid[],
      ${corrections.map(({ isUndone }) => isUndone)}::boolean[]) as k (signature_id, is_undone)
    where l.signature_id = k.signature_id`;
}

/** Deletes what opens the commitments of signatures. */
export async function forgetOpenings(tx: Tx, signatureIds: readonly string[]): Promise<void> {
  if (signatureIds.length === 0) return;
  await tx`
    delete from transparency_openings o using transparency_leaves l
    where l.signature_id = any(${signatureIds}::uuid[]) and o.leaf = l.leaf`;
}

/** Deletes which entries are those of signatures that are gone, with what opens them. */
export async function forgetLeaves(tx: Tx, signatureIds: readonly string[]): Promise<void> {
  if (signatureIds.length === 0) return;
  await tx`
    with forgotten as (
      delete from transparency_leaves where signature_id = any(${signatureIds}::uuid[]) returning leaf
    )
    delete from transparency_openings o using forgotten where o.leaf = forgotten.leaf`;
}

/** Stores the indexes of the entries that a batch added to each petition, ascending. */
export async function storeEntryLists(
  tx: Tx,
  lists: readonly { petition: number; indexes: readonly number[] }[],
): Promise<void> {
  if (lists.length === 0) return;
  await tx`
    insert into transparency_entry_lists (petition, last, indexes)
    select petition, indexes[cardinality(indexes)], indexes
    from jsonb_to_recordset(${tx.json(lists)}) as k (petition integer, indexes bigint[])`;
}

/** Returns the next published petitions after an id. */
export async function listPublishedPetitions(
  tx: Tx,
  after: string | null,
  limit: number,
): Promise<string[]> {
  return tx.column<string>`
    select id from petitions
    where published_at is not null ${after === null ? tx`` : tx`and id > ${after}`}
    order by id limit ${limit}`;
}

/** Returns the next counted signatures after a key, petition by petition, beside their entries. */
export async function listCountedSignatures(
  tx: Tx,
  after: SignatureKey | null,
  limit: number,
): Promise<ComparedSignature[]> {
  return tx<ComparedSignature[]>`
    select s.petition_id, s.id, s.version, true as counts, s.user_id is not null as has_signer, l.leaf,
      l.is_undone
    from (
      select petition_id, id, version, user_id from signatures
      where state = 'counted'
        ${after ? tx`and (petition_id, id) > (${after.petitionId}, ${after.id})` : tx``}
      order by petition_id, id limit ${limit}
    ) s
    left join transparency_leaves l on l.signature_id = s.id
    order by s.petition_id, s.id`;
}

/** Returns the next signatures that have an entry, by id. */
export async function listLeaves(
  tx: Tx,
  after: string | null,
  limit: number,
): Promise<SignatureKey[]> {
  return tx<SignatureKey[]>`
    select t.petition_id as "petitionId", l.signature_id as id
    from transparency_leaves l join transparency_petitions t on t.number = l.petition
    ${after === null ? tx`` : tx`where l.signature_id > ${after}`}
    order by l.signature_id limit ${limit}`;
}
