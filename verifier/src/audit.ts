import { setTimeout as sleep } from 'node:timers/promises';
import { readAuditState, writeAuditState, type AuditState } from './audit-state.ts';
import { toUtf8 } from './bytes.js';
import { parseCheckpoint, type Checkpoint } from './checkpoints.js';
import { FormatError, VerificationError } from './errors.js';
import { parseNote, verifyNote, type SignatureKind, type VerifiedSignature } from './notes.js';
import { verifyByPolicy, type Policy } from './policies.js';
import { Problems, type AuditProblem } from './problems.ts';
import { hashLeaf } from './inclusion.js';
import { openedEntry, parseReceipt, verifyReceipt } from './receipts.js';
import type { PetitionSum } from './recount.ts';
import {
  CountRanges,
  readShownAgain,
  readShownPetitions,
  sharingNames,
  type ShownPetition,
} from './shown-counts.ts';
import { fetchBytes, fetchJson } from './source.ts';
import {
  keysToRemember,
  logOfKeys,
  namedWitnesses,
  newKeysOf,
  parsePublicLog,
  trustFor,
  type KeySource,
  type PublicLog,
} from './trust.ts';
import { Walk } from './walk.ts';

export interface AuditOptions {
  /** Address of the service. */
  site: string;
  /**
   * Where the files of the log are, if not below the service: a mirror. With keys of its log in the policy, and without
   * comparing counts, the service is not asked.
   */
  logUrl?: string | undefined;
  /** Whom to trust. Without its log keys, those that the last audit knew; at first, those that the service names. */
  policy?: Policy | undefined;
  /** Where the audit is remembered. Without it, each audit begins with the first entry. */
  stateFile?: string | undefined;
  /** Whether to compare the counts with those that the service shows; default: true. */
  comparesCounts?: boolean | undefined;
  /** How long to wait for demanded witnesses: a new checkpoint is published before they have seen it; default: 15 s. */
  witnessTimeoutMs?: number | undefined;
  /** How long to wait for the log to follow the shown counts; default: 45 s. */
  lagTimeoutMs?: number | undefined;
  /** A receipt whose signature is looked up in the log. The service does not learn of it. */
  receipt?: string | undefined;
  /** Called while entries are read. */
  onProgress?: ((progress: { entries: number; of: number }) => void) | undefined;
  /** Ends the audit early; what was read is stored. */
  signal?: AbortSignal | undefined;
}

/** Who signed the checkpoint. */
export interface AuditSignature {
  name: string;
  kind: SignatureKind;
  /** When a witness saw the checkpoint, as ISO 8601; null for the log itself. */
  cosignedAt: string | null;
  isVerified: boolean;
}

export interface AuditReport {
  /** Whether nothing was found to be wrong. */
  holds: boolean;
  /** The first hundred; `problemCount` is the number of all. */
  problems: AuditProblem[];
  problemCount: number;
  origin: string;
  size: number;
  /** Root of the tree in base64. */
  root: string;
  keySource: KeySource;
  /** Keys that the service names and that signed, too, but are not trusted. */
  newKeys: string[];
  signatures: AuditSignature[];
  /** The earlier audit, of which this log is the continuation. */
  earlier: { size: number; auditedAt: string } | null;
  /** Entries that this audit read. */
  entriesRead: number;
  petitions: {
    logged: number;
    counted: number;
    imported: number;
    /** `total` entries that hold. */
    totals: number;
    /** Petitions whose shown count was compared; null if none was. */
    shown: number | null;
    /** Petitions with another count that the service left out when they were read again. */
    vanished: number;
  };
  /** The signature of the given receipt. */
  receipt: { index: number; petition: string; isUndone: boolean } | null;
}

/** How often the state is stored while entries are read. */
const storeIntervalMs = 5000;
/** The log follows the shown counts within this time. */
const defaultLagTimeoutMs = 45_000;
const lagCheckMs = 3000;
const defaultWitnessTimeoutMs = 15_000;
const witnessCheckMs = 1000;

/**
 * Checks the log of a service: signatures, history, tree, entries, sums, and the counts that the service shows.
 * @returns what was found; a log that is wrong is no error
 * @throws {SourceError} if the server does not answer
 * @throws {FormatError} if the stored state or the receipt cannot be read
 */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const site = options.site.replace(/\/+$/, '');
  const { stateFile } = options;
  const state = stateFile === undefined ? undefined : await readAuditState(stateFile);
  const log = logWithoutService(options, state?.keys) ?? (await readPublicLog(site));
  if (state && state.origin !== log.origin) {
    throw new FormatError(`${stateFile} is an audit of ${state.origin}, and not of ${log.origin}`);
  }
  const trust = await trustFor(log, { policy: options.policy, remembered: state?.keys });
  const sought = options.receipt === undefined ? undefined : await soughtBy(options.receipt);
  return new Audit({ ...options, site, log, state, sought, ...trust }).run();
}

/** Returns the leaf that a receipt is about. @throws {FormatError} */
async function soughtBy(receipt: string): Promise<{ index: number; leafHash: Uint8Array }> {
  const { index, opening } = parseReceipt(receipt);
  return { index, leafHash: await hashLeaf(toUtf8(await openedEntry(opening))) };
}

const readPublicLog = async (site: string): Promise<PublicLog> =>
  parsePublicLog(await fetchJson(`${site}/v1/log`));

/** Returns undefined if the service has to be asked. */
function logWithoutService(
  { logUrl, comparesCounts = true, policy }: AuditOptions,
  remembered: string[] = [],
): PublicLog | undefined {
  return policy && logUrl !== undefined && !comparesCounts
    ? logOfKeys(policy, remembered)
    : undefined;
}

interface AuditInput extends AuditOptions {
  log: PublicLog;
  state: AuditState | undefined;
  sought: { index: number; leafHash: Uint8Array } | undefined;
  policy: Policy;
  keySource: KeySource;
}

/** A checkpoint whose signatures hold. */
interface SignedCheckpoint {
  note: string;
  checkpoint: Checkpoint;
  signatures: AuditSignature[];
}

interface Earlier {
  size: number;
  root: Buffer;
  auditedAt: string;
}

/** One run. */
class Audit {
  readonly #input: AuditInput;
  readonly #logUrl: string;
  readonly #earlier: Earlier | undefined;
  #problems = new Problems();
  #walk: Walk;
  #ranges: CountRanges | undefined;
  #shown: number | null = null;
  #vanished = 0;
  #newKeys: string[] = [];
  #storedAtMs = performance.now();
  #sizeBefore: number;

  constructor(input: AuditInput) {
    this.#input = input;
    this.#logUrl = (input.logUrl ?? `${input.site}/log`).replace(/\/+$/, '');
    this.#earlier = earlierOf(input.state);
    const { state, sought } = input;
    const hasPassed = sought !== undefined && sought.index < (state?.walk?.tree.size ?? 0);
    // The entry of a receipt is read with all others: asking for it alone would show which one is meant.
    this.#walk = this.#newWalk(hasPassed ? undefined : state);
    this.#sizeBefore = this.#walk.tree.size;
  }

  async run(): Promise<AuditReport> {
    const { log, policy, comparesCounts = true } = this.#input;
    const signed = await this.#readCheckpoint();
    if (!signed) return this.#report(undefined);
    this.#newKeys = await newKeysOf(log, policy, signed.note);
    await this.#checkNamedWitnesses(signed.note);
    let last = signed;
    const holds = await this.#goTo(signed);
    if (holds && comparesCounts) last = await this.#compareCounts(signed);
    const receipt = await this.#findReceipt(holds);
    if (this.#problems.count === 0) {
      const { note } = last;
      await this.#store({
        note,
        keys: keysToRemember(log, policy),
        at: new Date().toISOString(),
      });
    }
    return this.#report(last, receipt);
  }

  /** Returns undefined, and notes the problem, if the checkpoint is not one of the log. */
  async #readCheckpoint(): Promise<SignedCheckpoint | undefined> {
    const { signal, witnessTimeoutMs = defaultWitnessTimeoutMs } = this.#input;
    const endMs = performance.now() + witnessTimeoutMs;
    for (;;) {
      const found = await this.#attemptCheckpoint();
      if (!(found instanceof Error)) return found;
      const isEarly = found instanceof VerificationError && found.reason === 'too-few-witnesses';
      if (!isEarly || performance.now() > endMs) {
        const { reason } = found as Partial<VerificationError>;
        const isRotated = reason === 'not-signed' && this.#input.keySource === 'remembered';
        const hint = isRotated ? '; if its keys were replaced, give the new ones by --key' : '';
        this.#problems.add('checkpoint', `the checkpoint does not hold: ${found.message}${hint}`);
        return undefined;
      }
      await sleep(witnessCheckMs, undefined, { signal });
    }
  }

  /** Returns why the published checkpoint does not hold, if it does not. */
  async #attemptCheckpoint(): Promise<SignedCheckpoint | FormatError | VerificationError> {
    const note = (await fetchBytes(`${this.#logUrl}/checkpoint`)).toString();
    try {
      const { text, signatures, unsupported } = await verifyByPolicy(note, this.#input.policy);
      const checkpoint = parseCheckpoint(text);
      if (checkpoint.origin !== this.#input.log.origin) {
        throw new VerificationError(`it is of the log ${checkpoint.origin}`);
      }
      const found = [
        ...signatures.map((one) => describeSignature(one, true)),
        ...unsupported.map((key) => describeSignature({ key }, false)),
      ];
      return { note, checkpoint, signatures: found };
    } catch (error) {
      if (error instanceof FormatError || error instanceof VerificationError) return error;
      throw error;
    }
  }

  /** Checks the cosignatures of witnesses that the service names, whether or not they are demanded. */
  async #checkNamedWitnesses(note: string): Promise<void> {
    for (const key of await namedWitnesses(this.#input.log)) {
      try {
        await verifyNote(note, [key]);
      } catch (error) {
        if (!(error instanceof VerificationError || error instanceof FormatError)) throw error;
        this.#problems.add('witness', `${error.message}; the service names this witness`);
      }
    }
  }

  /** Reads the entries up to a checkpoint. Returns whether they are those of its root. */
  async #goTo({ checkpoint }: SignedCheckpoint): Promise<boolean> {
    const { size } = checkpoint;
    const root = Buffer.from(checkpoint.root);
    const known = Math.max(this.#earlier?.size ?? 0, this.#walk.tree.size);
    if (size < known) {
      const message = `the checkpoint has ${size} entries; ${known} were read before: the log was cut, or this is an old copy`;
      this.#problems.add('history', message);
      return false;
    }
    const isContinued = this.#walk.tree.size > 0;
    if (await this.#walk.goTo(size, root)) return true;
    if (!isContinued) return false;
    // What is wrong can stand before the entries that were read now.
    this.#problems = new Problems();
    this.#walk = this.#newWalk(undefined);
    this.#sizeBefore = 0;
    const holds = await this.#walk.goTo(size, root);
    if (holds && this.#problems.count === 0) {
      this.#problems.add('history', 'the files of the log changed between two reads');
    }
    return false;
  }

  #newWalk(state: AuditState | undefined): Walk {
    return new Walk(
      {
        logUrl: this.#logUrl,
        earlier: this.#earlier,
        sought: this.#input.sought,
        problems: this.#problems,
        onSum: (sum) => this.#ranges?.add(sum),
        onProgress: (of) => this.#onProgress(of),
      },
      state?.walk ?? undefined,
    );
  }

  async #onProgress(of: number): Promise<void> {
    const { signal, onProgress } = this.#input;
    onProgress?.({ entries: this.#walk.tree.size, of });
    const isDue = performance.now() - this.#storedAtMs > storeIntervalMs;
    // What does not hold is looked at again from the beginning.
    if ((isDue || signal?.aborted) && this.#problems.count === 0) {
      if (await this.#walk.haveTilesHeld()) await this.#store();
    }
    signal?.throwIfAborted();
  }

  /** Stores how far the walk came, and the checkpoint if it held. */
  async #store(verified?: { note: string; keys: string[]; at: string }): Promise<void> {
    const { stateFile, state, log } = this.#input;
    this.#storedAtMs = performance.now();
    if (stateFile === undefined) return;
    await writeAuditState(stateFile, {
      origin: log.origin,
      keys: verified?.keys ?? state?.keys ?? [],
      checkpoint: verified?.note ?? state?.checkpoint ?? null,
      auditedAt: verified?.at ?? state?.auditedAt ?? null,
      walk: this.#walk.state,
    });
  }

  /**
   * Compares the counts that the service shows with the log, which follows them: waits for the log where they differ.
   * Returns the last checkpoint that was read.
   */
  async #compareCounts(signed: SignedCheckpoint): Promise<SignedCheckpoint> {
    const { site, signal, lagTimeoutMs = defaultLagTimeoutMs } = this.#input;
    const ranges = new CountRanges(this.#walk.recount.petitions);
    this.#ranges = ranges;
    const all = await readShownPetitions(site, signal);
    this.#shown = all.length;
    for (const { slug, log_id: logId } of sharingNames(all)) {
      this.#problems.add('shown', `the service shows ${slug} as ${logId}, as another petition`);
    }
    let differing = all.filter((petition) => !ranges.has(petition));
    let last = signed;
    for (const endMs = performance.now() + lagTimeoutMs; differing.length > 0;) {
      await sleep(lagCheckMs, undefined, { signal });
      const next = await this.#readCheckpoint();
      if (!next || !(await this.#goTo(next))) return last;
      last = next;
      differing = differing.filter((petition) => !ranges.has(petition));
      if (performance.now() > endMs) {
        // An answer from a cache can be older than the log that was read first.
        const again = await readShownAgain(site, differing);
        this.#vanished = differing.length - again.length;
        differing = again.filter((one) => !ranges.has(one));
        break;
      }
    }
    for (const petition of differing) this.#addShownProblem(petition);
    return last;
  }

  #addShownProblem({ slug, log_id: logId, signature_count: count }: ShownPetition): void {
    const sum = this.#walk.recount.petitions.find(({ petition }) => petition === logId);
    this.#problems.add(
      'shown',
      sum
        ? `the service shows ${count} for ${slug}; the entries of ${logId} add up to ${sum.counted + sum.imported}`
        : `the service shows ${count} for ${slug}, which has no entries`,
    );
  }

  async #findReceipt(holds: boolean): Promise<AuditReport['receipt']> {
    const { receipt, policy } = this.#input;
    if (receipt === undefined || !holds) return null;
    try {
      const { index, opening, checkpoint } = await verifyReceipt(receipt, policy);
      const leaf = this.#walk.recount.leaf(index);
      if (leaf?.petition === opening.petition && this.#walk.hasSought) return { index, ...leaf };
      throw new VerificationError(
        `entry ${index} of the log is not its signature, though a checkpoint of ${checkpoint.size} entries says so`,
      );
    } catch (error) {
      if (!(error instanceof VerificationError)) throw error;
      this.#problems.add('receipt', `the receipt does not hold: ${error.message}`);
      return null;
    }
  }

  #report(
    signed: SignedCheckpoint | undefined,
    receipt: AuditReport['receipt'] = null,
  ): AuditReport {
    const { log, keySource } = this.#input;
    const { recount, tree } = this.#walk;
    const { kept, count } = this.#problems;
    const add = (part: (sum: PetitionSum) => number) =>
      recount.petitions.reduce((sum, petition) => sum + part(petition), 0);
    return {
      holds: count === 0,
      problems: kept,
      problemCount: count,
      origin: log.origin,
      size: signed?.checkpoint.size ?? 0,
      root: Buffer.from(signed?.checkpoint.root ?? []).toString('base64'),
      keySource,
      newKeys: this.#newKeys,
      signatures: signed?.signatures ?? [],
      earlier:
        count === 0 && this.#earlier
          ? { size: this.#earlier.size, auditedAt: this.#earlier.auditedAt }
          : null,
      entriesRead: tree.size - this.#sizeBefore,
      petitions: {
        logged: recount.petitions.length,
        counted: add(({ counted }) => counted),
        imported: add(({ imported }) => imported),
        totals: recount.totals,
        shown: this.#shown,
        vanished: this.#vanished,
      },
      receipt,
    };
  }
}

function earlierOf(state: AuditState | undefined): Earlier | undefined {
  if (!state?.checkpoint || !state.auditedAt) return undefined;
  const { size, root } = parseCheckpoint(parseNote(state.checkpoint).text);
  return { size, root: Buffer.from(root), auditedAt: state.auditedAt };
}

const describeSignature = (
  { key: { name, kind }, timestamp }: VerifiedSignature,
  isVerified: boolean,
): AuditSignature => ({
  name,
  kind,
  cosignedAt: timestamp ? new Date(timestamp * 1000).toISOString() : null,
  isVerified,
});
