import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startService } from '../../test/support/service.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

const oldBytes = () =>
  getHeapSpaceStatistics().find((space) => space.space_name === 'old_space')!.space_used_size;

it('does not promote rows of a result to the old generation', async () => {
  await using service = await startService();
  const db = service.ctx.pools.main;
  const runQuery = () => db`select repeat('x', 20000) as text where ${db`true`}`;
  for (let n = 0; n < 500; n += 1) await runQuery();
  collect();
  const bytesBefore = oldBytes();
  let maxBytes = bytesBefore;
  for (let n = 0; n < 2000; n += 1) {
    await runQuery();
    if (n % 100 === 0) collect({ type: 'minor' });
    maxBytes = Math.max(maxBytes, oldBytes());
  }
  assert.ok(maxBytes - bytesBefore < 10_000_000, `${maxBytes - bytesBefore} bytes became old`);
});
