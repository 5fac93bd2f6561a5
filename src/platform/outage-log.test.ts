import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { pino, type Logger } from 'pino';
import { DatabaseUnavailable } from './db.ts';
import { OutageLog, usesOnlyDatabase } from './outage-log.ts';
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
  const unavailableError = (code = 'ECONNREFUSED') =>
    new DatabaseUnavailable('No connection.', { code });
  const written = () => lines.map(({ msg, suppressed }) => [msg, suppressed]);

  it('has one line a second, with the number left out, and one at the end', () => {
    for (let n = 0; n < 50; n += 1) {
      log.error({ err: unavailableError() }, 'a request failed');
      log.warn({ status: 503 }, 'request');
      log.error({ err: unavailable('Try again.', unavailableError()) }, 'a worker failed');
      log.error({ err: unavailable('Too many wait.') }, 'a request failed');
      pass(50);
    }
    assert.deepEqual(written(), [
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

  it('continues while failures are seconds apart, and starts again after the end', () => {
    for (let n = 0; n < 4; n += 1) {
      log.error({ err: unavailableError() }, 'a worker failed');
      pass(9000);
    }
    assert.equal(lines.length, 4);
    pass(1000);
    assert.deepEqual(written().at(-1), ['nothing fails by the database any more', 0]);
    pass(1000);
    log.error(unavailableError(), 'a worker failed');
    assert.deepEqual(written().at(-1), ['a worker failed', undefined]);
    pass(60_000);
    assert.equal(lines.at(-1)!.failures, 1);
  });

  it('has one line a minute for a full disk and for too many connections', () => {
    for (const code of ['53100', '53300']) {
      lines.length = 0;
      for (let n = 0; n < 240; n += 1) {
        const cause = Object.assign(unavailableError(), { code });
        log.error({ err: new DatabaseUnavailable('No.', { code: 'X', cause }) }, 'a job failed');
        pass(500);
      }
      assert.deepEqual(written(), [
        ['a job failed', undefined],
        ['a job failed', 119],
      ]);
      pass(59_500);
      assert.equal(lines.at(-1)!.failures, 240, 'at the end of its minute');
      pass(120_000);
      assert.equal(lines.length, 3);
    }
  });

  it('limits the lines of all loggers and reasons together', () => {
    const child = log.child({ part: 'x' });
    log.error({ err: unavailableError('53100') }, 'a request failed');
    child.error({ err: unavailableError() }, 'a worker failed');
    log.error({ err: unavailableError('53300') }, 'a job failed');
    assert.deepEqual(written(), [['a request failed', undefined]]);
    pass(1000);
    child.error({ err: unavailableError() }, 'a worker failed');
    assert.deepEqual(written().at(-1), ['a worker failed', 1]);
  });

  it('includes marked lines, whatever their error, and leaves no trace of the mark', () => {
    log.warn({ err: new Error('a socket'), [usesOnlyDatabase]: true }, 'not received');
    log.warn({ [usesOnlyDatabase]: true }, 'restarted');
    pass(60_000);
    assert.deepEqual(
      lines.map(({ msg, failures }) => [msg, failures]),
      [
        ['not received', undefined],
        ['nothing fails by the database any more', 2],
      ],
    );
    assert.doesNotMatch(JSON.stringify(lines), /usesOnlyDatabase/);
  });

  it('leaves out no other lines', () => {
    log.error({ err: unavailableError() }, 'a request failed');
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
