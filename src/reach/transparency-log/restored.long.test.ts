import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runCli } from '../../../test/support/command.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { requireOneHistory } from '../../../test/support/log-history.ts';
import {
  checkpointOf,
  commandEnv,
  createInstance,
  isHalted,
  passedEvents,
} from '../../../test/support/log-instance.ts';
import { createPublished, signUp, type TestUser } from '../../../test/support/people.ts';
import {
  countedLog,
  type LoggedPetition,
  type VerifiedLog,
} from '../../../test/support/public-log.ts';
import type { Service } from '../../../test/support/service.ts';
import { eventualReceipt, receiptOf, signByMany } from '../../../test/support/signing.ts';
import { verifyReceipt } from '../../platform/transparency/receipts.ts';

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
    let petition: LoggedPetition;
    let early: TestUser;
    {
      await using service = await instance.start();
      petition = await createPublished(await signUp(service, 'Creator'));
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
      await eventually(async () => (await service.api.get('/v1/log')).status === 404);
    }
    await using service = await instance.start({ database: restored, env: otherOrigin });
    const after = await countedLog(service, petition, 8);
    const { data } = (await service.api.get('/v1/log')).body;
    assert.equal(data.origin, 'petitions.test/second');
    const { days } = (await service.api.get(`/v1/petitions/${petition.id}/log`)).body.data;
    const signed = days.map((day: { signed: number }) => day.signed);
    assert.deepEqual(signed, [8], 'nothing of the log before');
    assert.equal(after.checkpoint.origin, 'petitions.test/second');
    const keysBefore = new Set(before.keys.map(({ id }) => id));
    assert.ok(after.keys.every(({ id }) => !keysBefore.has(id)));
    assert.equal(await checkpointOf(service), before.note);
    const receipt = await eventualReceipt(userOf(service, early), petition);
    verifyReceipt(receipt, { origin: data.origin, logKeys: after.keys });
    assert.ok(!(await isHalted(service)));
  });
});

describe('a backup that was restored elsewhere', () => {
  it('goes on with the log after log-adopt', async () => {
    await using instance = await createInstance();
    const file = join(await instance.createFolder(), 'log.backup');
    let petition: LoggedPetition;
    let before: VerifiedLog;
    let env: Record<string, string>;
    {
      await using service = await instance.start();
      petition = await createPublished(await signUp(service, 'Creator'));
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
