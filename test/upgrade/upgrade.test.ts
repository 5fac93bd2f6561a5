import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { linkToken } from '../../src/campaigns/pending-signatures/secrets.ts';
import { milestoneCounts } from '../../src/campaigns/signatures/milestones.ts';
import { newKeyText, prefixOf } from '../../src/identity/api-keys/key-text.ts';
import type { Context } from '../../src/platform/context.ts';
import type { Pool } from '../../src/platform/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { Keys } from '../../src/platform/keys.ts';
import { Client } from '../support/client.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openTestPool } from '../support/load.ts';
import { petitionInput } from '../support/people.ts';
import { startProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { admin } from '../support/service.ts';
import { assertVerified } from '../support/verify.ts';
import { installEarlierVersion, missingVersion } from './earlier-version.ts';

/** Signatures that the petition has before, beside those that are given by the API. */
const before = Number(process.env.UPGRADE_SIGNATURES || 2000);
const maxWaitMs = 1000;
const secret = 'a secret that only tests of upgrades know';
/** As the earlier version derived them. */
const keys = new Keys({
  root: Buffer.from(secret),
  mailbox: Buffer.alloc(32),
  log: Buffer.alloc(32),
});

interface Person {
  id: string;
  key: string;
}

/** Inserts accounts of these addresses with API keys, which are valid on both versions. */
async function createPeople(db: Pool, emails: string[], verified = true): Promise<Person[]> {
  const people = emails.map((email) => ({ id: newId(), email, key: newKeyText('test') }));
  await db`
    insert into users (id, email, display_name, slug, email_verified_at)
    select id, email, 'Signer', id::text, case when ${verified} then now() end
    from unnest(${people.map(({ id }) => id)}::uuid[], ${emails}::text[]) as new (id, email)`;
  for (const { id, key } of people) {
    await db`
      insert into api_keys (id, user_id, name, scopes, prefix, key_hash)
      values (${newId()}, ${id}, 'A key', '{full}', ${prefixOf(key)}, ${keys.hash('api-key', key)})`;
  }
  return people;
}

/** Stores signatures of the past in the schema of the earlier version, with their sums. */
async function storeSignatures(db: Pool, petitionId: string, howMany: number): Promise<void> {
  await db`
    with signer as (
      insert into users (id, email, display_name, slug, email_verified_at)
      select gen_random_uuid(), 'old-' || n || '@example.org', 'Signer', 'old-' || n, now()
      from generate_series(1, ${howMany}::integer) n
      returning id
    )
    insert into signatures (id, petition_id, user_id, version, is_anonymous, created_at)
    select uuid_v7(), ${petitionId}, id, 1, false, now() from signer`;
  await db`
    update petitions set signature_count = signature_count + ${howMany},
      trend = trend_after(trend, ${howMany}, now()) where id = ${petitionId}`;
  await db`
    insert into events (type, petition_id, actor_type, actor_id, data)
    select 'signature.created', ${petitionId}, 'user', user_id, jsonb_build_object(
      'signature_id', id, 'signature_count', row_number() over (order by id))
    from signatures where petition_id = ${petitionId} order by id`;
  await db`
    insert into milestones (petition_id, threshold, signature_id)
    select petition_id, n, id
    from (
      select petition_id, id, row_number() over (order by id)::integer as n
      from signatures where petition_id = ${petitionId}
    ) counted
    where n = any(${[...milestoneCounts]}::integer[])`;
  await db`
    insert into events (type, petition_id, actor_type, data)
    select 'signature.milestone', petition_id, 'user', jsonb_build_object(
      'signature_id', signature_id, 'signature_count', threshold)
    from milestones where petition_id = ${petitionId} order by threshold`;
}

const isMissing = await missingVersion();

it(
  'a database of the earlier version is upgraded while people sign',
  { skip: isMissing ?? false, timeout: 240_000 + before * 2 },
  async (t) => {
    const folder = await installEarlierVersion();
    await using database = await createTestDatabase({ migrated: false });
    await using connected = openTestPool(database.url);
    const { db } = connected;
    let isReceiving = false;
    await using receiver = await startReceiver((_, response) =>
      response.writeHead(isReceiving ? 204 : 503).end(),
    );
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: join(folder, 'data'),
      SECRET: secret,
      PAYMENT_SECRET: 'not used',
      BASE_URL: 'http://petitions.test',
      RATE_LIMITS: 'off',
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      WEBHOOK_RETRY_BASE_MS: '2000',
    };
    const old = await startProcess(env, undefined, folder);
    await using stack = new AsyncDisposableStack();
    stack.use(old);
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const api = new Client(old.origin);
    const as = ({ key }: Person, origin = old.origin) => new Client(origin).as(key);

    // A world of the earlier version.
    const [creator, other] = (await createPeople(db, [
      'creator@example.org',
      'other@example.org',
    ])) as [Person, Person];
    const publish = async (person = creator) => {
      const { body } = await as(person).post('/v1/petitions', petitionInput);
      const { id } = body.data as { id: string };
      const { status } = await as(person).post(`/v1/petitions/${id}/publish`);
      assert.equal(status, 200);
      return { id, path: `/v1/petitions/${id}/signatures` };
    };
    const [busy, aliased, invalid, undone, raced] = [
      await publish(other),
      await publish(),
      await publish(),
      await publish(),
      await publish(),
    ];
    const hook = { url: `${receiver.origin}/hook`, events: ['signature.created'] };
    assert.equal((await as(creator).post('/v1/webhooks', hook)).status, 201);
    await storeSignatures(db, busy.id, before);
    const sign = async (person: Person, { path }: { path: string }, origin?: string) =>
      (await as(person, origin).post(path)).status;
    const aliases = await createPeople(db, ['ada@gmail.com', 'a.d.a+x@googlemail.com']);
    for (const alias of aliases) assert.equal(await sign(alias, aliased), 201);
    const password = 'correct horse';
    const account = { email: 'erased@example.org', password, display_name: 'Erased' };
    assert.equal((await api.post('/v1/auth/register', account)).status, 201);
    const login = await api.post('/v1/auth/login', account);
    const erased = new Client(old.origin).as(login.body.access_token);
    assert.equal((await erased.post(aliased.path)).status, 201);
    assert.equal((await erased.delete('/v1/users/me', { password })).status, 204);
    const { body: session } = await api.post('/v1/auth/login', admin);
    const moderator = new Client(old.origin).as(session.access_token);
    const [forger, honest] = await createPeople(db, ['forger@example.org', 'honest@example.org']);
    for (const petition of [invalid, undone])
      for (const person of [forger!, honest!]) assert.equal(await sign(person, petition), 201);
    const input = { rule: { from: '2020-01-01T00:00:00Z' }, reason: 'Forged' };
    for (const { id } of [invalid, undone]) {
      const path = `/v1/admin/petitions/${id}/invalidations`;
      const rule = `${path}/${(await moderator.post(path, input)).body.data.id}`;
      const isNow = (state: string) => async () =>
        (await moderator.get(rule)).body.data.state === state;
      await eventually(isNow('applied'));
      if (id === undone.id) {
        await moderator.post(`${rule}/undo`);
        await eventually(isNow('undone'));
      }
    }
    assert.equal((await as(forger!).delete(`${invalid.path}/me`)).status, 204);
    const csv = join(folder, 'imported.csv');
    await writeFile(
      csv,
      `id,title,description,created_at,signature_count,status\n1,Plant more trees,${petitionInput.description},2012-01-01,77,open\n`,
    );
    await promisify(execFile)(process.execPath, ['src/cli/import.ts', csv], {
      cwd: folder,
      env: { ...env, PATH: process.env.PATH },
    });
    const guest = { display_name: 'Guest', email: 'guest@example.org' };
    const pending = (await api.post(`${busy.path}/pending`, guest)).body.data as { id: string };
    const racers = await createPeople(
      db,
      Array.from({ length: 60 }, (_, n) => `racer${n >> 1}${n % 2 ? '+x' : ''}@example.org`),
    );
    const crowd = await createPeople(
      db,
      Array.from({ length: 4000 + before / 20 }, (_, n) => `crowd-${n}@example.org`),
    );

    // People sign without a pause, while the new version migrates, serves beside the old one, and stays alone.
    let origins = [old.origin];
    const over = new AbortController();
    let longestMs = 0;
    let signed = 0;
    const client = async () => {
      for (let person = crowd.pop(); person && !over.signal.aborted; person = crowd.pop()) {
        const origin = origins[signed % origins.length]!;
        const startedAt = performance.now();
        const took = () => performance.now() - startedAt;
        const idle = new Client(origin).get('/health').then(took);
        const status = await sign(person, busy, origin);
        // Less what a request takes that needs no database: everything is slower on a busy machine.
        longestMs = Math.max(longestMs, took() - (await idle));
        assert.equal(status, 201, `after ${signed} signatures`);
        signed += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const signing = Promise.all(Array.from({ length: 8 }, client));
    await eventually(() => signed >= 50);
    const startedAt = performance.now();
    const upgraded = stack.use(await startProcess(env));
    t.diagnostic(`ready after ${Math.round(performance.now() - startedAt)} ms`);
    origins = [old.origin, upgraded.origin];
    const raceStatuses = await Promise.all(
      racers.map((person, n) => sign(person, raced, origins[((n >> 1) + n) % 2])),
    );
    const bothServed = signed;
    await eventually(() => signed >= bothServed + 100, 20_000);
    origins = [upgraded.origin];
    assert.equal(await old.end('SIGTERM'), 0, old.output());
    const alone = signed;
    await eventually(() => signed >= alone + 100, 20_000);
    over.abort();
    await signing;
    t.diagnostic(`${signed} signed meanwhile, the longest wait was ${Math.round(longestMs)} ms`);
    assert.ok(longestMs < maxWaitMs, `somebody waited for ${Math.round(longestMs)} ms`);

    // Nothing is lost, and all that waited goes on.
    const now = new Client(upgraded.origin);
    const countOf = async ({ id }: { id: string }) =>
      (await now.get(`/v1/petitions/${id}`)).body.data.signature_count;
    assert.equal(await countOf(busy), before + signed);
    assert.equal(await countOf(aliased), 3);
    assert.equal(await countOf(invalid), 0);
    assert.equal(await countOf(undone), 2);
    assert.deepEqual(
      raceStatuses.toSorted((a, b) => a - b),
      [...Array<number>(30).fill(201), ...Array<number>(30).fill(409)],
    );
    assert.equal(await countOf(raced), 30);
    await eventually(
      async () => !(await db.exists`select from backfills where completed_at is null`),
      120_000 + before,
    );
    const ctx = { keys } as Context;
    const token = linkToken(ctx, pending.id);
    assert.equal((await now.post('/v1/signatures/confirm', { token })).status, 201);
    assert.equal(await countOf(busy), before + signed + 1);
    assert.equal((await now.as(session.access_token).get('/v1/me')).status, 200);
    isReceiving = true;
    await eventually(
      async () => !(await db.exists`select from webhook_deliveries where status <> 'delivered'`),
      180_000,
    );
    assert.ok(
      await db.exists`select from webhook_deliveries where attempts > 1`,
      'some deliveries had failed',
    );

    // The rules of mailboxes hold for all that was there before.
    const hashes = await db.column<boolean>`
      select mailbox is not null from signatures where petition_id = ${aliased.id} order by id`;
    assert.deepEqual(hashes, [true, false, false], 'the oldest alias, the other one, the erased');
    const [third, again, unproven] = [
      (await createPeople(db, ['ada+third@gmail.com']))[0]!,
      (await createPeople(db, ['forger+again@example.org']))[0]!,
      (await createPeople(db, ['ada+unproven@gmail.com'], false))[0]!,
    ];
    assert.equal(await sign(third, aliased, upgraded.origin), 409);
    assert.equal(await sign(unproven, aliased, upgraded.origin), 403);
    const held = await as(again, upgraded.origin).post(invalid.path);
    assert.equal(held.status, 201);
    assert.equal(held.body.data.state, 'invalid');
    assert.equal(await countOf(invalid), 0);
    const popular = await now.get('/v1/petitions?sort=popular&limit=2');
    assert.equal(popular.body.data[0].id, busy.id);
    await assertVerified(database.url);
  },
);
