import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { startService } from '../../test/support/service.ts';
import { addJob, countJobs, startWorker } from './jobs.ts';

it('logs a failed job once', async () => {
  const log: string[] = [];
  await using service = await startService({ log, env: { LOG_LEVEL: 'info' } });
  const { databaseUrl, ctx } = service;
  const worker = await startWorker({
    databaseUrl,
    db: ctx.pools.main,
    eventNotifier: ctx.eventNotifier,
    log: ctx.log,
    schedules: [],
    handlers: {
      fail: async () => {
        throw new Error('the reason');
      },
    },
  });
  await addJob(ctx.db, 'fail', {}, { maxAttempts: 1 });
  await eventually(async () => (await countJobs(ctx.db)).failed === 1);
  await worker.stop();
  const lines = log.filter((line) => line.includes('the reason'));
  assert.equal(lines.length, 1, lines.join(''));
  const { msg, job, attempt, err } = JSON.parse(lines[0]!);
  assert.deepEqual([msg, job, attempt, err.message], ['a job failed', 'fail', 1, 'the reason']);
});
