import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { runCli } from '../../../test/support/command.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { openTestLog } from '../../../test/support/log.ts';
import { createPublished, logIn, signUp, type Person } from '../../../test/support/people.ts';
import { noiseImage, uploadAndConfirm } from '../../../test/support/pictures.ts';
import { silent } from '../../../test/support/progress.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { makeVerifiedWorld } from '../../../test/support/verified-world.ts';
import { openPool, type Db } from '../../platform/db.ts';
import { grownTiles } from '../../platform/transparency/tiles.ts';
import { readPublishedTree } from '../../reach/transparency-log/transparency-log.ts';
import { readArchive, writeArchive, openTarget } from './archive.ts';
import { writeBackup } from './write.ts';

const passphrase = 'a passphrase of the operator';

describe('a backup', () => {
  let service: Service;
  let creator: Person;
  let picture: string;
  let folder: string;
  let settings: Record<string, string>;
  let original: string;
  before(async () => {
    service = await startService();
    {
      // Ends before the backup, since it changes rows by itself.
      await using worker = await startService({
        beside: service,
        worker: true,
        env: { DATA_DIR: service.ctx.config.dataDir },
      });
      await using receiver = await startReceiver();
      await makeVerifiedWorld(worker, receiver);
      creator = await signUp(service);
      picture = await addPicture(service, creator);
    }
    folder = await mkdtemp(join(tmpdir(), 'petitions-backup-'));
    settings = {
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: service.ctx.config.dataDir,
      SECRET: service.ctx.config.secret,
    };
    original = join(folder, 'original.backup');
    const written = await runCli('backup', [original], { ...settings, BACKUP_KEY: passphrase });
    assert.equal(written.code, 0, written.stderr);
    assert.match(
      written.stderr,
      /^Wrote \d+ tables with \d+ rows, and \d pictures, .* encrypted\./m,
    );
    assert.match(written.stderr, /SECRET is a setting here/);
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** Restores a file into a database, and a folder of its own. */
  async function restore(
    file: string,
    database: { url: string },
    { key = passphrase, ...others }: Record<string, string> = {},
  ) {
    const dataDir = await mkdtemp(join(folder, 'data-'));
    const env = { ...settings, DATABASE_URL: database.url, DATA_DIR: dataDir, BACKUP_KEY: key };
    return { dataDir, ...(await runCli('restore', [file], { ...env, ...others })) };
  }

  it('is restored with every row, every constraint and every picture, and is verified', async () => {
    await using database = await createTestDatabase({ migrated: false });
    const { code, stdout, stderr, dataDir } = await restore(original, database);
    assert.equal(code, 0, stderr + stdout);
    assert.match(stdout, /^All \d+ checks hold\.$/m);
    const [former, restored] = await Promise.all([
      contentOf(service.databaseUrl),
      contentOf(database.url),
    ]);
    assert.deepEqual(restored, former);
    await using copy = await startService({
      databaseUrl: database.url,
      env: { DATA_DIR: dataDir },
    });
    const bytes = async ({ origin }: Service) =>
      Buffer.from(await (await fetch(`${origin}${picture}`)).arrayBuffer());
    assert.ok((await bytes(copy)).equals(await bytes(service)));
    assert.ok(await logIn(copy, creator));
  });

  it('has the published log up to its moment, and restores it without the checkpoint', async () => {
    const log = await openTestLog(service.ctx);
    await log.append(300);
    await log.publish();
    await log.append(100);
    const file = join(folder, 'log.backup');
    const written = await runCli('backup', [file], { ...settings, BACKUP_KEY: passphrase });
    assert.equal(written.code, 0, written.stderr);
    const { size } = (await readPublishedTree(service.ctx.db))!;
    assert.match(written.stderr, new RegExp(`^${grownTiles(0, size).length} files of the`, 'm'));
    // The partial tiles of the backup are replaced here meanwhile.
    await log.publish();
    await using database = await createTestDatabase({ migrated: false });
    const { code, stderr, stdout, dataDir } = await restore(file, database);
    assert.equal(code, 0, stderr + stdout);
    await using copy = await startService({
      databaseUrl: database.url,
      env: { DATA_DIR: dataDir },
      log: [],
    });
    const restored = await openTestLog(copy.ctx);
    for (const tile of grownTiles(0, size)) {
      assert.deepEqual(await restored.files.readTile(tile), await log.files.readTile(tile));
    }
    assert.equal(await restored.files.readCheckpoint(), undefined);
    assert.equal(await restored.publish(), 'halted');
    assert.equal((await copy.api.get('/log/checkpoint')).status, 404);
  });

  it('is opened by the private key where the machine has the public one', async () => {
    const identity = await generateIdentity();
    const file = join(folder, 'public.backup');
    const publicKey = await identityToRecipient(identity);
    const written = await runCli('backup', [file], { ...settings, BACKUP_KEY: publicKey });
    assert.equal(written.code, 0, written.stderr);
    await using database = await createTestDatabase({ migrated: false });
    const refused = await restore(file, database, { key: publicKey });
    assert.match(refused.stderr, /BACKUP_KEY is a public key/);
    const { code, stderr } = await restore(file, database, { key: identity });
    assert.equal(code, 0, stderr);
  });

  it('is readable by its owner alone, and appears once it is whole', async () => {
    assert.equal((await stat(original)).mode & 0o777, 0o600);
    const again = await runCli('backup', [original], settings);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /exists: name another file\. Nothing was written\./);
    const nowhere = join(folder, 'missing', 'file');
    const failed = await runCli('backup', [nowhere], settings);
    assert.match(failed.stderr, /cannot be written: ENOENT/);
    const other = await runCli('backup', [join(folder, 'x')], { ...settings, SECRET: 'another' });
    assert.match(other.stderr, /SECRET does not open the keys/);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.includes('.part') || name === 'x'),
      [],
    );
  });

  it('is written unencrypted in production only where that is asked for', async () => {
    const production = {
      ...settings,
      NODE_ENV: 'production',
      BASE_URL: 'https://petitions.test',
      MAIL: 'files',
    };
    const file = join(folder, 'production.backup');
    const refused = await runCli('backup', [file], production);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^BACKUP_KEY is not set: .* Nothing was written\.$/ms);
    assert.ok(!(await readdir(folder)).includes('production.backup'));
    const written = await runCli('backup', ['--unencrypted', file], production);
    assert.equal(written.code, 0, written.stderr);
    assert.match(written.stderr, /not encrypted/);
  });

  it('goes to standard output, unencrypted without a key', async () => {
    const database = { ...settings, DATA_DIR: await mkdtemp(join(folder, 'data-')) };
    const file = join(folder, 'piped.backup');
    const { code, stderr } = await backUpTo(file, database);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /not encrypted \(BACKUP_KEY is not set\)/);
    assert.match(stderr, /\d files that the database names are not there/);
    const first = await Array.fromAsync(readArchive(file, undefined));
    assert.equal(first[0]!.name, 'manifest.json');
    assert.equal(first.at(-1)!.name, 'end.json');
  });

  it('ends at once where it cannot be written, in the middle of a table', async () => {
    const { db } = service.ctx;
    await db`create table filler as
      select repeat('x', 1000) as text from generate_series(1, 20000)`;
    const { databaseUrl, ctx } = service;
    const { dataDir, secret, paymentSecret } = ctx.config;
    const source = { databaseUrl, db, blobs: ctx.blobs, dataDir };
    const full = new Error('The disk is full.');
    const archive = {
      add: async (name: string) => {
        if (name.startsWith('tables/filler')) throw full;
      },
      end: async () => {},
      abort: async () => {},
    };
    const secrets = { secret, 'payment-secret': paymentSecret };
    await assert.rejects(writeBackup({ ...source, secrets }, archive, silent), full);
    await db`drop table filler`;
  });

  it('takes the file of age-keygen as a key, and repeats no wrong one', async () => {
    const identity = await generateIdentity();
    const keyFile = join(folder, 'key.txt');
    await writeFile(keyFile, `# created: today\n# public key: age1…\n${identity}\n`);
    const file = join(folder, 'keyed.backup');
    const written = await runCli('backup', [file], { ...settings, BACKUP_KEY_FILE: keyFile });
    assert.equal(written.code, 0, written.stderr);
    const [first] = await Array.fromAsync(readArchive(file, identity));
    assert.equal(first!.name, 'manifest.json');
    const mistyped = identity.slice(0, -1) + (identity.endsWith('Q') ? 'P' : 'Q');
    for (const key of [mistyped, 'ssh-ed25519 AAAA', 'two\nlines', 'age1wrong']) {
      const refused = await runCli('backup', [join(folder, 'y')], { ...settings, BACKUP_KEY: key });
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /^BACKUP_KEY is neither a passphrase in one line nor a key/);
    }
  });

  describe('that cannot be restored', () => {
    const unchanged = async (url: string) => {
      const db = openPool(url, { name: 'test', max: 1 });
      const { users } = await db.one<{ users: boolean }>`
        select to_regclass('users') is not null as users`;
      const count = users ? await db.value<number>`select count(*)::int from users` : 0;
      await db.end();
      return count === 0;
    };
    const cases: Record<string, { file?: () => Promise<string>; key?: string; says: RegExp }> = {
      'without its key': { key: '', says: /is encrypted: set BACKUP_KEY/ },
      'with another key': { key: 'wrong', says: /BACKUP_KEY does not open this backup/ },
      'since it was cut': {
        file: async () => {
          const bytes = await readFile(original);
          return written('cut', bytes.subarray(0, bytes.length - 1000));
        },
        says: /is damaged: it cannot be read to its end/,
      },
      'since a byte differs': {
        file: async () => {
          const bytes = await readFile(original);
          bytes[bytes.length >> 1]! ^= 1;
          return written('changed', bytes);
        },
        says: /is damaged: it cannot be read to its end/,
      },
      'since it is something else': {
        file: () => written('else', Buffer.from('-- PostgreSQL database dump, of another kind')),
        says: /is no backup that `npm run backup` wrote/,
      },
      'since it is empty': {
        file: () => written('empty', Buffer.alloc(0)),
        says: /is no backup that `npm run backup` wrote/,
      },
      'since it was broken off': {
        file: () => rewritten('broken', (name) => name !== 'end.json'),
        says: /is incomplete: it was broken off/,
      },
      'since a part is missing': {
        file: () => rewritten('part', (name) => name !== 'tables/users/000001'),
        says: /rows of users are missing/,
      },
      'by an older version': {
        file: () =>
          rewritten(
            'newer',
            () => true,
            (text) => text.replace('"migrations":[', '"migrations":["9999_newer.sql",'),
          ),
        says: /of version .* \(migration 9999_newer\.sql\), and this is .*: restore it with that/,
      },
    };
    for (const [why, { file, key, says }] of Object.entries(cases)) {
      it(`${why} changes nothing, and says so`, async () => {
        await using database = await createTestDatabase({ migrated: false });
        const path = file ? await file() : original;
        const { code, stderr } = await restore(path, database, key === undefined ? {} : { key });
        assert.equal(code, 1, stderr);
        assert.match(stderr, says);
        assert.ok(await unchanged(database.url));
      });
    }

    it('with another SECRET, or over other data, changes nothing, and says so', async () => {
      await using database = await createTestDatabase({ migrated: false });
      const other = await restore(original, database, { SECRET: 'another' });
      assert.match(other.stderr, /SECRET does not open the keys of this database/);
      assert.ok(await unchanged(database.url));
      const db = openPool(database.url, { name: 'test', max: 1 });
      await db`insert into migrations (name) values ('9999_newer.sql')`;
      const newer = await restore(original, database);
      assert.match(newer.stderr, /has migration 9999_newer\.sql, and the backup is from before it/);
      await db.end();
      await using foreign = await createTestDatabase({ migrated: false });
      const other2 = openPool(foreign.url, { name: 'test', max: 1 });
      await other2`create table recipes (name text)`;
      await other2.end();
      const shared = await restore(original, foreign);
      assert.match(shared.stderr, /has tables of something else, such as recipes/);
      const over = await restore(original, { url: service.databaseUrl });
      assert.match(over.stderr, /The database has users already/);
      assert.match(over.stderr, /Nothing was changed/);
    });

    async function written(name: string, bytes: Buffer): Promise<string> {
      const path = join(folder, name);
      await writeFile(path, bytes);
      return path;
    }

    /** Writes the archive again without some of its files, or with another manifest. */
    async function rewritten(
      name: string,
      keeps: (name: string) => boolean,
      change: (manifest: string) => string = (text) => text,
    ): Promise<string> {
      const path = join(folder, name);
      const archive = writeArchive(openTarget(path), undefined);
      for await (const entry of readArchive(original, passphrase)) {
        if (!keeps(entry.name)) continue;
        const bytes =
          entry.name === 'manifest.json'
            ? Buffer.from(change(entry.bytes.toString()))
            : entry.bytes;
        await archive.add(entry.name, bytes);
      }
      await archive.end();
      return path;
    }
  });
});

/** Writes a backup to standard output, which goes into a file. */
async function backUpTo(file: string, env: Record<string, string>) {
  const script = fileURLToPath(new URL('../backup.ts', import.meta.url));
  const target = await open(file, 'w');
  const child = spawn(process.execPath, [script, '-'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', target.fd, 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([readText(child.stderr!), once(child, 'exit')]);
  await target.close();
  return { code: code as number, stderr };
}

it('says how each command of backups is called', async () => {
  for (const name of ['backup', 'restore']) {
    const { code, stderr } = await runCli(name, [], {});
    assert.equal(code, 1);
    assert.equal(stderr, `Name one file: npm run ${name} -- FILE\n`);
  }
  const { stderr } = await runCli('backup', ['/tmp/x'], { DATA_DIR: '/nonexistent' });
  assert.match(stderr, /DATABASE_URL is not set, and there is no database in \/nonexistent/);
});

/** Adds a picture to a petition, and waits until it is ready. Returns its path. */
async function addPicture(service: Service, creator: Person): Promise<string> {
  const { id } = await createPublished(creator);
  const bytes = await noiseImage(600, 400).png().toBuffer();
  await uploadAndConfirm(service, creator, { bytes, content_type: 'image/png', entity_id: id });
  const address = async () =>
    (await service.api.get(`/v1/petitions/${id}`)).body.data.image_url as string | null;
  await eventually(async () => (await address()) !== null, 20_000);
  return new URL((await address())!).pathname;
}

/** Tables that say when something was done here. */
const volatile = new Set(['migrations', 'graphile_worker.migrations', 'backups']);

/** The rows of each table as a hash, with constraints, triggers and sequences. */
async function contentOf(url: string): Promise<Record<string, unknown>> {
  const db = openPool(url, { name: 'test', max: 1 });
  try {
    const names = await db.column<string>`
      select oid::regclass::text from pg_class
      where relkind = 'r' and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)
      order by 1`;
    const content: Record<string, unknown> = {
      constraints: await db.column<string>`
        select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
        where conrelid <> 0 order by 1`,
      triggers: await db.column<string>`
        select pg_get_triggerdef(oid) || ' ' || tgenabled::text from pg_trigger where not tgisinternal order by 1`,
      sequences: await db.column<string>`
        select sequencename || ' ' || coalesce(last_value::text, '') from pg_sequences order by 1`,
    };
    for (const name of names) if (!volatile.has(name)) content[name] = await hashOf(db, name);
    return content;
  } finally {
    await db.end();
  }
}

async function hashOf(db: Db, table: string): Promise<string> {
  const [row] = await db.unsafe<{ hash: string }[]>(
    `select count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as hash
     from ${table} t`,
  );
  return row!.hash;
}
