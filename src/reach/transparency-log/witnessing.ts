import { retryDelayMs } from '../../platform/backoff.ts';
import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { Unreachable } from '../../platform/safe-fetch.ts';
import { LogFormatError, LogVerificationError } from '../../platform/transparency/log-errors.ts';
import { consistencyProof } from '../../platform/transparency/merkle.ts';
import {
  formatSignature,
  formatVerifierKey,
  parseNote,
  parseSignatures,
  verifyNote,
} from '../../platform/transparency/notes.ts';
import { formatSubmission, parseTreeSize } from '../../platform/transparency/witness-protocol.ts';
import { StepWorker } from '../../platform/workers.ts';
import type { LogFiles } from './log-files.ts';
import { isOwn } from './sequencer.ts';
import { readState } from './state.ts';
import { verifierKeysOf, type LogWitness } from './witness-keys.ts';
import * as queries from './witness-queries.ts';

/** Witnesses are offered a checkpoint at most this often. */
const offerIntervalMs = 2000;
/** How often a process looks for checkpoints that another one published. */
const pollMs = 1000;
const requestTimeoutMs = 10_000;
/** An offer is at most three requests. */
const leaseMs = 3 * requestTimeoutMs + 5000;
/** How often one offer is made with another old size, since the witness knows another one. */
const maxCorrections = 2;
/** How far the clock of a witness may be ahead. */
const maxClockSkewMs = 3_600_000;

/** Why an offer failed. The message is logged, and shown to operators. */
class OfferFailure extends Error {
  override name = 'OfferFailure';
  /** The size that the witness has cosigned, where its answer says so. */
  readonly knownSize: number | undefined;

  constructor(message: string, knownSize?: number) {
    super(message);
    this.knownSize = knownSize;
  }
}

interface Deps {
  ctx: Context;
  files: LogFiles;
  /** Called after cosignatures were stored. */
  serve: () => Promise<unknown>;
}

/**
 * Makes a worker for each witness that asks it to cosign what is published. They have nothing in common, so that a witness
 * which is away or slow delays no other. No transaction is open while they wait for an answer.
 */
export const createWitnessWorkers = (deps: Deps): StepWorker[] =>
  deps.ctx.config.logWitnesses.map(
    (witness) =>
      new StepWorker(
        {
          name: `witness ${witness.url}`,
          idleMs: pollMs,
          step: (stopping) => offerNewest(deps, witness, stopping),
        },
        deps.ctx.log,
      ),
  );

/** Asks a witness to cosign the newest checkpoint, if it has not. Returns whether it cosigned it now. */
async function offerNewest(
  { ctx, files, serve }: Deps,
  witness: LogWitness,
  stopping: AbortSignal,
): Promise<boolean> {
  const { config, log } = ctx;
  const db = ctx.pools.main;
  const state = await readState(db);
  if (!state || !isOwn(config, state) || state.haltedBecause !== null) return false;
  if (await queries.offerPublished(db, offerIntervalMs)) {
    const keys = verifierKeysOf(config.logWitnesses);
    await transaction(db, (tx) => queries.deleteReplacedCheckpoints(tx, keys));
  }
  const due = await queries.findDueCheckpoint(db, verifierKeysOf([witness]));
  const known = due && (await queries.claimWitness(db, witness.url, leaseMs));
  if (!known) return false;
  const { url } = witness;
  const offered = { ctx, files, witness, stopping };
  let hasCosigned = false;
  try {
    const answer = await offer(offered, due, known.knownSize);
    const cosignatures = readAnswer(answer, due, witness, ctx.now());
    await transaction(db, (tx) => queries.storeCosignatures(tx, due.size, cosignatures));
    hasCosigned = true;
    requireAllKeys(cosignatures, witness, due.size);
    await queries.storeSuccess(db, url, due.size);
    if (known.failure !== null) log.info({ witness: url }, 'a witness cosigns again');
  } catch (error) {
    if (stopping.aborted) await queries.releaseWitness(db, url);
    else await noteFailure(ctx, url, known, error);
  }
  if (hasCosigned) await serve();
  return hasCosigned;
}

/** Stores why an offer failed, and logs it unless the last one failed for the same reason. */
async function noteFailure(
  { pools, log }: Pick<Context, 'pools' | 'log'>,
  url: string,
  known: queries.WitnessState,
  error: unknown,
): Promise<void> {
  const { because, knownSize } = failureOf(error);
  const retryAfterMs = retryDelayMs(known.failures + 1);
  await queries.storeFailure(pools.main, url, { because, knownSize, retryAfterMs });
  if (because !== known.failure) log.warn({ witness: url, because }, 'a witness did not cosign');
}

interface Offer {
  ctx: Pick<Context, 'httpClient'>;
  files: LogFiles;
  witness: LogWitness;
  stopping: AbortSignal;
}

/**
 * Sends a checkpoint to a witness, with the proof from the size that the witness knows. Returns its answer.
 * @throws {OfferFailure} if it does not cosign it
 * @throws {Unreachable}
 */
async function offer(
  { ctx, files, witness, stopping }: Offer,
  { size, checkpoint }: queries.OfferedCheckpoint,
  knownSize: number,
): Promise<string> {
  let oldSize = Math.min(knownSize, size);
  for (let corrections = 0; corrections <= maxCorrections; corrections++) {
    const proof = await consistencyProof(oldSize, size, (tile) => files.requireTile(tile));
    const { status, body } = await ctx.httpClient.postAndRead(`${witness.url}/add-checkpoint`, {
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: formatSubmission({ oldSize, proof, note: checkpoint }),
      timeoutMs: requestTimeoutMs,
      signal: stopping,
    });
    if (status === 200) return body;
    if (status !== 409) throw new OfferFailure(refusals[status] ?? `It answered ${status}.`);
    const sizeThen = oldSize;
    oldSize = readKnownSize(body);
    if (oldSize > size) {
      throw new OfferFailure(
        'It has cosigned more entries of this log than are published: somebody publishes another history, or an older database was restored.',
      );
    }
    if (oldSize === sizeThen) {
      throw new OfferFailure(
        'It answered 409 with the size that it was asked with: it has seen another history of this log.',
      );
    }
  }
  throw new OfferFailure('It answered 409 again, with another size.', oldSize);
}

const refusals: Record<number, string> = {
  400: 'It answered 400: it does not understand the request.',
  403: 'It answered 403: it knows other keys of this log. Send its operator those of GET /v1/log.',
  404: 'It answered 404: it does not know this log, or the address is not that of a witness.',
  422: 'It answered 422: it has seen another history of this log.',
};

function readKnownSize(body: string): number {
  try {
    return parseTreeSize(body.replace(/\n$/, ''));
  } catch (error) {
    if (error instanceof LogFormatError) throw new OfferFailure('It answered 409 without a size.');
    throw error;
  }
}

/**
 * Verifies the cosignatures of an answer. Those of unknown keys are ignored.
 * @throws {LogFormatError} if it is malformed
 * @throws {LogVerificationError} if none is of a key of the witness, or one does not verify
 */
function readAnswer(
  answer: string,
  { checkpoint }: queries.OfferedCheckpoint,
  { keys }: LogWitness,
  now: Date,
): queries.Cosignature[] {
  const { text } = parseNote(checkpoint);
  const lines = new Map(
    parseSignatures(answer)
      .toReversed()
      .map((one) => [`${one.name}+${one.keyId}`, formatSignature(one)]),
  );
  return verifyNote(`${text}\n${answer}`, keys).signatures.map(({ key, timestamp = 0 }) => {
    const at = timestamp * 1000;
    if (timestamp === 0 || at > now.getTime() + maxClockSkewMs) {
      throw new LogVerificationError(
        `the cosignature of ${key.name} has the time ${timestamp}, which is not now`,
      );
    }
    return {
      verifierKey: formatVerifierKey(key),
      line: lines.get(`${key.name}+${key.id}`)!,
      cosignedAt: new Date(at),
    };
  });
}

/** @throws {OfferFailure} if a key has not cosigned */
function requireAllKeys(
  cosignatures: readonly queries.Cosignature[],
  witness: LogWitness,
  size: number,
): void {
  const cosigned = new Set(cosignatures.map(({ verifierKey }) => verifierKey));
  const missing = verifierKeysOf([witness]).filter((key) => !cosigned.has(key));
  if (missing.length === 0) return;
  const names = missing.map((key) => key.split('+', 2).join('+'));
  throw new OfferFailure(`Its answer has no cosignature of ${names.join(', ')}.`, size);
}

function failureOf(error: unknown): { because: string; knownSize?: number | undefined } {
  if (error instanceof OfferFailure) return { because: error.message, knownSize: error.knownSize };
  if (error instanceof Unreachable) return { because: error.message };
  if (error instanceof LogFormatError || error instanceof LogVerificationError) {
    return { because: `Its answer was not accepted: ${error.message}.` };
  }
  throw error;
}
