import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Client } from '../support/client.ts';
import { petitionInput } from '../support/people.ts';
import { startProcess } from '../support/process.ts';
import { openPool } from '../../src/platform/db.ts';
import { eventually } from '../support/eventually.ts';
import { waitingForLocks } from '../support/locks.ts';
import { createTestDatabase } from '../support/database.ts';
import { assertVerified, runVerify } from '../support/verify.ts';

describe('the start command', () => {
  it('serves with the embedded database, and keeps its data', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'petitions-start-'));
    await chmod(dataDir, 0o755);
    const env = { DATA_DIR: dataDir };
    try {
      const first = await startProcess(env);
      let api = new Client(first.origin);
      assert.equal((await api.get('/health')).body.status, 'ok');
      assert.equal((await api.get('/health/ready')).status, 200);
      const account = { email: 'a@example.org', password: 'correct horse', display_name: 'A' };
      assert.equal((await api.post('/v1/auth/register', account)).status, 201);
      const { access_token } = (await api.post('/v1/auth/login', account)).body;
      const created = await api.as(access_token).post('/v1/petitions', petitionInput);
      const path = `/v1/petitions/${created.body.data.id}`;
      await api.as(access_token).post(`${path}/publish`);
      assert.equal(await first.end('SIGTERM'), 0);

      const port = Number(new URL(first.origin).port);
      const second = await startProcess(env, port);
      api = new Client(second.origin);
      const signed = await api.as(access_token).post(`${path}/signatures`);
      assert.equal(signed.status, 201, 'tokens stay valid after the restart');
      await second.end('SIGKILL');

      const third = await startProcess(env, port);
      assert.equal((await api.get(path)).body.data.signature_count, 1);
      const server = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8');
      await third.end('SIGKILL');
      process.kill(Number(server.split('\n')[0]), 'SIGKILL');

      const fourth = await startProcess(env, port);
      assert.equal((await api.get(path)).body.data.signature_count, 1);
      assert.equal(await fourth.end('SIGTERM'), 0);
      const { code, stdout, stderr } = await runVerify({ DATA_DIR: dataDir });
      assert.equal(code, 0, stderr + stdout);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it('migrates once if three processes start together', async () => {
    await using database = await createTestDatabase({ migrated: false });
    const env = {
      DATABASE_URL: database.url,
      SECRET: 'one secret for all of the three processes',
      BASE_URL: 'http://localhost:3000',
      ADMIN_EMAIL: 'admin@example.org',
      ADMIN_PASSWORD: 'an administrator',
    };
    const all = await Promise.all([startProcess(env), startProcess(env), startProcess(env)]);
    for (const { origin } of all) {
      assert.equal((await new Client(origin).get('/v1/categories')).body.data.length, 12);
      const login = await new Client(origin).post('/v1/auth/login', {
        email: 'admin@example.org',
        password: 'an administrator',
      });
      assert.equal(login.status, 200);
      const me = await new Client(all[0].origin).as(login.body.access_token).get('/v1/me');
      assert.equal(me.status, 200, 'each process accepts the tokens of the others');
    }
    const codes = await Promise.all(all.map((one) => one.end('SIGTERM')));
    assert.deepEqual(codes, [0, 0, 0]);
    await assertVerified(database.url);
  });

  it('serves only health, readiness and metrics on a worker', async () => {
    await using database = await createTestDatabase();
    await using worker = await startProcess({ DATABASE_URL: database.url, ROLE: 'worker' });
    const api = new Client(worker.origin);
    assert.equal((await api.get('/health')).body.status, 'ok');
    assert.equal((await api.get('/health/ready')).status, 200);
    const figures = await fetch(`${worker.origin}/metrics`);
    assert.match(await figures.text(), /^event_follower_lag_seconds\{.+\} \d/m);
    for (const path of ['/v1/petitions', '/', '/openapi.json', '/docs']) {
      assert.equal((await api.get(path)).status, 404, path);
    }
  });

  it('finishes requests in progress before it stops', async () => {
    await using database = await createTestDatabase();
    const service = await startProcess({ DATABASE_URL: database.url });
    const api = new Client(service.origin);
    const db = openPool(database.url, { name: 'test', max: 2 });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: locked, resolve: markLocked } = Promise.withResolvers<void>();
    const locking = db.begin(async (tx) => {
      await tx`lock table users in share mode`;
      markLocked();
      await released;
    });
    await locked;
    const registering = Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        api.post('/v1/auth/register', {
          email: `a${n}@example.org`,
          password: 'correct horse',
          display_name: 'A',
        }),
      ),
    );
    await eventually(async () => (await waitingForLocks(db)) === 8, 20_000);
    const code = service.end('SIGTERM');
    release();
    await locking;
    const answers = await registering;
    await db.end();
    assert.ok(answers.every(({ status }) => status === 201));
    assert.equal(await code, 0);
    await assertVerified(database.url);
  });

  it('names its version, and where it listens', async () => {
    await using database = await createTestDatabase();
    await using service = await startProcess({ DATABASE_URL: database.url });
    const { version } = (await new Client(service.origin).get('/health')).body;
    assert.match(version, /^\d+\.\d+\.\d+/);
    assert.match(
      service.output(),
      new RegExp(`^Ready at .* \\(version ${version}, on .*:\\d+\\)$`, 'm'),
    );
    const { stdout } = await promisify(execFile)(process.execPath, ['src/main.ts', '--version']);
    assert.equal(stdout, `${version}\n`);
  });

  it('fails with a message that names the invalid setting', async () => {
    // test/wrong-settings.long.test.ts has those that a site in production meets first.
    const failing: [Record<string, string>, RegExp][] = [
      [{ PORT: 'many' }, /PORT is 'many'/],
      [{ DATA_DIR: '/etc/passwd/data' }, /DATA_DIR is .*, and there is a file in its place/],
      [{ RATE_LIMITS: 'maybe' }, /RATE_LIMITS is 'maybe'; it must be one of on, off/],
      [{ TRUST_PROXY: 'localhost' }, /TRUST_PROXY has 'localhost'/],
      [{ ADMIN_EMAIL: 'admin@localhost', ADMIN_PASSWORD: 'long enough' }, /ADMIN_EMAIL must be/],
      [{ CAPTCHA: 'riddle' }, /CAPTCHA is 'riddle'; it must be one of off, altcha, recaptcha/],
      [{ CAPTCHA: 'turnstile', CAPTCHA_SITE_KEY: 'x' }, /CAPTCHA_SECRET is needed with CAPTCHA=t/],
      [{ CAPTCHA: 'hcaptcha', CAPTCHA_SECRET: 'x' }, /CAPTCHA_SITE_KEY is needed with CAPTCHA=h/],
      [{ CAPTCHA: 'recaptcha', RECAPTCHA_VERSION: '4' }, /RECAPTCHA_VERSION is '4'; it must be/],
      [{ S3_BUCKET: 'pictures', S3_REGION: 'x' }, /S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_/],
      [{ DATABASE_URL: 'mysql://x' }, /DATABASE_URL must be a URL/],
      [{ BASE_URL: 'http://example.org/petitions' }, /BASE_URL is .*; it cannot have a path/],
      [{ MAIL: 'smtp' }, /SMTP_URL is needed with MAIL=smtp/],
      [{ MAIL_FROM: 'Petitions' }, /MAIL_FROM is 'Petitions'; it must be an address/],
      [{ MAIL_REPLY_TO: 'team' }, /MAIL_REPLY_TO is 'team'; it must be an email address/],
      [{ NODE_ENV: 'production' }, /BASE_URL is needed/],
      [{ NODE_ENV: 'production', BASE_URL: 'http://example.org' }, /it must be https/],
      [{ NODE_ENV: 'production', BASE_URL: 'https://example.org' }, /DATABASE_URL is needed/],
      [
        {
          NODE_ENV: 'production',
          BASE_URL: 'https://example.org',
          DATABASE_URL: 'postgres://localhost/x',
          MAIL: 'files',
          SECRET: 'short',
        },
        /SECRET is needed/,
      ],
    ];
    for (const [env, message] of failing) await assert.rejects(startProcess(env), message);
  });
});
