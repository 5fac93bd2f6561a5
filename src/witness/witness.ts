// A witness by C2SP tlog-witness (commit 95978ca of github.com/C2SP/C2SP).
import { parseCheckpoint, type Checkpoint } from '../platform/transparency/checkpoints.ts';
import { LogFormatError, LogVerificationError } from '../platform/transparency/log-errors.ts';
import { emptyRoot, verifyConsistency } from '../platform/transparency/merkle.ts';
import {
  formatNote,
  formatSignature,
  parseNote,
  signText,
  verifyNote,
  type Note,
  type Signer,
  type VerifierKey,
} from '../platform/transparency/notes.ts';
import {
  formatTreeSize,
  parseSubmission,
  treeSizeType,
  type Submission,
} from '../platform/transparency/witness-protocol.ts';
import { FolderInUse, originHash, type CosignedCheckpoint, type WitnessFolder } from './folder.ts';

/** A checkpoint that does not follow what the witness has cosigned, as far as its proof shows. */
export interface RefusedCheckpoint {
  /** With the signatures of the log. */
  note: string;
  newest: CosignedCheckpoint | undefined;
  /** Whether both have the same size: then they prove that the log has two histories. Otherwise, the proof can be bad. */
  isFork: boolean;
}

/** An answer over HTTP. */
export interface WitnessAnswer {
  status: 200 | 400 | 403 | 404 | 409 | 422 | 503;
  body: string;
  type?: typeof treeSizeType;
}

/** A log of the settings. */
interface WitnessedLog {
  keys: readonly VerifierKey[];
  newest: CosignedCheckpoint | undefined;
  /** The last request. The next one begins after it. */
  last: Promise<unknown>;
  waiting: number;
  /** The answer about the newest checkpoint, and when it was given, in milliseconds. */
  answered: { text: string; body: string; atMs: number } | undefined;
  /** The root of the checkpoint that was refused last: anybody can send it again. */
  refusedRoot: Buffer | undefined;
}

/** Requests about one log that wait. Logs send one after the other. */
const maxWaiting = 50;

/** How long the same checkpoint gets the same cosignatures, without another write. */
const repeatedMs = 60_000;

interface Deps {
  folder: WitnessFolder;
  signers: readonly Signer[];
  now: () => Date;
  /** Called with a checkpoint that a log has signed, and that was refused; not again with the same one. */
  onRefused: (refused: RefusedCheckpoint) => void;
  /** Called where another process uses the folder, too. */
  onFolderInUse: (error: FolderInUse) => void;
}

/** Cosigns checkpoints that are consistent with those it cosigned before. */
export class Witness {
  readonly #deps: Deps;
  readonly #logs: Map<string, WitnessedLog>;

  private constructor(deps: Deps, logs: Map<string, WitnessedLog>) {
    this.#deps = deps;
    this.#logs = logs;
  }

  /** Reads what the witness has cosigned before. @throws {ConfigError} if that is damaged */
  static async open(
    keysByOrigin: ReadonlyMap<string, readonly VerifierKey[]>,
    deps: Deps,
  ): Promise<Witness> {
    const logs = new Map<string, WitnessedLog>();
    for (const [origin, keys] of keysByOrigin) {
      const newest = await deps.folder.readCheckpoint(origin);
      logs.set(origin, {
        keys,
        newest,
        last: Promise.resolve(),
        waiting: 0,
        answered: undefined,
        refusedRoot: undefined,
      });
    }
    return new Witness(deps, logs);
  }

  /** Returns the newest cosigned checkpoint of a log, if there is one. */
  newestCheckpoint(hashOfOrigin: string): string | undefined {
    const log = this.#logs.entries().find(([origin]) => originHash(origin) === hashOfOrigin);
    return log?.[1].newest?.note;
  }

  /** Answers `add-checkpoint`. */
  async addCheckpoint(body: string): Promise<WitnessAnswer> {
    let submission: Submission;
    let note: Note;
    let checkpoint: Checkpoint;
    try {
      submission = parseSubmission(body);
      note = parseNote(submission.note);
      checkpoint = parseCheckpoint(note.text);
    } catch (error) {
      if (error instanceof LogFormatError) return refusal(400, error.message);
      throw error;
    }
    const log = this.#logs.get(checkpoint.origin);
    if (!log) return refusal(404, 'this witness does not know the log');
    const known = verified(submission.note, note, log.keys);
    if (!known) return refusal(403, 'no known key of the log signed the checkpoint');
    if (submission.oldSize > checkpoint.size) {
      return refusal(400, 'the old size is larger than the checkpoint');
    }
    if (log.waiting >= maxWaiting) return refusal(503, 'too many requests about this log wait');
    return inTurn(log, () => this.#cosign(log, submission, checkpoint, known));
  }

  /** Compares a checkpoint with the newest one, and stores and cosigns it. Called for one after the other. */
  async #cosign(
    log: WitnessedLog,
    { oldSize, proof }: Submission,
    checkpoint: Checkpoint,
    known: Note,
  ): Promise<WitnessAnswer> {
    const { folder, signers, now, onRefused } = this.#deps;
    const { size, root } = checkpoint;
    const newest = log.newest ?? { size: 0, root: emptyRoot };
    if (oldSize !== newest.size) {
      return { status: 409, body: formatTreeSize(newest.size), type: treeSizeType };
    }
    const isConsistent =
      (size > 0 || root.equals(emptyRoot)) &&
      verifyConsistency({ from: oldSize, to: size, fromRoot: newest.root, toRoot: root, proof });
    if (!isConsistent) {
      if (!log.refusedRoot?.equals(root)) {
        const isFork = size === newest.size && !root.equals(newest.root);
        onRefused({ note: formatNote(known), newest: log.newest, isFork });
      }
      log.refusedRoot = root;
      return refusal(422, 'the checkpoint is not consistent with what this witness cosigned');
    }
    const atMs = now().getTime();
    // Anybody can send the newest checkpoint again, which is public.
    const { answered } = log;
    if (answered?.text === known.text && atMs - answered.atMs < repeatedMs) {
      return { status: 200, body: answered.body };
    }
    const timestamp = Math.floor(atMs / 1000);
    const cosignatures = signers.map((signer) => signText(known.text, signer, { timestamp }));
    const cosigned = {
      ...checkpoint,
      note: formatNote({ ...known, signatures: [...known.signatures, ...cosignatures] }),
    };
    try {
      await folder.writeCheckpoint(cosigned, log.newest);
    } catch (error) {
      if (!(error instanceof FolderInUse)) throw error;
      this.#deps.onFolderInUse(error);
      return this.#followFolder(log, checkpoint.origin);
    }
    log.newest = cosigned;
    const body = cosignatures.map(formatSignature).join('');
    log.answered = { text: known.text, body, atMs };
    return { status: 200, body };
  }

  /** Answers a request that another process of this witness handled first: goes on from what that cosigned. */
  async #followFolder(log: WitnessedLog, origin: string): Promise<WitnessAnswer> {
    const stored = await this.#deps.folder.readCheckpoint(origin);
    const knownSize = log.newest?.size ?? 0;
    // An older file, such as that of a backup, would make the witness cosign another history.
    if (!stored || stored.size < knownSize || stored.note === log.newest?.note) {
      return refusal(503, 'another process uses the folder of this witness');
    }
    log.newest = stored;
    log.answered = undefined;
    return { status: 409, body: formatTreeSize(stored.size), type: treeSizeType };
  }
}

const refusal = (status: WitnessAnswer['status'], because: string): WitnessAnswer => ({
  status,
  body: `${because}\n`,
});

/** Returns a note with the signatures of known keys alone; undefined if there is none, or one does not verify. */
function verified(text: string, note: Note, keys: readonly VerifierKey[]): Note | undefined {
  try {
    const { signatures } = verifyNote(text, keys);
    const ids = new Set(signatures.map(({ key }) => `${key.name}+${key.id}`));
    return {
      text: note.text,
      signatures: note.signatures.filter(({ name, keyId }) => ids.delete(`${name}+${keyId}`)),
    };
  } catch (error) {
    if (error instanceof LogVerificationError) return undefined;
    throw error;
  }
}

/** Does a work after those before it. */
async function inTurn<T>(log: WitnessedLog, work: () => Promise<T>): Promise<T> {
  log.waiting += 1;
  const result = log.last.then(work);
  log.last = result.catch(() => {});
  try {
    return await result;
  } finally {
    log.waiting -= 1;
  }
}
