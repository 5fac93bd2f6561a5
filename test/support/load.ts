import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { openPool, type Db, type Pool } from '../../src/platform/db.ts';
import { eventually } from './eventually.ts';
import { createUsers, createPublished } from './people.ts';
import { startService } from './service.ts';

export interface Signer {
  id: string;
  token: string;
}

/** Data of a load in a database. */
export interface Crowd {
  petitions: { id: string; slug: string }[];
  signers: Signer[];
  /** Environment of processes on that database, with the secret of the signers' tokens. */
  env: Record<string, string>;
}

const secret = 'a secret that only tests of faults know';

/** Environment of processes that fault tests start on one database. */
export const faultEnv = (databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  SECRET: secret,
  RATE_LIMITS: 'off',
});

/** Fills a migrated database with active petitions and signers. */
export async function prepareCrowd(
  databaseUrl: string,
  size: { petitions: number; signers: number },
): Promise<Crowd> {
  await using service = await startService({ databaseUrl, env: faultEnv(databaseUrl) });
  const [creator] = await createUsers(service, 1);
  const petitions = [];
  for (let n = 0; n < size.petitions; n += 1) petitions.push(await createPublished(creator!));
  const signers = await createUsers(service, size.signers);
  return {
    petitions: petitions.map(({ id, slug }) => ({ id, slug })),
    signers: signers.map(({ id, token }) => ({ id, token })),
    env: faultEnv(databaseUrl),
  };
}

/** The answer to one request of a load. */
export interface Answer {
  method: 'GET' | 'POST';
  path: string;
  /** 0: the connection failed. */
  status: number;
  durationMs: number;
  retryAfter: string | null;
  /** Id of the signer of a POST. */
  signerId?: string;
  /** Whether it was one of the first, which a process that was just started answers while it compiles its code. */
  isWarmUp?: boolean;
  /** The start of the body of a failed request, or the error of the connection. */
  errorBody: string;
}

/** Timeout of test clients. The service must answer much sooner. */
const clientTimeoutMs = 12_000;

export async function request(
  method: Answer['method'],
  origin: string,
  path: string,
  signer?: Signer,
  more: Record<string, string> = {},
): Promise<Answer> {
  const startedAt = performance.now();
  const end = (status: number, retryAfter: string | null, errorBody: string): Answer => ({
    method,
    path,
    status,
    durationMs: performance.now() - startedAt,
    retryAfter,
    errorBody,
    ...(signer && { signerId: signer.id }),
  });
  try {
    const response = await fetch(origin + path, {
      method,
      signal: AbortSignal.timeout(clientTimeoutMs),
      headers: { ...(signer && { authorization: `Bearer ${signer.token}` }), ...more },
    });
    const body = await response.text();
    const errorBody = response.ok ? '' : body.slice(0, 500);
    return end(response.status, response.headers.get('retry-after'), errorBody);
  } catch (error) {
    const { message, cause } = error as Error;
    return end(0, null, `${message}: ${String(cause)}`);
  }
}

export interface LoadOptions {
  origin: string | (() => string);
  petition: { id: string; slug: string };
  signers: Signer[];
  /** Number of concurrent clients. */
  clients?: number;
  /** Pause between two requests of one client. */
  pauseMs?: number;
  /** Headers of the nth request. */
  headers?: (turn: number) => Record<string, string>;
}

/** The work begins after so many answers. */
const warmUpAnswers = 100;

/** Signs and reads before and during the work. Returns all answers. */
export async function underLoad(
  { origin, petition, signers, clients = 32, pauseMs = 20, headers = () => ({}) }: LoadOptions,
  work: () => Promise<void>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const paths = [`/v1/petitions/${petition.id}`, '/v1/petitions', `/p/${petition.slug}`];
  const originNow = typeof origin === 'string' ? () => origin : origin;
  let turn = 0;
  const ending = new AbortController();
  const { signal } = ending;
  const client = async () => {
    while (!signal.aborted) {
      const n = turn++;
      const isWarmUp = answers.length < warmUpAnswers;
      const answer =
        n % 4 === 3
          ? await request('GET', originNow(), paths[n % paths.length]!, undefined, headers(n))
          : await request(
              'POST',
              originNow(),
              `/v1/petitions/${petition.id}/signatures`,
              signers[n % signers.length],
              headers(n),
            );
      answers.push({ ...answer, isWarmUp });
      await pause(pauseMs);
    }
  };
  const loading = Promise.all(Array.from({ length: clients }, client));
  try {
    await eventually(() => answers.length >= warmUpAnswers);
    await work();
  } finally {
    ending.abort();
    await loading;
  }
  return answers;
}

/** Fails unless all requests succeeded or got 503 with Retry-After, in time; how long the first took does not count. */
export function assertAnswered(answers: Answer[], { withinMs }: { withinMs: number }): void {
  const wrong = answers.filter(({ status }) => !(status < 300 && status >= 200) && status !== 409);
  const refused = wrong.filter(({ status }) => status === 503);
  assert.deepEqual(
    wrong.filter(({ status }) => status !== 503).slice(0, 5),
    [],
    `of ${answers.length} answers: ${summary(answers)}`,
  );
  assert.deepEqual(
    refused.filter(({ retryAfter }) => !/^[1-9]\d*$/.test(retryAfter ?? '')).slice(0, 5),
    [],
    '503 without Retry-After',
  );
  const slowest = answers
    .filter(({ isWarmUp }) => !isWarmUp)
    .toSorted((a, b) => b.durationMs - a.durationMs)
    .slice(0, 3);
  assert.ok(
    (slowest[0]?.durationMs ?? 0) <= withinMs,
    `slower than ${withinMs} ms: ${JSON.stringify(slowest, null, 1)}; ${summary(answers)}`,
  );
}

/** Fails unless the service serves twenty concurrent signers. */
export async function assertServes(
  origin: string,
  petition: { id: string },
  signers: Signer[],
): Promise<void> {
  const path = `/v1/petitions/${petition.id}/signatures`;
  const some = signers.slice(-20);
  const answers = await Promise.all(some.map((signer) => request('POST', origin, path, signer)));
  const refused = answers.filter(({ status }) => status !== 201 && status !== 409);
  assert.deepEqual(refused, [], summary(answers));
  assertAnswered(answers, { withinMs: 3000 });
}

/** Counts of answers by status, for messages. */
export const summary = (answers: Answer[]): string =>
  Object.entries(Object.groupBy(answers, ({ status }) => String(status)))
    .map(([status, group]) => `${group!.length} × ${status}`)
    .join(', ');

/** Fails unless all answered signatures are stored, and the count matches the rows and events. */
export async function assertNothingLost(
  db: Db,
  petition: { id: string },
  answers: Answer[],
): Promise<void> {
  const answered = new Set(
    answers.filter(({ status }) => status === 201).map(({ signerId }) => signerId!),
  );
  const rows = await db`select user_id from signatures where petition_id = ${petition.id}`;
  const stored = new Set(rows.map((row) => row.user_id as string));
  assert.deepEqual([...answered.difference(stored)], [], 'answered, but not stored');
  const [row] = await db`
    select signature_count as count,
      (select count(*)::int from events e
        where e.petition_id = p.id and e.type = 'signature.created') as events
    from petitions p where id = ${petition.id}`;
  assert.deepEqual({ ...row }, { count: rows.length, events: rows.length });
  assert.equal(stored.size, rows.length, 'somebody signed twice');
}

/**
 * Polls readiness five times a second during the work. Subtracts from each duration that of a concurrent `/health`,
 * which does not use the database, since everything is slower on a busy machine.
 */
export async function readinessDuring(
  origin: string,
  work: () => Promise<void>,
): Promise<Answer[]> {
  const asked: Promise<Answer>[] = [];
  const ask = async () => {
    const [ready, health] = await Promise.all([
      request('GET', origin, '/health/ready'),
      request('GET', origin, '/health'),
    ]);
    assertAnswered([health], { withinMs: 2000 });
    return { ...ready, durationMs: Math.max(0, ready.durationMs - health.durationMs) };
  };
  const askAgain = () => {
    const asking = ask();
    asking.catch(() => {});
    asked.push(asking);
  };
  askAgain();
  const timer = setInterval(askAgain, 200);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Promise.all(asked);
}

/** Waits until the service is ready. Returns how long it took in milliseconds. */
export async function untilReady(origin: string, withinMs: number): Promise<number> {
  const startedAt = performance.now();
  await eventually(
    async () => (await request('GET', origin, '/health/ready')).status === 200,
    withinMs,
  );
  return Math.round(performance.now() - startedAt);
}

/** The address of the database through a proxy. */
export const throughProxy = (url: string, { port }: { port: number }): string =>
  Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href;

/** Opens a pool that is closed with its scope. */
export function openTestPool(url: string): { db: Pool } & AsyncDisposable {
  const db = openPool(url, { name: 'test', max: 2 });
  return { db, [Symbol.asyncDispose]: () => db.end({ timeout: 1 }) };
}
