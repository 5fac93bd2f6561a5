import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCli } from '../../../test/support/command.ts';
import { requireOneHistory } from '../../../test/support/log-history.ts';
import {
  checkpointOf,
  commandEnv,
  createInstance,
  passedEvents,
} from '../../../test/support/log-instance.ts';
import {
  isCheckpoint,
  openTestLog,
  publisherWith,
  requireWhole,
  startLogWorld,
  watchedBlobs,
  type LogWorld,
} from '../../../test/support/log.ts';
import { createPublished, signUp } from '../../../test/support/people.ts';
import {
  countedLog,
  type LoggedPetition,
  type VerifiedLog,
} from '../../../test/support/public-log.ts';
import { startService } from '../../../test/support/service.ts';
import { receiptOf, signByMany } from '../../../test/support/signing.ts';
import { adoptLog } from './adopting.ts';
import { readState } from './state.ts';

describe('a copy of the database', () => {
  it('publishes nothing under another BASE_URL, until it moves there', async () => {
    await using instance = await createInstance();
    let petition: LoggedPetition;
    let before: VerifiedLog;
    {
      await using service = await instance.start();
      petition = await createPublished(await signUp(service, 'Creator'));
      await signByMany(service, petition, 3);
      before = await countedLog(service, petition, 3);
    }
    const database = await instance.copyDatabase();
    const other = { BASE_URL: 'http://moved.test' };
    for (const env of [other, { ...other, LOG_ORIGIN: 'petitions.test/log' }]) {
      await using service = await instance.start({ database, env });
      const [signer] = await signByMany(service, petition, 1);
      await passedEvents(service);
      assert.equal((await service.api.get('/v1/log')).status, 404);
      assert.equal((await receiptOf(signer!, petition)).status, 404);
      assert.equal((await service.api.get(`/v1/petitions/${petition.id}/log`)).status, 404);
      assert.equal(await checkpointOf(service), before.note);
      assert.equal(await checkpointOf(service, 'moved.test/log'), undefined);
      assert.equal((await readState(service.ctx.db))!.edge.size, before.checkpoint.size);
    }
    const moved = { ...other, LOG_ORIGIN: 'petitions.test/log' };
    await using service = await instance.start({ database, env: moved });
    const adopted = await runCli('log-adopt', [], { ...commandEnv(service), ...moved });
    assert.equal(adopted.stdout, 'The log goes on here.\n', adopted.stderr);
    const after = await countedLog(service, petition, 5);
    requireOneHistory(after, [before.note, after.note]);
    assert.deepEqual(after.keys, before.keys);
    const again = await runCli('log-adopt', [], { ...commandEnv(service), ...moved });
    assert.equal(again.stdout, 'The log is that of this instance already.\n', again.stderr);
  });
});

describe('a log that moves', () => {
  /** Starts another process on the database and files of a service, for another BASE_URL. */
  const moved = ({ service, log }: LogWorld) =>
    startService({
      beside: service,
      env: {
        DATA_DIR: service.ctx.config.dataDir,
        BASE_URL: 'http://moved.test',
        LOG_ORIGIN: log.origin,
      },
    });

  it('goes on where a process ended between checkpoint and database', async () => {
    for (const entriesBefore of [0, 300]) {
      await using world = await startLogWorld();
      const { service, log } = world;
      await log.append(entriesBefore);
      await log.publish();
      await log.append(100);
      const after = (key: string) => {
        if (isCheckpoint(key)) throw new Error('The process ends.');
      };
      const blobs = watchedBlobs(service.ctx.blobs, { after });
      await assert.rejects(publisherWith(service.ctx, log, blobs).publish(log.keys));
      await log.append(10);
      await using other = await moved(world);
      assert.deepEqual(await adoptLog(other.ctx), { outcome: 'continued' });
      const there = await openTestLog(other.ctx);
      assert.equal(await there.publish(), 'published');
      assert.equal(await log.publish(), 'not-ours');
      await requireWhole({ ...world, service: other, log: there });
    }
  });

  it('is not replaced by a command that has neither LOG_ORIGIN nor BASE_URL', async () => {
    await using world = await startLogWorld();
    const { service, log } = world;
    await log.append(10);
    await log.publish();
    const { BASE_URL: baseUrl = '', ...env } = commandEnv(service);
    const refused = await runCli('log-adopt', [], env);
    assert.equal(refused.code, 1, refused.stdout);
    assert.match(
      refused.stderr,
      /^The log of this database is petitions\.test\/log\. Set LOG_ORIGIN or BASE_URL/,
    );
    const own = await runCli('log-adopt', [], { ...env, BASE_URL: baseUrl });
    assert.equal(own.stdout, 'The log is that of this instance already.\n', own.stderr);
    await requireWhole(world);
  });

  it('is refused where its checkpoint is not that of the database', async () => {
    await using world = await startLogWorld();
    const { log } = world;
    await log.append(300);
    await log.publish();
    const note = (await log.files.readCheckpoint())!;
    await using other = await moved(world);
    for (const damaged of ['404', note.replace('\n300\n', '\n299\n')]) {
      await log.files.putCheckpoint(damaged);
      await assert.rejects(adoptLog(other.ctx), /cannot go on: .* not signed by the keys of this/);
    }
    await log.files.putCheckpoint(note);
    assert.deepEqual(await adoptLog(other.ctx), { outcome: 'continued' });
  });
});
