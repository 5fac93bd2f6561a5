import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import {
  type Outcome,
  pipeline,
  Refused,
  send,
  sendSlowly,
  type Sending,
} from '../support/keep-alive.ts';
import type { Pool } from '../../src/platform/db.ts';
import { openTestPool } from '../support/load.ts';
import { waitingForLocks } from '../support/locks.ts';
import { freePort, startProcess } from '../support/process.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';

const ready = /^Ready at .*\n(?:Set this site up .*\n)?/;
/** Longest time from the signal to the end. */
const maxStopMs = 10_000;

const onWindows = process.platform === 'win32' && 'Windows has no signals';

describe('npm start', { skip: onWindows, concurrency: true }, () => {
  for (const { name, command, toGroup } of [
    { name: 'npm', command: ['npm', 'start'], toGroup: false },
    { name: "npm's process group", command: ['npm', 'start'], toGroup: true },
    { name: 'npm under a shell', command: ['sh', '-c', 'npm start; exit $?'], toGroup: false },
  ]) {
    it(`stops all its processes after SIGTERM to ${name}`, async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'petitions-stop-'));
      await chmod(dataDir, 0o755);
      try {
        const port = await freePort();
        const child = spawn(command[0]!, command.slice(1), {
          env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'error' },
          stdio: ['ignore', 'pipe', 'inherit'],
          detached: true,
        });
        const exited = once(child, 'exit');
        let output = '';
        child.stdout.on('data', (chunk) => (output += chunk));
        await eventually(() => output.includes('Ready'), 60_000);
        const processes = await processesFrom(child.pid!);
        const npm = processes.find(({ line }) => line.startsWith('npm start'))!;
        const database = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8');
        const started = [...processes.map(({ pid }) => pid), Number(database.split('\n')[0])];
        const start = performance.now();
        process.kill(toGroup ? -child.pid! : npm.pid, 'SIGTERM');
        const [code] = await exited;
        assert.ok(performance.now() - start < maxStopMs, `${performance.now() - start} ms`);
        assert.equal(code, 0);
        // Ended processes stay visible until their parent, or the init process, reaps them.
        await eventually(() => !started.some(isAlive), 2000);
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    });
  }
});

describe('SIGTERM under load', () => {
  it('neither resets nor fails requests on kept connections', roundsTimeout(30_000), async (t) => {
    await using database = await createTestDatabase();
    for (let round = 0; round < rounds; round += 1) {
      const { outcomes, late, stopMs } = await stopUnderLoad(database.url);
      const failed = outcomes.filter(({ status }) => status === 0 || status >= 500);
      const figures = `${outcomes.length} answers, ${late} of them after the signal, stopped in ${stopMs} ms`;
      assert.deepEqual(failed, [], `${failed.length} failed of ${figures}`);
      assert.ok(outcomes.length > 600, `${outcomes.length} answers`);
      assert.ok(stopMs < maxStopMs, `it took ${stopMs} ms`);
      t.diagnostic(figures);
    }
  });

  it('makes readiness 503 at once, serves on, and then announces closing', async () => {
    await using database = await createTestDatabase();
    const service = await startProcess({ DATABASE_URL: database.url });
    using agent = keptConnection();
    const get = (path: string) => send(service.origin, agent, { method: 'GET', path });
    assert.equal((await get('/health/ready')).status, 200);
    const ended = service.end('SIGTERM');
    await eventually(async () => (await get('/health/ready')).status === 503, 1000);
    const unready = await fetch(`${service.origin}/health/ready`);
    assert.match(unready.headers.get('content-type')!, /problem\+json/);
    assert.ok(unready.headers.get('retry-after'));
    const answers: Outcome[] = [];
    await eventually(async () => {
      answers.push(await get('/health'));
      return answers.at(-1)!.closes === true;
    });
    assert.deepEqual(
      answers.filter(({ status }) => status !== 200),
      [],
    );
    await assert.rejects(get('/health'), Refused);
    assert.equal(await ended, 0);
    assert.equal(service.output().replace(ready, ''), '', 'a stop logs no errors');
  });

  it('answers 503 to slow requests, and does not wait for idle connections', async () => {
    await using database = await createTestDatabase();
    const service = await startProcess({ DATABASE_URL: database.url });
    const { port } = new URL(service.origin);
    const silent = connect(Number(port), '127.0.0.1');
    await once(silent, 'connect');
    // It sends a byte a second, for a minute.
    const endless = sendSlowly(service.origin, { bytes: 60, everyMs: 1000 });
    await pause(300);
    const start = performance.now();
    const code = service.end('SIGTERM');
    const { status } = await endless;
    assert.equal(status, 503);
    assert.equal(await code, 0);
    assert.ok(performance.now() - start < maxStopMs, `${performance.now() - start} ms`);
  });
});

/**
 * Stops the process while hundreds of kept connections send requests, some requests wait for a database lock, and some
 * send their bodies slowly. Clients continue until a connection is refused.
 */
async function stopUnderLoad(databaseUrl: string) {
  const service = await startProcess({ DATABASE_URL: databaseUrl, RATE_LIMITS: 'off' });
  const { origin } = service;
  await using locking = openTestPool(databaseUrl);
  const { db } = locking;
  const release = await lockUsers(db);
  const outcomes: Outcome[] = [];
  const note = (outcome: Outcome) => void outcomes.push(outcome);
  const connected = new Set<number>();
  const kept = Array.from({ length: 300 }, (_, n) =>
    keepAsking(origin, n, (outcome) => {
      connected.add(n);
      note(outcome);
    }),
  );
  const pipelined = Array.from({ length: 10 }, () => keepPipelining(origin, note));
  await eventually(() => connected.size === kept.length, 30_000);
  const slow = Array.from({ length: 5 }, async () =>
    note(await sendSlowly(origin, { bytes: 50, everyMs: 80 })),
  );
  const waiting = Array.from({ length: 4 }, async () => note(await register(origin)));
  await eventually(async () => (await waitingForLocks(db)) === waiting.length, 20_000);
  const signalledAt = performance.now();
  const ended = service.end('SIGTERM');
  // After the listener is closed, and before the deadline of the requests.
  await pause(2300);
  release();
  assert.equal(await ended, 0, service.output());
  const stopMs = Math.round(performance.now() - signalledAt);
  await Promise.all([...waiting, ...slow, ...kept, ...pipelined]);
  const late = outcomes.filter(({ sentAt }) => sentAt > signalledAt).length;
  return { outcomes, late, stopMs };
}

/** Locks users against writes. Returns a function that releases the lock. */
async function lockUsers(db: Pool): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: markLocked } = Promise.withResolvers<void>();
  void db.begin(async (tx) => {
    await tx`lock table users in share mode`;
    markLocked();
    await released;
  });
  await locked;
  return release;
}

const requests: Sending[] = [
  { method: 'GET', path: '/v1/petitions' },
  { method: 'GET', path: '/health' },
  { method: 'GET', path: '/' },
  // 401: the body is read, and nothing is done.
  { method: 'POST', path: '/v1/petitions', body: JSON.stringify({ title: 'x'.repeat(500) }) },
];

/** A client with one kept connection. Every tenth pauses for longer than the server drains. */
async function keepAsking(
  origin: string,
  number: number,
  note: (outcome: Outcome) => void,
): Promise<void> {
  using agent = keptConnection();
  const maxPauseMs = number % 10 === 0 ? 4000 : 1000;
  try {
    for (let n = number; ; n += 1) {
      note(await send(origin, agent, requests[n % requests.length]!));
      await pause(Math.random() * maxPauseMs);
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}

/** An agent that reuses one connection. */
function keptConnection(): Agent & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() });
}

async function keepPipelining(origin: string, note: (outcome: Outcome) => void): Promise<void> {
  try {
    for (;;) await pipeline(origin, '/v1/petitions', 5, note);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}

/** Registers an account, which waits while users are locked. */
async function register(origin: string): Promise<Outcome> {
  const email = `${randomUUID()}@example.org`;
  const body = JSON.stringify({ email, password: 'correct horse', display_name: 'A' });
  return send(origin, new Agent({ keepAlive: false }), {
    method: 'POST',
    path: '/v1/auth/register',
    body,
  });
}

interface Process {
  pid: number;
  line: string;
}

/** A process and all its descendants. */
async function processesFrom(root: number): Promise<Process[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  const all = stdout.split('\n').map((row) => {
    const [, pid, parent, line] = /^ *(\d+) +(\d+) (.*)$/.exec(row) ?? [];
    return { pid: Number(pid), parent: Number(parent), line: line ?? '' };
  });
  const within = (pid: number): Process[] =>
    all.filter(({ parent }) => parent === pid).flatMap((one) => [one, ...within(one.pid)]);
  return [...all.filter(({ pid }) => pid === root), ...within(root)];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
