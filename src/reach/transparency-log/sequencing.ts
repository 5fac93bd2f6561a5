import { randomBytes } from 'node:crypto';
import type { Tx } from '../../platform/db.ts';
import type { LogEntry } from '../../platform/transparency/entries.ts';
import type { Signer } from '../../platform/transparency/notes.ts';
import { appendEntries } from './appending.ts';
import {
  correctionEntry,
  importEntry,
  signEntries,
  textEntry,
  totalEntries,
  type Correction,
  type NewSign,
  type UndoCause,
} from './batch.ts';
import { dayOf, storeEntrySums, sumEntries } from './entry-sums.ts';
import { PetitionSums } from './petition-sums.ts';
import * as queries from './queries.ts';
import type {
  ComparedPetition,
  ComparedSignature,
  LoggedPetition,
  SignatureKey,
} from './queries.ts';
import type { LogState } from './state.ts';

/** A signature that may have changed. */
export interface Change extends SignatureKey {
  /**
   * What it can lead to. Another event follows where the signature was changed in the other way since. With `nothing`, only
   * what is stored of a signature that is gone is deleted.
   */
  effect: 'counts' | 'counts-no-longer' | 'either' | 'nothing';
  /** Why a signature that is gone counts no longer. */
  cause: UndoCause;
}

/** A petition whose text or imports may have changed. */
export interface TextChange {
  petitionId: string;
  /** The last version of the text that is meant; null for the present one. */
  upTo: number | null;
}

/** What may have changed since the last batch. */
export interface Changes {
  /** Texts and imports of petitions, in the order of events. */
  texts: readonly TextChange[];
  /** At most one for each signature, in the order of events. */
  signatures: readonly Change[];
  /** The signatures beside their entries, where they were read so. */
  compared?: readonly ComparedSignature[];
  /** Ids of signatures whose commitments nobody may open any more. */
  forgotten: readonly string[];
}

/** A `total` entry follows the one before after this time at the earliest. */
const totalIntervalMs = 10_000;
/** Totals that are due in one batch, beside those of petitions that it changes. */
const maxDueTotals = 1000;

/**
 * Adds a batch: compares what may have changed with the log, and appends the entries that are missing. What an event says
 * is looked at in the rows, so that a change that is seen twice adds nothing. The caller has locked the log. Returns whether
 * the log has grown.
 */
export async function addBatch(
  tx: Tx,
  state: LogState,
  changes: Changes,
  { signers, now }: { signers: readonly Signer[]; now: Date },
): Promise<boolean> {
  const petitions = await PetitionSums.read(
    tx,
    [...changes.texts, ...changes.signatures].map(({ petitionId }) => petitionId),
  );
  const compared = changes.compared ?? (await queries.compareSignatures(tx, changes.signatures));
  const waiting = await queries.readDuePetitions(tx, now, maxDueTotals);
  const builder = new BatchBuilder(state.edge.size);

  const signs = newSigns(changes.signatures, compared);
  await addTextsAndImports(tx, petitions, builder, [...changes.texts, ...textsOf(signs)]);
  await petitions.addMissing(
    tx,
    signs.map(({ petition_id: id }) => id),
  );
  const firstLeaf = builder.nextIndex;
  const leaves = addSigns(petitions, builder, signs);
  const corrections = correctionsOf(changes.signatures, compared);
  for (const { signature, leaf, cause } of corrections) {
    const petition = petitions.get(signature.petition_id)!;
    builder.add(petition, correctionEntry({ leaf, cause, logId: petition.log_id }));
    petition.counted += cause === null ? 1 : -1;
  }
  addTotals(builder, waiting, now);

  const { kept, gone } = whatStays(compared, corrections);
  const { entries } = builder;
  // Of a log with entries of an earlier version, a backfill stores all.
  const isSummed = state.summedSize === state.edge.size;
  // One connection does them in this order. Each is prepared while the one before it runs.
  await Promise.all([
    queries.storeLeaves(tx, firstLeaf, leaves),
    queries.storeOpenings(tx, firstLeaf, leaves),
    queries.storeCorrections(
      tx,
      kept.map(({ signature, cause }) => ({ signatureId: signature.id, isUndone: cause !== null })),
    ),
    queries.forgetOpenings(tx, changes.forgotten),
    queries.forgetLeaves(tx, gone),
    queries.storeEntryLists(tx, builder.lists()),
    queries.storePetitions(tx, builder.petitions()),
    isSummed && storeSums(tx, builder, state.edge.size, now),
    entries.length > 0 && appendEntries(tx, state, { entries, signers }),
  ]);
  return entries.length > 0;
}

/** Stores what the entries of a batch come to. */
function storeSums(tx: Tx, builder: BatchBuilder, firstIndex: number, now: Date): Promise<void> {
  const numbers = new Map(builder.petitions().map((one) => [one.log_id, one.number]));
  return storeEntrySums(tx, sumEntries(firstIndex, builder.entries), {
    day: dayOf(now),
    numberOf: (logId) => numbers.get(logId),
  });
}

/** The entries of a batch, and those of each petition. */
class BatchBuilder {
  readonly entries: LogEntry[] = [];
  readonly #firstIndex: number;
  readonly #indexes = new Map<LoggedPetition, number[]>();

  constructor(firstIndex: number) {
    this.#firstIndex = firstIndex;
  }

  /** The index of the next entry. */
  get nextIndex(): number {
    return this.#firstIndex + this.entries.length;
  }

  /** Adds an entry. Returns its index. */
  add(petition: LoggedPetition, entry: LogEntry): number {
    const index = this.nextIndex;
    this.entries.push(entry);
    this.#indexes.getOrInsert(petition, []).push(index);
    petition.entries += 1;
    return index;
  }

  /** Petitions that got entries. */
  petitions(): LoggedPetition[] {
    return [...this.#indexes.keys()];
  }

  lists(): { petition: number; indexes: number[] }[] {
    return [...this.#indexes].map(([{ number }, indexes]) => ({ petition: number, indexes }));
  }
}

/** The texts that signatures are under. Most have entries; an event about one can be read after the signature was. */
const textsOf = (signs: readonly ComparedSignature[]): TextChange[] =>
  signs.map(({ petition_id: petitionId, version }) => ({ petitionId, upTo: version }));

/** Adds texts and imports in the order of the changes. */
async function addTextsAndImports(
  tx: Tx,
  petitions: PetitionSums,
  builder: BatchBuilder,
  changes: readonly TextChange[],
): Promise<void> {
  const withNews = new Map(petitions.compared.filter(hasNews).map((one) => [one.id, one]));
  await petitions.addMissing(tx, withNews.keys());
  const texts = Map.groupBy(
    await queries.readTextsAfter(
      tx,
      [...withNews.keys()].map((id) => ({ id, textVersion: petitions.get(id)!.text_version })),
    ),
    ({ petition_id: id }) => id,
  );
  for (const { petitionId: id, upTo } of changes) {
    const compared = withNews.get(id);
    if (!compared) continue;
    const petition = petitions.get(id)!;
    for (const row of texts.get(id) ?? []) {
      const isNext = row.version > petition.text_version && row.version <= (upTo ?? row.version);
      if (isNext) addText(builder, petition, row);
    }
    addImport(builder, petition, compared.imported_signature_count);
  }
}

/** Whether a petition has a text or an import that the log does not have. */
function hasNews({
  version,
  logged,
  imported_signature_count: imported,
}: ComparedPetition): boolean {
  if (version === null) return false;
  return version > (logged?.text_version ?? 0) || imported > (logged?.imported ?? 0);
}

function addText(
  builder: BatchBuilder,
  petition: LoggedPetition,
  { version, title, description, text_hash: hash, language }: queries.TextRow,
): void {
  const { log_id: logId } = petition;
  const text = title !== null && description !== null ? { title, description } : hash && { hash };
  if (text) builder.add(petition, textEntry({ logId, version, language, text }));
  petition.text_version = version;
}

function addImport(builder: BatchBuilder, petition: LoggedPetition, importedNow: number): void {
  const count = importedNow - petition.imported;
  if (count <= 0) return;
  builder.add(petition, importEntry({ logId: petition.log_id, count }));
  petition.imported = importedNow;
}

const mayCount = ({ effect }: Change): boolean => effect === 'counts' || effect === 'either';

/** Returns the signatures that count and have no entry. */
const newSigns = (changes: readonly Change[], compared: readonly ComparedSignature[]) =>
  compared.filter(({ counts, leaf }, n) => counts && leaf === null && mayCount(changes[n]!));

/** Adds the `sign` entries of signatures. Returns what is stored of each. */
function addSigns(
  petitions: PetitionSums,
  builder: BatchBuilder,
  signatures: readonly ComparedSignature[],
): queries.Leaf[] {
  const randomBytesOfAll = randomBytes(32 * signatures.length);
  const signs = signatures.map((signature, n): NewSign & { signature: ComparedSignature } => ({
    logId: petitions.get(signature.petition_id)!.log_id,
    signatureId: signature.id,
    version: signature.version!,
    random: randomBytesOfAll.subarray(32 * n, 32 * (n + 1)),
    signature,
  }));
  return signEntries(signs).map(({ sign, entry }) => {
    const petition = petitions.get(sign.signature.petition_id)!;
    petition.counted += 1;
    builder.add(petition, entry);
    return {
      signatureId: sign.signatureId,
      petition: petition.number,
      random: sign.signature.has_signer ? sign.random : null,
    };
  });
}

type SignatureCorrection = Omit<Correction, 'logId'> & { signature: ComparedSignature };

/** Returns what the log has to say of signatures that have an entry. */
const correctionsOf = (
  changes: readonly Change[],
  compared: readonly ComparedSignature[],
): SignatureCorrection[] =>
  compared.flatMap((signature, n): SignatureCorrection[] => {
    const { effect, cause } = changes[n]!;
    const { counts, is_undone: isUndone, version } = signature;
    if (signature.leaf === null) return [];
    const leaf = Number(signature.leaf);
    if (counts && isUndone && mayCount(changes[n]!)) {
      return [{ signature, leaf, cause: null }];
    }
    if (!counts && !isUndone && (effect === 'counts-no-longer' || effect === 'either')) {
      return [{ signature, leaf, cause: version === null ? cause : 'invalidated' }];
    }
    return [];
  });

/** Divides corrections into those of signatures that are stored and the ids of signatures that are gone and undone. */
function whatStays(
  compared: readonly ComparedSignature[],
  corrections: readonly SignatureCorrection[],
): { kept: readonly SignatureCorrection[]; gone: string[] } {
  const undone = new Set(corrections.map(({ signature }) => signature.id));
  const isGone = ({ version, leaf }: ComparedSignature) => version === null && leaf !== null;
  return {
    kept: corrections.filter(({ signature }) => !isGone(signature)),
    gone: compared
      .filter((one) => isGone(one) && (one.is_undone || undone.has(one.id)))
      .map(({ id }) => id),
  };
}

/** Adds the totals that are due: of the petitions of the batch, and of those that waited. */
function addTotals(builder: BatchBuilder, waiting: readonly LoggedPetition[], now: Date): void {
  const changed = builder.petitions();
  for (const petition of changed) {
    const { totalled_at: last, total_due_at: due } = petition;
    if (due !== null) continue;
    const earliest = last === null ? 0 : Date.parse(last) + totalIntervalMs;
    petition.total_due_at = new Date(Math.max(now.getTime(), earliest)).toISOString();
  }
  const numbers = new Set(changed.map(({ number }) => number));
  const unchanged = waiting.filter(({ number }) => !numbers.has(number));
  const due = [...changed, ...unchanged].filter(
    ({ total_due_at: at }) => at !== null && Date.parse(at) <= now.getTime(),
  );
  const through = builder.nextIndex - 1;
  const sums = due.map((petition) => ({ ...petition, logId: petition.log_id, petition }));
  for (const { of, entry } of totalEntries(sums, through)) {
    of.petition.total_index = builder.add(of.petition, entry);
    of.petition.totalled_at = now.toISOString();
    of.petition.total_due_at = null;
  }
}
