import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runCli } from '../../../test/support/command.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  isCheckpoint,
  openTestLog,
  publisherWith,
  requireWhole,
  startLogWorld,
  watchedBlobs,
  type LogWorld,
} from '../../../test/support/log.ts';
import { requireOneHistory } from '../../../test/support/log-history.ts';
import { commandEnv, createInstance } from '../../../test/support/log-instance.ts';
import { createPublished, signUp, type TestUser } from '../../../test/support/people.ts';
import { logWith, recount, type VerifiedLog } from '../../../test/support/public-log.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { signByMany } from '../../../test/support/signing.ts';
import { verifyReceipt } from '../../platform/transparency/receipts.ts';
import { adoptLog } from './adopting.ts';
import { LogFiles } from './log-files.ts';
import { readState } from './state.ts';

type Petition = { id: string; log_id: string };

const createPetition = async (service: Service): Promise<Petition> =>
  createPublished(await signUp(service, 'Creator'));

/** Waits until the published log counts so many signatures of a petition. */
const countedLog = (service: Service, { log_id: logId }: Petition, counted: number) =>
  logWith(service, ({ entries }) => recount(entries).get(logId)?.counted === counted);

const checkpointOf = async ({ ctx }: Service, origin = 'petitions.test/log') =>
  new LogFiles(ctx.blobs, origin).readCheckpoint();

const receiptOf = ({ api }: TestUser, { id }: Petition) =>
  api.get(`/v1/petitions/${id}/signatures/me/receipt`);

const isHalted = async ({ api, ctx }: Service): Promise<boolean> => {
  ctx.cache.drop('transparency-log');
  return /^transparency_log_halted 1$/m.test((await api.get('/metrics')).body);
};

/** Waits until the writer of the log has passed the last event. */
async function passedEvents({ ctx }: Service): Promise<void> {
  const position = () => ctx.db.value<string>`
    select (transaction, position)::text from event_followers where name = 'transparency-log'`;
  const newest = () => ctx.db.value<string>`
    select (transaction, position)::text from events e order by e.transaction desc, e.position desc limit 1`;
  await eventually(async () => (await position()) === (await newest()));
}

/** A user, for calls to a service that was started later. */
const userOf = (service: Service, { id, email, token }: TestUser): TestUser => ({
  id,
  email,
  token,
  api: service.api.as(token),
});

describe('a database that was restored from before the last checkpoint', () => {
  it('publishes nothing, and people go on signing, until another log begins', async () => {
    await using instance = await createInstance();
    let petition: Petition;
    let early: TestUser;
    {
      await using service = await instance.start();
      petition = await createPetition(service);
      early = (await signByMany(service, petition, 3))[0]!;
      await countedLog(service, petition, 3);
    }
    const restored = await instance.copyDatabase();
    let before: VerifiedLog;
    {
      await using service = await instance.start();
      await signByMany(service, petition, 2);
      before = await countedLog(service, petition, 5);
    }
    const lines: string[] = [];
    const otherOrigin = { LOG_ORIGIN: 'petitions.test/second' };
    let env: Record<string, string>;
    {
      await using service = await instance.start({ database: restored, lines });
      await eventually(() => isHalted(service));
      const late = (await signByMany(service, petition, 4))[0]!;
      await passedEvents(service);
      assert.equal(await checkpointOf(service), before.note);
      assert.equal((await receiptOf(late, petition)).status, 202);
      assert.equal((await receiptOf(userOf(service, early), petition)).status, 200);
      const { body } = await service.api.get(`/v1/petitions/${petition.id}`);
      assert.equal(body.data.signature_count, 7);
      const errors = lines.filter((line) => line.includes('the public log is halted'));
      assert.equal(errors.length, 1);
      assert.match(errors[0]!, /the database is behind: it has \d+ entries, and \d+ are published/);

      env = commandEnv(service);
      const refused = await runCli('log-adopt', [], env);
      assert.equal(refused.code, 1);
      assert.match(
        refused.stderr,
        /^The log cannot go on: the database is behind: .* begin another log with another LOG_ORIGIN\.\n$/,
      );
      assert.ok(await isHalted(service));
      // The service still runs under the former name.
      const adopted = await runCli('log-adopt', [], { ...env, ...otherOrigin });
      assert.equal(adopted.code, 0, adopted.stderr);
      assert.equal(
        adopted.stdout,
        'A new log begins. That of petitions.test/log has ended in this database.\n',
      );
      await signByMany(service, petition, 1);
      await passedEvents(service);
      assert.equal((await service.api.get('/v1/log')).status, 404);
    }
    await using service = await instance.start({ database: restored, env: otherOrigin });
    const after = await countedLog(service, petition, 8);
    const { data } = (await service.api.get('/v1/log')).body;
    assert.equal(data.origin, 'petitions.test/second');
    assert.equal(after.checkpoint.origin, 'petitions.test/second');
    const keysBefore = new Set(before.keys.map(({ id }) => id));
    assert.ok(after.keys.every(({ id }) => !keysBefore.has(id)));
    assert.equal(await checkpointOf(service), before.note);
    const { body: receipt } = await receiptOf(userOf(service, early), petition);
    verifyReceipt(receipt, { origin: data.origin, logKeys: after.keys });
    assert.ok(!(await isHalted(service)));
  });
});

describe('a copy of the database', () => {
  it('publishes nothing under another BASE_URL, until it moves there', async () => {
    await using instance = await createInstance();
    let petition: Petition;
    let before: VerifiedLog;
    {
      await using service = await instance.start();
      petition = await createPetition(service);
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

describe('a backup that was restored elsewhere', () => {
  it('goes on with the log after log-adopt', async () => {
    await using instance = await createInstance();
    const file = join(await instance.createFolder(), 'log.backup');
    let petition: Petition;
    let before: VerifiedLog;
    let env: Record<string, string>;
    {
      await using service = await instance.start();
      petition = await createPetition(service);
      await signByMany(service, petition, 300);
      before = await countedLog(service, petition, 300);
      env = commandEnv(service);
    }
    const written = await runCli('backup', [file], env);
    assert.equal(written.code, 0, written.stderr);
    const database = await instance.createEmptyDatabase();
    const elsewhere = { DATABASE_URL: database.url, DATA_DIR: await instance.createFolder() };
    const restored = await runCli('restore', [file], { ...env, ...elsewhere });
    assert.equal(restored.code, 0, restored.stderr + restored.stdout);

    const lines: string[] = [];
    await using service = await instance.start({ database, env: elsewhere, lines });
    await eventually(() => isHalted(service));
    assert.match(lines.join(''), /the public log is halted/);
    assert.equal(await checkpointOf(service), undefined);
    await signByMany(service, petition, 2);
    const adopted = await runCli('log-adopt', [], { ...env, ...elsewhere });
    assert.equal(adopted.stdout, 'The log goes on here.\n', adopted.stderr);
    const after = await countedLog(service, petition, 302);
    requireOneHistory(after, [before.note, after.note]);
    await eventually(async () => !(await isHalted(service)));
  });
});
