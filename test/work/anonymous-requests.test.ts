import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { startService } from '../support/service.ts';
import { machineSlowness } from './machine-slowness.ts';
import {
  costlyBodies,
  furtherReads,
  isOpen,
  reads,
  refused,
  slower,
  writes,
  type Request,
} from './requests.ts';
import type { WorkAnswer } from './requester.ts';
import { makeLargeWorld } from './world.ts';

/** Processor time of the main thread that one anonymous request may take, on a machine of usual speed. */
const maxMs = 20;
const [warmUps, measurements] = [3, 7];
/** Rounds of measurements: machines that are shared are slower for a while. */
const rounds = 4;
/** One row of so many is measured, another one on each day. */
const step = Number(process.env.WORK_STEP || 1);
const today = Math.floor(Date.now() / 86_400_000);
const isChosen = (index: number) => (index + today) % step === 0;

const service = await startService();
const world = await makeLargeWorld(service);
const child = fork(new URL('./requester.ts', import.meta.url), { execArgv: [] });

/** Sends a request from another process. Returns the answer, and the processor time of this thread. */
async function measure({ path, ...request }: Request): Promise<WorkAnswer & { ms: number }> {
  const before = process.threadCpuUsage();
  child.send({ method: 'GET', ...request, url: service.origin + path });
  const [answer] = (await once(child, 'message')) as [WorkAnswer];
  const { user, system } = process.threadCpuUsage(before);
  return { ...answer, ms: (user + system) / 1000 };
}

interface Expectation {
  name: string;
  /** The answers' statuses are below it. */
  maxStatus: number;
}

/**
 * Asserts that the quickest of several requests is within the limit: the others were slowed by the machine. If none is,
 * the machine is timed too, beside more requests.
 */
async function requireLittleWork(
  { name, maxStatus }: Expectation,
  requestOf: (n: number) => Request,
): Promise<void> {
  let requests = 0;
  const next = () => measure(requestOf(requests++));
  for (let left = warmUps; left > 0; left -= 1) await next();
  const limit = (slower[name]?.factor ?? 1) * maxMs;
  let least = Infinity;
  for (let round = 0; round < rounds && least > limit; round += 1) {
    const slowness = round === 0 ? 1 : machineSlowness();
    for (let left = measurements; left > 0; left -= 1) {
      const { status, bytes, ms } = await next();
      assert.ok(status > 0 && status < maxStatus, `${name}: ${status}, ${bytes} bytes`);
      least = Math.min(least, ms / slowness);
    }
  }
  if (process.env.WORK_VERBOSE) process.stdout.write(`${least.toFixed(1)} ms ${name}\n`);
  assert.ok(least <= limit, `${name} takes ${least.toFixed(1)} ms`);
}

describe('the worst anonymous request', () => {
  after(async () => {
    child.kill();
    await service[Symbol.asyncDispose]();
  });

  const open = service.app.routes.filter(isOpen);

  it('is known of every route that reads', () => {
    const missing = open.filter(({ id, method }) => method === 'GET' && !(id in reads));
    assert.deepEqual(
      missing.map(({ id, path }) => `${id} ${path}`),
      [],
      'test/work/requests.ts needs a row for each',
    );
  });

  const rows = Object.entries({ ...reads, ...furtherReads, ...writes });
  for (const [name, row] of rows.filter((_, index) => isChosen(index))) {
    it(`of ${name}`, async () => {
      const maxStatus = refused.has(name) ? 500 : 400;
      await requireLittleWork({ name, maxStatus }, (n) => row(world, n));
    });
  }

  const writing = open.filter(({ method }) => method !== 'GET');
  for (const route of writing.filter((_, index) => isChosen(index))) {
    const bodies = costlyBodies(route);
    it(`of ${route.id}: bodies`, async () => {
      for (const [index, body] of bodies.entries()) {
        const name = `${route.id}, body ${index + 1}`;
        await requireLittleWork({ name, maxStatus: 500 }, () => body);
      }
    });
  }
});
