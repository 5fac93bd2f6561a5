import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { throughProxy } from '../support/load.ts';
import { startProcess } from '../support/process.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

interface Line {
  level: string;
  time: string;
  msg: string;
  suppressed?: number;
  failures?: number;
  err?: { code?: string };
}

const outageMs = 6000;

it('logs at most one line a second while the database is unavailable, and one at the end', async (t) => {
  await using database = await createTestDatabase();
  const { hostname, port } = new URL(database.url);
  await using proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  await using service = await startProcess({
    DATABASE_URL: throughProxy(database.url, proxy),
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'info',
  });
  const asking = new AbortController();
  const statuses: number[] = [];
  const asked = Array.from({ length: 20 }, async () => {
    while (!asking.signal.aborted) {
      const body = JSON.stringify({ email: 'a@example.org', password: 'correct horse' });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${service.origin}/v1/auth/login`, {
        method: 'POST',
        headers,
        body,
      });
      statuses.push(answer.status);
      await answer.text();
      await pause(50);
    }
  });
  const lines = (): Line[] =>
    service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line)
      .filter(({ level }) => level === 'warn' || level === 'error');
  assert.deepEqual(lines(), []);
  await proxy.refuse();
  await pause(outageMs);
  const figures = await fetch(`${service.origin}/metrics`);
  assert.equal(figures.status, 200);
  const text = await figures.text();
  assert.match(text, /^process_cpu_seconds_total \d/m);
  assert.doesNotMatch(text, /^event_follower_lag_seconds\{/m);
  await proxy.resume();
  await eventually(async () => (await fetch(`${service.origin}/health/ready`)).status === 200);
  asking.abort();
  await Promise.all(asked);
  await eventually(() => lines().some(({ failures }) => failures !== undefined), 30_000);

  const written = lines();
  const refused = statuses.filter((status) => status === 503).length;
  assert.ok(refused > 100, `${refused} requests were refused`);
  const times = written.map(({ time }) => Date.parse(time));
  const gaps = times.slice(1).map((time, n) => time - times[n]!);
  // A line is written a moment after the log has decided on it.
  assert.ok(
    gaps.every((gap) => gap >= 900),
    written.map(({ time, msg, err }) => `${time} ${msg} ${err?.code}`).join('\n'),
  );
  assert.ok(written.length >= outageMs / 2000, `${written.length} lines`);
  const last = written.at(-1)!;
  const suppressed = written.reduce((sum, line) => sum + (line.suppressed ?? 0), 0);
  assert.equal(last.failures, suppressed + written.length - 1);
  assert.ok(last.failures > refused, 'each refused request is among the failures');
  t.diagnostic(`${refused} requests refused, ${written.length} lines, ${suppressed} left out`);
});
