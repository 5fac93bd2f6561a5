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
const maxMs = 20 * machineSlowness();
const [warmUps, measurements] = [3, 7];
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

/** Asserts that the quickest of several requests is within the limit: the others were slowed by the machine. */
async function requireLittleWork(
  { name, maxStatus }: Expectation,
  requestOf: (n: number) => Request,
): Promise<void> {
  for (let n = 0; n < warmUps; n += 1) await measure(requestOf(n));
  const answers = [];
  for (let n = 0; n < measurements; n += 1) answers.push(await measure(requestOf(warmUps + n)));
  const least = Math.min(...answers.map(({ ms }) => ms));
  const { status, bytes } = answers[0]!;
  if (process.env.WORK_VERBOSE) {
    process.stdout.write(`${least.toFixed(1)} ms ${name}: ${status}, ${bytes} bytes\n`);
  }
  assert.ok(status > 0 && status < maxStatus, `${name}: ${status}`);
  assert.ok(
    least <= (slower[name]?.factor ?? 1) * maxMs,
    `${name} takes ${least.toFixed(1)} ms: ${status}, ${bytes} bytes`,
  );
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
