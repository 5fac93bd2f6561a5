import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { eventually } from '../../test/support/eventually.ts';
import { PeriodicReader } from './periodic-reader.ts';

/** A reader whose reads succeed or fail as `outcomes` says, and succeed from then on. */
function readerOf(outcomes: boolean[]) {
  const levels: string[] = [];
  const afterFailure: boolean[] = [];
  const log = pino(
    {},
    {
      write: (line: string) =>
        void levels.push(pino.levels.labels[(JSON.parse(line) as { level: number }).level]!),
    },
  );
  const reader = new PeriodicReader({
    log,
    subject: 'the settings',
    intervalMs: 1,
    read: (failed) => {
      const succeeds = outcomes[afterFailure.length] ?? true;
      afterFailure.push(failed);
      return succeeds ? Promise.resolve() : Promise.reject(new Error('The database is away.'));
    },
  });
  return { reader, levels, afterFailure };
}

describe('a periodic reader', () => {
  it('says nothing of one failure, and reports a second in a row, once', async () => {
    const { reader, levels, afterFailure } = readerOf([false, true, false, false, false, true]);
    reader.start();
    await eventually(() => afterFailure.length > 6);
    reader.stop();
    assert.deepEqual(levels, ['error']);
    assert.deepEqual(afterFailure.slice(0, 7), [false, true, false, true, true, true, false]);
  });

  it('reads one after the other', async () => {
    const { reader } = readerOf([]);
    const steps: string[] = [];
    const first = Promise.withResolvers<void>();
    const reads = [
      reader.refresh(async () => {
        await first.promise;
        steps.push('first');
      }),
      reader.refresh(async () => void steps.push('second')),
    ];
    first.resolve();
    await Promise.all(reads);
    assert.deepEqual(steps, ['first', 'second']);
  });
});
