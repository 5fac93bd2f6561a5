import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { pino, type Logger } from 'pino';
import { DatabaseUnavailable } from './db.ts';
import { OutageLog } from './outage-log.ts';
import { unavailable } from './problems.ts';

interface Line {
  msg: string;
  suppressed?: number;
  failures?: number;
  seconds?: number;
}

describe('the log of an outage', () => {
  let nowMs: number;
  let timers: { dueMs: number; work: () => void }[];
  let lines: Line[];
  let log: Logger;
  beforeEach(() => {
    nowMs = 0;
    timers = [];
    lines = [];
    const outages = new OutageLog({
      now: () => nowMs,
      after: (delayMs, work) => void timers.push({ dueMs: nowMs + delayMs, work }),
    });
    log = pino(
      {
        hooks: {
          logMethod(args, write) {
            outages.logMethod(this, args, write);
          },
        },
      },
      { write: (line: string) => void lines.push(JSON.parse(line) as Line) },
    );
  });

  const pass = (milliseconds: number) => {
    const end = nowMs + milliseconds;
    for (;;) {
      const next = timers.toSorted((a, b) => a.dueMs - b.dueMs)[0];
      if (!next || next.dueMs > end) break;
      timers = timers.filter((timer) => timer !== next);
      nowMs = next.dueMs;
      next.work();
    }
    nowMs = end;
  };
  const away = (code = 'ECONNREFUSED') => new DatabaseUnavailable('No connection.', { code });
  const told = () => lines.map(({ msg, suppressed }) => [msg, suppressed]);

  it('is a line a second, which says how many were left out, and one at the end', () => {
    for (let n = 0; n < 50; n += 1) {
      log.error({ err: away() }, 'a request failed');
      log.warn({ status: 503 }, 'request');
      log.error({ err: unavailable('Try again.', away()) }, 'a worker failed');
      log.error({ err: unavailable('Too many wait.') }, 'a request failed');
      pass(50);
    }
    assert.deepEqual(told(), [
      ['a request failed', undefined],
      ['a request failed', 79],
      ['a request failed', 79],
    ]);
    lines.length = 0;
    pass(60_000);
    assert.deepEqual(
      lines.map(({ msg, failures, suppressed, seconds }) => [msg, failures, suppressed, seconds]),
      [['nothing fails by the database any more', 200, 39, 2.5]],
    );
  });

  it('goes on while failures are seconds apart, and begins again after its end', () => {
    for (let n = 0; n < 4; n += 1) {
      log.error({ err: away() }, 'a worker failed');
      pass(9000);
    }
    assert.equal(lines.length, 4);
    pass(1000);
    assert.deepEqual(told().at(-1), ['nothing fails by the database any more', 0]);
    pass(1000);
    log.error(away(), 'a worker failed');
    assert.deepEqual(told().at(-1), ['a worker failed', undefined]);
    pass(60_000);
    assert.equal(lines.at(-1)!.failures, 1);
  });

  it('is a line a minute of a full disk, and of too many connections', () => {
    for (const code of ['53100', '53300']) {
      lines.length = 0;
      for (let n = 0; n < 240; n += 1) {
        const cause = Object.assign(away(), { code });
        log.error({ err: new DatabaseUnavailable('No.', { code: 'X', cause }) }, 'a job failed');
        pass(500);
      }
      assert.deepEqual(told(), [
        ['a job failed', undefined],
        ['a job failed', 119],
      ]);
      pass(59_500);
      assert.equal(lines.at(-1)!.failures, 240, 'at the end of its minute');
      pass(120_000);
      assert.equal(lines.length, 3);
    }
  });

  it('holds for all loggers and reasons together', () => {
    const child = log.child({ part: 'x' });
    log.error({ err: away('53100') }, 'a request failed');
    child.error({ err: away() }, 'a worker failed');
    log.error({ err: away('53300') }, 'a job failed');
    assert.deepEqual(told(), [['a request failed', undefined]]);
    pass(1000);
    child.error({ err: away() }, 'a worker failed');
    assert.deepEqual(told().at(-1), ['a worker failed', 1]);
  });

  it('leaves out nothing else', () => {
    log.error({ err: away() }, 'a request failed');
    const before = lines.length;
    log.error({ err: new Error('a defect') }, 'a request failed');
    log.error({ err: unavailable('Too many wait.') }, 'a request failed');
    log.error(new Error('another'));
    log.info('text');
    log.warn({ workers: 2 }, 'unlocked the jobs of workers that died');
    assert.equal(lines.length - before, 4, 'a refusal follows from the outage');
    pass(20_000);
    lines.length = 0;
    log.error({ err: unavailable('Too many wait.') }, 'a request failed');
    log.warn({ status: 503 }, 'request');
    assert.equal(lines.length, 2, 'there is no outage');
  });
});
