import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '../../src/platform/db.ts';
import { eventually } from '../support/eventually.ts';
import {
  ReadingLoad,
  signAgain,
  SigningLoad,
  type Answer,
  type Clients,
  type Signing,
  type SigningAnswer,
} from './load.ts';

/** Longest request: 8 s, and half a second for a busy machine. */
const maxRequestMs = 8_500;
/** Longest readiness check: 2 s, and a second for a busy machine. */
const maxReadinessMs = 3_000;
const maxOutageMs = 10_000;
export const signaturesPerSecond = 550;

/** A cluster whose primary can be killed and restored. */
export interface FailoverCluster {
  /** Kills the primary. Returns its name, possibly before the failover is complete. */
  killPrimary(): Promise<string>;
  /** Restarts the dead server as a standby, and waits until the cluster is complete. */
  restore(name: string): Promise<void>;
}

export interface RoundOptions {
  cluster: FailoverCluster;
  clients: Clients;
  /** Signatures to give, enough for a round. */
  signings: Signing[];
  /** Paths to read. */
  paths: string[];
  /** A pool of the current primary. */
  db: Pool;
}

export interface Figures {
  killed: string;
  /** Requests to sign. */
  sent: number;
  /** Requests that were confirmed. */
  signed: number;
  /** Requests answered 503. */
  refused: number;
  /** Requests answered 503 whose signature was stored. */
  storedUnconfirmed: number;
  /** Longest time between two confirmed signatures. */
  outageMs: number;
  maxSigningMs: number;
  maxReadMs: number;
  /** Reads answered 503. */
  refusedReads: number;
  maxReadinessMs: number;
  /** Time until the dead server was a standby again. */
  restoreMs: number;
}

/** Kills the primary once under load. Asserts that no signature is lost or doubled, and no answer late. */
export async function runRound(options: RoundOptions): Promise<Figures> {
  const { cluster, clients, signings, paths, db } = options;
  const signing = new SigningLoad(clients, signings, signaturesPerSecond);
  const reading = new ReadingLoad(clients, paths);
  let killed: string;
  let restoreMs: number;
  try {
    await eventually(() => signing.answers.length > signaturesPerSecond * 3, 30_000);
    killed = await cluster.killPrimary();
    const killedAt = performance.now();
    // A confirmation may be in flight when the primary dies; a new one takes at least a second.
    await eventually(() => signing.lastSignedAt > killedAt + 500, 60_000);
    await pause(2000);
    // The load continues meanwhile, as long as there are signers.
    const restoringAt = performance.now();
    await cluster.restore(killed);
    restoreMs = Math.round(performance.now() - restoringAt);
    await pause(500);
  } finally {
    await Promise.all([signing.stop(), reading.stop()]);
  }
  const { answers } = signing;
  const unconfirmed = answers.filter(({ status }) => status !== 201);
  const again = await signAgain(
    clients,
    unconfirmed.map((answer) => answer.signing),
  );
  const figures: Figures = {
    killed,
    sent: answers.length,
    signed: answers.length - unconfirmed.length,
    refused: unconfirmed.filter(({ status }) => status === 503).length,
    storedUnconfirmed: again.filter(({ status }) => status === 409).length,
    outageMs: longestGap(answers),
    maxSigningMs: maxDuration(answers),
    maxReadMs: maxDuration(reading.pages),
    refusedReads: reading.pages.filter(({ status }) => status === 503).length,
    maxReadinessMs: maxDuration(reading.readiness),
    restoreMs,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  assertAnswered(answers, [201]);
  assertAnswered(reading.pages, [200]);
  assertAnswered(reading.readiness, [200]);
  assertAnswered(again, [201, 409]);
  await assertStored(db, answers, again);
  assert.ok(figures.refused > 0, 'the primary was killed, but no request was refused');
  assert.ok(figures.outageMs <= maxOutageMs, `unavailable for ${figures.outageMs} ms`);
  assert.ok(figures.maxSigningMs <= maxRequestMs, `${figures.maxSigningMs} ms to sign`);
  assert.ok(figures.maxReadMs <= maxRequestMs, `${figures.maxReadMs} ms to read`);
  assert.ok(figures.maxReadinessMs <= maxReadinessMs, `${figures.maxReadinessMs} ms for readiness`);
  return figures;
}

const took = ({ startedAt, endedAt }: Answer) => Math.round(endedAt - startedAt);
const maxDuration = (answers: Answer[]) =>
  answers.reduce((max, one) => Math.max(max, took(one)), 0);

function longestGap(answers: SigningAnswer[]): number {
  const times = answers
    .filter(({ status }) => status === 201)
    .map(({ endedAt }) => endedAt)
    .toSorted((a, b) => a - b);
  const gaps = times.slice(1).map((time, n) => time - times[n]!);
  return Math.round(Math.max(...gaps));
}

/** Asserts that every answer has one of the statuses, or is a 503 with Retry-After. */
function assertAnswered(answers: Answer[], statuses: number[]): void {
  const wrong = answers.filter(
    ({ status, retryAfter }) =>
      !statuses.includes(status) && !(status === 503 && Number(retryAfter) >= 1),
  );
  const kinds = Map.groupBy(wrong, ({ status, error }) => `${status} ${error ?? ''}`);
  assert.deepEqual(
    [...kinds].map(([kind, of]) => `${of.length} times ${kind}`),
    [],
  );
}

/** Asserts that everyone has signed once, and that the counts match the rows. */
async function assertStored(
  db: Pool,
  answers: SigningAnswer[],
  again: SigningAnswer[],
): Promise<void> {
  const missing = again.filter(({ status }) => status === 503);
  assert.equal(missing.length, 0, 'all signatures are stored in the end');
  const sent = Map.groupBy(answers, ({ signing }) => signing.petitionId);
  const confirmed = [...answers, ...again].filter(({ status }) => status === 201);
  for (const [petitionId, of] of sent) {
    const [row] = await db`
      select signature_count as counted,
        (select count(*)::int from signatures where petition_id = p.id) as rows,
        (select count(distinct user_id)::int from signatures where petition_id = p.id) as people,
        (select count(*)::int from events
          where petition_id = p.id and type = 'signature.created') as events
      from petitions p where p.id = ${petitionId}`;
    const { length } = of;
    assert.deepEqual({ ...row }, { counted: length, rows: length, people: length, events: length });
    // No count was returned twice.
    const counts = confirmed
      .filter(({ signing }) => signing.petitionId === petitionId)
      .map(({ signatureCount }) => signatureCount!);
    assert.equal(new Set(counts).size, counts.length);
  }
}
