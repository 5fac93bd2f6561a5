import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openPool } from '../src/platform/db.ts';
import { Keys } from '../src/platform/keys.ts';
import { openKeys } from '../src/platform/sealed-keys.ts';
import { createTestDatabase } from './support/database.ts';
import { createPublished, logIn, signUp } from './support/people.ts';
import { startService } from './support/service.ts';

const oldSecret = 'a secret that only tests know, of more than 32 bytes';
const newSecret = 'another secret that only tests know, also of 32 bytes';

/** Runs `npm run rotate-secret`. */
const rotate = (databaseUrl: string, settings: Record<string, string>) =>
  promisify(execFile)(process.execPath, ['src/cli/rotate-secret.ts'], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl, LOG_LEVEL: 'error', ...settings },
  });

describe('SECRET', () => {
  it('can be changed: tokens, API keys and codes stay valid', async () => {
    await using database = await createTestDatabase();
    const { url: databaseUrl } = database;
    const { ada, key, petition } = await (async () => {
      await using before = await startService({ databaseUrl });
      const person = await signUp(before);
      const hidden = await createPublished(person, { visibility: 'private' });
      const { body } = await person.api.post('/v1/api-keys', { name: 'A key' });
      return { ada: person, key: body.data.key as string, petition: hidden };
    })();
    const { stdout } = await rotate(databaseUrl, { OLD_SECRET: oldSecret, SECRET: newSecret });
    assert.match(stdout, /Restart each process/);
    const again = await rotate(databaseUrl, { OLD_SECRET: oldSecret, SECRET: newSecret });
    assert.match(again.stdout, /already/);

    await assert.rejects(startService({ databaseUrl }), /SECRET does not open the keys/);
    await using after = await startService({ databaseUrl, env: { SECRET: newSecret } });
    for (const token of [ada.accessToken, key])
      assert.equal((await after.api.as(token).get('/v1/petitions')).status, 200);
    const refreshed = await after.api.post('/v1/auth/refresh', {
      refresh_token: ada.refreshToken,
    });
    assert.equal(refreshed.status, 200);
    const read = await after.api.get(
      `/v1/petitions/${petition.id}?access_code=${petition.access_code}`,
    );
    assert.equal(read.status, 200);
    await logIn(after, ada);
  });

  it('is changed by somebody who knows the old one only', async () => {
    await using service = await startService();
    const wrong = (settings: Record<string, string>, message: RegExp) =>
      assert.rejects(rotate(service.databaseUrl, settings), (error: { stderr: string }) =>
        message.test(error.stderr),
      );
    await wrong({ SECRET: newSecret }, /^Set OLD_SECRET/);
    await wrong({ SECRET: newSecret, OLD_SECRET: newSecret }, /are the same/);
    await wrong({ SECRET: newSecret, OLD_SECRET: 'something else' }, /OLD_SECRET does not open/);
    await wrong(
      {
        SECRET: 'short',
        OLD_SECRET: oldSecret,
        NODE_ENV: 'production',
        BASE_URL: 'https://a.test',
      },
      /32 bytes/,
    );
  });

  it('was the root of all keys before: what was hashed and encrypted then stays valid', async () => {
    await using database = await createTestDatabase();
    const db = openPool(database.url, { name: 'test', max: 2 });
    try {
      await db`
        insert into users (id, email, display_name, slug)
        values (gen_random_uuid(), 'ada@example.org', 'Ada', 'ada')`;
      const keys = await openKeys(db, oldSecret);
      const derived = new Keys({
        root: Buffer.from(oldSecret),
        mailbox: keys.mailbox,
        log: keys.log,
      });
      assert.deepEqual(keys.hash('api-key', 'svc_1'), derived.hash('api-key', 'svc_1'));
    } finally {
      await db.end();
    }
  });

  it('seals random keys, on which processes that start together agree', async () => {
    await using database = await createTestDatabase();
    const db = openPool(database.url, { name: 'test', max: 8 });
    try {
      const opened = await Promise.all(Array.from({ length: 8 }, () => openKeys(db, oldSecret)));
      const [first] = opened as [Keys, ...Keys[]];
      for (const keys of opened) {
        assert.deepEqual(keys.mailbox, first.mailbox);
        assert.deepEqual(keys.hash('api-key', 'x'), first.hash('api-key', 'x'));
      }
      const derived = new Keys({
        root: Buffer.from(oldSecret),
        mailbox: first.mailbox,
        log: first.log,
      });
      assert.notDeepEqual(first.hash('api-key', 'x'), derived.hash('api-key', 'x'));
      const rows = await db.column<Buffer>`select sealed from sealed_keys`;
      for (const bytes of rows) assert.equal(bytes.includes(first.mailbox), false);
    } finally {
      await db.end();
    }
  });
});
