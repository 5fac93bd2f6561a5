import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createPublished,
  createUsers,
  logInAsAdmin,
  signUp,
  verifyAddress,
  type Person,
  type TestUser,
} from '../../../test/support/people.ts';
import { silent } from '../../../test/support/progress.ts';
import {
  kindsIn,
  logWith,
  readLog,
  undosIn,
  type LoggedPetition,
} from '../../../test/support/public-log.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { invalidateBy, signByMany, undo } from '../../../test/support/signing.ts';
import { importFile, readArguments, type ImportSettings } from '../../cli/import.ts';

interface Kinds {
  signed: number;
  undone: number;
  restored: number;
  imported: number;
}
type Day = Kinds & { day: string; has_earlier: boolean };

describe('the sums of the public log', () => {
  let service: Service;
  let creator: Person;
  let admin: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
    await verifyAddress(service, creator);
    admin = await logInAsAdmin(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const withdraw = async ({ api }: TestUser, { id }: LoggedPetition) =>
    assert.equal((await api.delete(`/v1/petitions/${id}/signatures/me`)).status, 204);
  const logOf = async ({ id }: LoggedPetition) =>
    (await service.api.get(`/v1/petitions/${id}/log`)).body.data as {
      counted: number;
      signature_count: number;
      tree_size: number;
      days: Day[] | null;
    };
  const leaf = (index: number) => service.api.get(`/v1/log/leaves/${index}`);
  /** Waits until the published log has so many entries of a petition, and the database no others. */
  const publishedWith = (petition: LoggedPetition, kinds: Partial<Kinds>) =>
    logWith(service, ({ entries }) => {
      const found: Kinds = kindsIn(entries, petition);
      return Object.entries(kinds).every(([kind, count]) => found[kind as keyof Kinds] === count);
    });
  /** A petition with entries of each kind: three signatures of which one is undone and one restored. */
  async function mixed(): Promise<LoggedPetition> {
    const petition: LoggedPetition = await createPublished(creator);
    const [, second] = await signByMany(service, petition, 2);
    const farm = await createUsers(service, 1, 'farm.example');
    await farm[0]!.api.post(`/v1/petitions/${petition.id}/signatures`);
    await publishedWith(petition, { signed: 3 });
    await withdraw(second!, petition);
    const rule = await invalidateBy(admin, petition, { domain: 'farm.example' });
    await publishedWith(petition, { undone: 2 });
    await undo(admin, rule);
    await publishedWith(petition, { restored: 1 });
    return petition;
  }

  it('say how many entries of each kind were added on each day', async () => {
    const petition = await mixed();
    const { days, counted } = await logOf(petition);
    assert.equal(counted, 2);
    const today = new Date().toISOString().slice(0, 10);
    assert.deepEqual(days, [
      { day: today, signed: 3, undone: 2, restored: 1, imported: 0, has_earlier: false },
    ]);
  });

  it('have what was imported', async () => {
    const file = join(service.ctx.config.dataDir, 'import.csv');
    await writeFile(
      file,
      'id,title,created_at,signature_count,status\n7,An imported petition,2012-03-04T05:06:07Z,1234,open\n',
    );
    const settings = readArguments([file, '--source', 'sums', '--id-pattern', '\\d+']);
    await importFile(service.ctx, settings as ImportSettings, () => {}, silent);
    const id = await service.ctx.db.value<string>`
      select petition_id from petition_imports where source = 'sums'`;
    const petition = (await service.api.get(`/v1/petitions/${id}`)).body.data as LoggedPetition;
    await publishedWith(petition, { imported: 1234 });
    const { days, signature_count: count } = await logOf(petition);
    assert.equal(count, 1234);
    const kinds = days!.map(({ signed, undone, restored, imported }) => ({
      signed,
      undone,
      restored,
      imported,
    }));
    assert.deepEqual(kinds, [{ signed: 0, undone: 0, restored: 0, imported: 1234 }]);
  });

  it('say of an entry whether it is undone', async () => {
    const petition = await mixed();
    const { entries, checkpoint } = await readLog(service);
    // The service reads its state once a second.
    await eventually(async () => (await logOf(petition)).tree_size >= checkpoint.size);
    const undos = undosIn(entries);
    for (const [index, entry] of entries.entries()) {
      const { status, body } = await leaf(index);
      if (entry.type !== 'sign') {
        assert.deepEqual([status, body.code], [404, 'no_sign_entry'], entry.type);
        continue;
      }
      assert.equal(status, 200, JSON.stringify(body));
      const undone = undos.get(index);
      const by = undone === undefined ? undefined : entries[undone]!;
      assert.deepEqual(body.data.entry, entry);
      assert.deepEqual(
        body.data.undone,
        by?.type === 'undo' ? { index: undone, cause: by.cause } : null,
      );
    }
    const causes = [...undos].flatMap(([, index]) => {
      const entry = entries[index]!;
      return entry.type === 'undo' && entry.petition === petition.log_id ? [entry.cause] : [];
    });
    assert.deepEqual(causes, ['withdrawn']);
    const beyond = await leaf(checkpoint.size + 1000);
    assert.deepEqual([beyond.status, beyond.body.code], [404, 'not_found']);
    assert.ok((await leaf(-1)).status >= 400);
    await using other = await startService({ beside: service, env: { LOG: 'off' } });
    assert.equal((await other.api.get('/v1/log/leaves/1')).status, 404);
  });

  it('have earlier days in the first of 400', async () => {
    const petition: LoggedPetition = await createPublished(creator);
    await signByMany(service, petition, 1);
    await publishedWith(petition, { signed: 1 });
    await service.ctx.db`
      insert into transparency_days (petition, day, signs)
      select t.number, date '2020-01-01' + n, 1
      from transparency_petitions t, generate_series(0, 499) n where t.petition_id = ${petition.id}`;
    await eventually(async () => (await logOf(petition)).days!.length === 400);
    const days = (await logOf(petition)).days!;
    assert.deepEqual(days[0], {
      day: '2020-04-11',
      signed: 102,
      undone: 0,
      restored: 0,
      imported: 0,
      has_earlier: true,
    });
    assert.equal(
      days.slice(1).some(({ has_earlier: has }) => has),
      false,
    );
    assert.equal(
      days.reduce((sum, { signed }) => sum + signed, 0),
      501,
    );
  });

  it('are filled in for a log that was there before, while it goes on', async () => {
    const petition = await mixed();
    const { entries } = await readLog(service);
    const [restored] = entries
      .filter((entry) => entry.type === 'restore')
      .map((entry) => entry.type === 'restore' && entry.leaf);
    const stored = async () => {
      const rows = await service.ctx.db<{ leaf: number; undo: number }[]>`
        select leaf::float8 as leaf, undo::float8 as undo from transparency_undos order by leaf`;
      return rows.map(({ leaf: index, undo: by }) => [index, by]);
    };
    const undosBefore = await stored();
    assert.ok(undosBefore.length > 0);
    const { days } = await logOf(petition);
    // As an earlier version left it, after the backfill was complete.
    await service.ctx.db`
      with log as (update transparency_log set summed_size = 0, days_since = null),
        undos as (delete from transparency_undos)
      delete from transparency_days`;
    assert.equal((await leaf(Number(restored))).status, 503);
    const signers = await signByMany(service, petition, 3);
    await eventually(async () => (await logOf(petition)).days !== null, 20_000);
    await publishedWith(petition, { signed: 6 });
    assert.equal((await leaf(Number(restored))).body.data.undone, null);
    assert.deepEqual((await stored()).slice(0, undosBefore.length), undosBefore);
    await withdraw(signers[0]!, petition);
    const log = await publishedWith(petition, { undone: 3 });
    assert.deepEqual(
      await stored(),
      [...undosIn(log.entries)].toSorted(([one], [other]) => one - other),
    );
    const now = await logOf(petition);
    assert.deepEqual(now.days, [{ ...days![0]!, signed: 6, undone: 3, has_earlier: true }]);
  });
});
