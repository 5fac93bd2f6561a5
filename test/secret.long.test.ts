import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHmac, hkdfSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { createSigningKey } from '../src/identity/sessions/signing-keys.ts';
import type { Pool } from '../src/platform/db.ts';
import { Keys } from '../src/platform/keys.ts';
import { createTestDatabase } from './support/database.ts';
import { eventually } from './support/eventually.ts';
import { openTestPool } from './support/load.ts';
import {
  createPublished,
  createUsers,
  logIn,
  petitionInput,
  signUp,
  type Person,
} from './support/people.ts';
import { startProcess } from './support/process.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { admin, startService, type Service } from './support/service.ts';
import { Client } from './support/client.ts';

const oldSecret = 'a secret that only tests know, of more than 32 bytes';
const newSecret = 'another secret that only tests know, also of 32 bytes';
const wrongSecret = { SECRET: 'a secret that this database was never used with' };
const refusal = /SECRET does not open the keys of this database/;

/** Runs `npm run rotate-secret`. Returns its standard output. */
async function rotate(databaseUrl: string, settings: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['src/cli/rotate-secret.ts'], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl, LOG_LEVEL: 'error', ...settings },
  });
  return stdout;
}

/** What people and programs hold, and expect to stay valid. */
interface Holdings {
  person: Person;
  apiKey: string;
  hook: { id: string; secret: string; path: string };
  petition: { id: string; access_code: string };
}

let paths = 0;

async function createHook(api: Client, { origin }: Receiver): Promise<Holdings['hook']> {
  const path = `/hooks/${++paths}`;
  const input = { url: origin + path, events: ['petition.updated'] };
  const { status, body } = await api.post('/v1/webhooks', input);
  assert.equal(status, 201);
  return { ...body.data, path };
}

async function hold(service: Service, receiver: Receiver): Promise<Holdings> {
  const person = await signUp(service);
  const { body } = await person.api.post('/v1/api-keys', { name: 'A key', scopes: ['full'] });
  const petition = await createPublished(person, { visibility: 'private' });
  return {
    person,
    apiKey: body.data.key,
    hook: await createHook(person.api, receiver),
    petition: petition as unknown as Holdings['petition'],
  };
}

const readByCode = async (service: Service, { petition }: Holdings, code = petition.access_code) =>
  (await service.api.get(`/v1/petitions/${petition.id}?access_code=${code}`)).status;

const refresh = ({ api }: Service, { person }: Holdings) =>
  api.post('/v1/auth/refresh', { refresh_token: person.refreshToken });

/** Sends a test event. Returns the request by which it arrives. */
async function delivered(api: Client, hook: Holdings['hook'], receiver: Receiver) {
  const before = receiver.at(hook.path).length;
  assert.equal((await api.post(`/v1/webhooks/${hook.id}/test`)).status, 201);
  await eventually(() => receiver.at(hook.path).length > before, 15_000);
  return receiver.at(hook.path).at(-1)!;
}

const verify = (secret: string, { body, headers }: Awaited<ReturnType<typeof delivered>>) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

async function assertAllValid(service: Service, held: Holdings, receiver: Receiver): Promise<void> {
  assert.equal((await service.api.as(held.person.accessToken).get('/v1/me')).status, 200);
  const api = service.api.as(held.apiKey);
  assert.equal((await api.get('/v1/me')).status, 200);
  assert.equal(await readByCode(service, held), 200);
  verify(held.hook.secret, await delivered(api, held.hook, receiver));
  const refreshed = await refresh(service, held);
  assert.equal(refreshed.status, 200);
  held.person.refreshToken = refreshed.body.data.refresh_token;
}

/** The access code of a petition, as version 0.1 derived it from SECRET. */
function accessCodeOf01(secret: string, petitionId: string): string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'access-code', 32));
  const mac = createHmac('sha256', key).update(`${petitionId.length}:${petitionId}`).digest();
  return mac.toString('base64url').slice(0, 12);
}

const sealedKeys = async (db: Pool) =>
  JSON.stringify(
    await db`select name, encode(sealed, 'hex') as sealed from sealed_keys order by name`,
  );

const worker = { worker: true };

/**
 * Makes a migrated database one of version 0.1 after its first start: it has a signing key, sealed by a key derived from
 * SECRET, and no other keys.
 */
async function makeEarlier(db: Pool): Promise<void> {
  const none = Buffer.alloc(32);
  const keys = new Keys({ root: Buffer.from(oldSecret), mailbox: none, log: none });
  await createSigningKey({ keys }, db);
}

describe('an instance of version 0.1', () => {
  it('keeps all that was derived from SECRET', async () => {
    await using database = await createTestDatabase();
    await using connected = openTestPool(database.url);
    const { db } = connected;
    await using receiver = await startReceiver();
    await makeEarlier(db);
    let held: Holdings;
    {
      await using service = await startService({ databaseUrl: database.url, ...worker });
      held = await hold(service, receiver);
      await assertAllValid(service, held, receiver);
      assert.equal(held.petition.access_code, accessCodeOf01(oldSecret, held.petition.id));
    }
    // With what was just made, the database is one that version 0.1 was used with.
    await db`delete from sealed_keys`;
    await using service = await startService({ databaseUrl: database.url, ...worker });
    await assertAllValid(service, held, receiver);
  });

  it('does not start, and stores nothing, with a SECRET that is not its own', async () => {
    await using database = await createTestDatabase();
    await using connected = openTestPool(database.url);
    const { db } = connected;
    await makeEarlier(db);
    await assert.rejects(startService({ databaseUrl: database.url, env: wrongSecret }), refusal);
    assert.equal(await sealedKeys(db), '[]');
    await using service = await startService({ databaseUrl: database.url });
    assert.equal((await service.api.get('/health/ready')).status, 200);
  });
});

describe('a new instance', () => {
  it('has random keys, on which processes that start together agree', async () => {
    await using database = await createTestDatabase({ migrated: false });
    await using connected = openTestPool(database.url);
    const { db } = connected;
    const env = {
      DATABASE_URL: database.url,
      SECRET: oldSecret,
      BASE_URL: 'http://localhost:3000',
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
    };
    const processes = await Promise.all([startProcess(env), startProcess(env)]);
    await using stack = new AsyncDisposableStack();
    for (const one of processes) stack.use(one);
    const [first, second] = processes.map(({ origin }) => new Client(origin)) as [Client, Client];
    const login = await first.post('/v1/auth/login', admin);
    const api = second.as(login.body.access_token);
    const made = await api.post('/v1/api-keys', { name: 'A key' });
    assert.equal(made.status, 201);
    assert.equal((await first.as(made.body.data.key).get('/v1/me')).status, 200);
    const { body } = await api.post('/v1/petitions', { ...petitionInput, visibility: 'private' });
    const { id, access_code: code } = body.data as Holdings['petition'];
    assert.notEqual(code, accessCodeOf01(oldSecret, id));
    const read = await first.as(login.body.access_token).get(`/v1/petitions/${id}`);
    assert.equal(read.body.data.access_code, code);
    assert.deepEqual(await db.column`select name from sealed_keys order by name`, [
      'log',
      'mailbox',
      'root',
    ]);
  });

  it('does not start with another SECRET, and says what to do', async () => {
    await using service = await startService();
    await using connected = openTestPool(service.databaseUrl);
    const before = await sealedKeys(connected.db);
    await assert.rejects(
      startProcess({ DATABASE_URL: service.databaseUrl, ...wrongSecret }),
      ({ message }: Error) => {
        assert.match(message, refusal);
        assert.match(message, /npm run rotate-secret/);
        assert.doesNotMatch(message, /\n\s+at /);
        return true;
      },
    );
    assert.equal(await sealedKeys(connected.db), before);
    // Nor does it store keys that are missing.
    await connected.db`delete from sealed_keys where name = 'log'`;
    const { databaseUrl } = service;
    await assert.rejects(startService({ databaseUrl, env: wrongSecret }), refusal);
    await using again = await startService({ databaseUrl });
    assert.equal((await again.api.get('/health/ready')).status, 200);
  });
});

describe('npm run rotate-secret', () => {
  it('changes SECRET, and everything stays valid', async () => {
    await using database = await createTestDatabase();
    const { url: databaseUrl } = database;
    await using receiver = await startReceiver();
    const secrets = { OLD_SECRET: oldSecret, SECRET: newSecret };
    let held: Holdings;
    {
      await using service = await startService({ databaseUrl, ...worker });
      held = await hold(service, receiver);
      assert.match(await rotate(databaseUrl, secrets), /Restart each process/);
      // It goes on with the keys in its memory.
      await assertAllValid(service, held, receiver);
    }
    await assert.rejects(startService({ databaseUrl }), refusal);
    assert.match(await rotate(databaseUrl, secrets), /sealed by this SECRET already/);
    await using service = await startService({
      databaseUrl,
      env: { SECRET: newSecret },
      ...worker,
    });
    await assertAllValid(service, held, receiver);
    await logIn(service, held.person);
  });

  it('works behind a pooler, at the direct address', async () => {
    await using service = await startService();
    const stdout = await rotate('postgres://nobody@127.0.0.1:1/pooler', {
      DATABASE_POOL: 'transaction',
      DATABASE_DIRECT_URL: service.databaseUrl,
      OLD_SECRET: oldSecret,
      SECRET: newSecret,
    });
    assert.match(stdout, /Restart each process/);
  });

  it('reads both secrets from files', async () => {
    await using service = await startService();
    const { dataDir } = service.ctx.config;
    const files = { OLD_SECRET_FILE: join(dataDir, 'old'), SECRET_FILE: join(dataDir, 'new') };
    await writeFile(files.OLD_SECRET_FILE, `${oldSecret}\n`);
    await writeFile(files.SECRET_FILE, `${newSecret}\n`);
    assert.match(await rotate(service.databaseUrl, files), /Restart each process/);
    const present = { OLD_SECRET: oldSecret, SECRET: newSecret };
    assert.match(await rotate(service.databaseUrl, present), /sealed by this SECRET already/);
  });

  it('refuses with a message, and changes nothing', async () => {
    await using service = await startService();
    await using connected = openTestPool(service.databaseUrl);
    const { db } = connected;
    const before = await sealedKeys(db);
    const refused: [Record<string, string>, RegExp][] = [
      [{ SECRET: newSecret }, /^Set OLD_SECRET/],
      [{ OLD_SECRET: oldSecret }, /^Set OLD_SECRET/],
      [{ OLD_SECRET: newSecret, SECRET: newSecret }, /are the same/],
      [{ OLD_SECRET: 'something else', SECRET: newSecret }, /OLD_SECRET does not open/],
      [
        {
          OLD_SECRET: oldSecret,
          SECRET: 'short',
          NODE_ENV: 'production',
          MAIL: 'files',
          BASE_URL: 'https://petitions.test',
        },
        /32 bytes or more/,
      ],
    ];
    for (const [settings, message] of refused) {
      await assert.rejects(rotate(service.databaseUrl, settings), ({ stderr }) => {
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /\n\s+at /);
        return true;
      });
    }
    assert.equal(await sealedKeys(db), before);
    await db`delete from sealed_keys`;
    const secrets = { OLD_SECRET: oldSecret, SECRET: newSecret };
    await assert.rejects(rotate(service.databaseUrl, secrets), /no keys/);
  });
});

describe('docs/operating.md', () => {
  it('has a way to start again after SECRET was lost', async () => {
    await using database = await createTestDatabase();
    await using connected = openTestPool(database.url);
    const { db } = connected;
    const { url: databaseUrl } = database;
    await using receiver = await startReceiver();
    let held: Holdings;
    {
      await using service = await startService({ databaseUrl, ...worker });
      held = await hold(service, receiver);
      const petition = await createPublished(held.person);
      const [signer] = await createUsers(service, 1);
      assert.equal((await signer!.api.post(`/v1/petitions/${petition.id}/signatures`)).status, 201);
    }
    const hashes = () => db.column<string>`
      select encode(s.mailbox, 'hex') from signatures s join users u on u.id = s.user_id
      where s.mailbox = mailbox_on(s.petition_id, u.mailbox)`;
    const lost = await hashes();
    assert.equal(lost.length, 1);
    const env = { SECRET: newSecret, WEBHOOK_RETRY_BASE_MS: '100' };
    await db`delete from sealed_keys`;
    await assert.rejects(startService({ databaseUrl, env }), refusal);
    await db`delete from signing_keys`;
    await db`update users set mailbox = null`;
    await db`update signatures set mailbox = null`;
    await db`delete from backfills where name like '%-mailboxes'`;
    await using service = await startService({ databaseUrl, env, ...worker });
    await eventually(async () => (await hashes()).length === 1, 15_000);
    assert.notDeepEqual(await hashes(), lost);
    const { api } = service;
    assert.equal((await api.as(held.person.accessToken).get('/v1/me')).status, 401);
    assert.equal((await api.as(held.apiKey).get('/v1/me')).status, 401);
    assert.equal((await refresh(service, held)).status, 401);
    assert.equal(await readByCode(service, held), 403);
    // The new keys are not derived from SECRET.
    assert.equal(await readByCode(service, held, accessCodeOf01(newSecret, held.petition.id)), 403);

    const { api: owner } = await logIn(service, held.person);
    const path = `/v1/webhooks/${held.hook.id}`;
    assert.equal((await owner.post(`${path}/test`)).status, 201);
    await eventually(async () => {
      const { body } = await owner.get(`${path}/deliveries`);
      return body.data[0].error === 'The secret of the endpoint is lost: rotate it.';
    });
    // Endpoints of others are not delayed.
    const other = await createHook(owner, receiver);
    verify(other.secret, await delivered(owner, other, receiver));
    assert.equal(receiver.at(held.hook.path).length, 0);
    const rotated = await owner.post(`${path}/rotate-secret`);
    verify(rotated.body.data.secret, await delivered(owner, held.hook, receiver));
  });

  it('has a way to replace a root that others know', async () => {
    await using database = await createTestDatabase();
    await using connected = openTestPool(database.url);
    const { db } = connected;
    await using receiver = await startReceiver();
    await makeEarlier(db);
    let held: Holdings;
    {
      await using service = await startService({ databaseUrl: database.url });
      held = await hold(service, receiver);
    }
    const before = await db`select name, sealed from sealed_keys where name <> 'root'`;
    await db`delete from sealed_keys where name = 'root'`;
    await db`delete from signing_keys`;
    await using service = await startService({ databaseUrl: database.url });
    const leaked = accessCodeOf01(oldSecret, held.petition.id);
    assert.equal(held.petition.access_code, leaked);
    assert.equal(await readByCode(service, held, leaked), 403);
    assert.deepEqual(await db`select name, sealed from sealed_keys where name <> 'root'`, before);
  });
});
