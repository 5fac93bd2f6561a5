import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startService } from '../../test/support/service.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

const oldBytes = () =>
  getHeapSpaceStatistics().find((space) => space.space_name === 'old_space')!.space_used_size;

it('what a statement brought goes with what is young', async () => {
  await using service = await startService();
  const db = service.ctx.pools.main;
  const ask = () => db`select repeat('x', 20000) as text where ${db`true`}`;
  for (let n = 0; n < 500; n += 1) await ask();
  collect();
  const before = oldBytes();
  let most = before;
  for (let n = 0; n < 2000; n += 1) {
    await ask();
    if (n % 100 === 0) collect({ type: 'minor' });
    most = Math.max(most, oldBytes());
  }
  assert.ok(most - before < 10_000_000, `${most - before} bytes became old`);
});
