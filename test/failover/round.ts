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

/** No request may take longer: 8 s, and half a second for a machine that is busy. */
const longestRequestMs = 8_500;
/** Readiness answers within 2 s; the rest is for a machine that is busy. */
const longestReadinessMs = 3_000;
const longestOutageMs = 10_000;
export const signaturesPerSecond = 550;

/** What can be killed, and made whole again. */
export interface FailoverCluster {
  /** Kills the primary; resolves with its name. What follows the kill may go on after that. */
  killPrimary(): Promise<string>;
  /** Brings the dead one back as a standby, and waits until all is as before. */
  restore(name: string): Promise<void>;
}

export interface RoundOptions {
  cluster: FailoverCluster;
  clients: Clients;
  /** Enough for a round. */
  signings: Signing[];
  /** Pages to read. */
  paths: string[];
  /** To the primary, whichever it is. */
  db: Pool;
}

export interface Figures {
  killed: string;
  /** Signatures that people tried to give. */
  sent: number;
  /** Of those, confirmed at the first try. */
  signed: number;
  /** Answered 503. */
  refused: number;
  /** Answered 503, and found stored afterwards. */
  storedUnconfirmed: number;
  /** Longest time between two confirmed signatures. */
  outageMs: number;
  longestSigningMs: number;
  longestReadMs: number;
  /** Pages that were answered 503. */
  refusedReads: number;
  longestReadinessMs: number;
  /** Until the dead one was a standby again. */
  restoreMs: number;
}

/** Kills the primary once under load and asserts that nothing is lost, doubled, or late. */
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
    // A confirmation can be on its way when the primary dies; a new one takes a second at the least.
    await eventually(() => signing.lastSignedAt > killedAt + 500, 60_000);
    await pause(2000);
    // The load goes on meanwhile, as long as there are signers.
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
    longestSigningMs: longest(answers),
    longestReadMs: longest(reading.pages),
    refusedReads: reading.pages.filter(({ status }) => status === 503).length,
    longestReadinessMs: longest(reading.readiness),
    restoreMs,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  assertAnswered(answers, [201]);
  assertAnswered(reading.pages, [200]);
  assertAnswered(reading.readiness, [200]);
  assertAnswered(again, [201, 409]);
  await assertStored(db, answers, again);
  assert.ok(figures.refused > 0, 'the primary was killed, and everybody could sign');
  assert.ok(figures.outageMs <= longestOutageMs, `unavailable for ${figures.outageMs} ms`);
  assert.ok(figures.longestSigningMs <= longestRequestMs, `${figures.longestSigningMs} ms to sign`);
  assert.ok(figures.longestReadMs <= longestRequestMs, `${figures.longestReadMs} ms to read`);
  assert.ok(
    figures.longestReadinessMs <= longestReadinessMs,
    `${figures.longestReadinessMs} ms for readiness`,
  );
  return figures;
}

const took = ({ startedAt, endedAt }: Answer) => Math.round(endedAt - startedAt);
const longest = (answers: Answer[]) => answers.reduce((max, one) => Math.max(max, took(one)), 0);

function longestGap(answers: SigningAnswer[]): number {
  const times = answers
    .filter(({ status }) => status === 201)
    .map(({ endedAt }) => endedAt)
    .toSorted((a, b) => a - b);
  const gaps = times.slice(1).map((time, n) => time - times[n]!);
  return Math.round(Math.max(...gaps));
}

/** Every answer has one of the statuses, or is a 503 that says when to try again. */
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

/** Every person who tried has signed once, and the counts are those of the rows. */
async function assertStored(
  db: Pool,
  answers: SigningAnswer[],
  again: SigningAnswer[],
): Promise<void> {
  const missing = again.filter(({ status }) => status === 503);
  assert.equal(missing.length, 0, 'all could sign in the end');
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
    // No two people were told the same number, and none a number that was lost.
    const counts = confirmed
      .filter(({ signing }) => signing.petitionId === petitionId)
      .map(({ signatureCount }) => signatureCount!);
    assert.equal(new Set(counts).size, counts.length);
  }
}
