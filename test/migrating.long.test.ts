import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openPool } from '../src/platform/db.ts';
import { migrationNames } from '../src/platform/migrate.ts';
import { createTestDatabase } from './support/database.ts';
import { startProcess } from './support/process.ts';

/** Runs `npm run migrate`. Returns its standard output. */
async function runMigrate(settings: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['src/cli/migrate.ts'], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...settings },
  });
  return stdout;
}

const linesFor = (names: string[]) => names.map((name) => `applied ${name}\n`).join('');

describe('npm run migrate', () => {
  it('migrates the database for processes with MIGRATE=off', async () => {
    await using database = await createTestDatabase({ migrated: false });
    const env = {
      DATABASE_URL: database.url,
      SECRET: 'a secret for all of these processes',
      PAYMENT_SECRET: 'not used',
      MIGRATE: 'off',
    };
    const db = openPool(database.url, { name: 'test', max: 1 });
    const names = await migrationNames();
    const last = names.at(-1)!;
    const others = names.length - 1;
    await assert.rejects(
      startProcess(env),
      (error: Error) =>
        error.message.includes(
          `lacks migration ${names[0]} and ${others} more: run \`npm run migrate\``,
        ) && !error.message.includes('at '),
    );
    assert.equal(await runMigrate(env), linesFor(names));
    assert.equal(await runMigrate(env), 'The database has all migrations.\n');

    await db`insert into migrations (name) values ('9999_of_a_newer_version.sql')`;
    await db`update instance set version = '9.8.7'`;
    await assert.rejects(
      startProcess({ ...env, MIGRATE: 'on' }),
      /migrated by version 9\.8\.7 \(up to 9999_of_a_newer_version\.sql\), and this is version \d+\.\d+\.\d+ \(up to \d{4}_\w+\.sql\)\. Start that version or a later one\. To go back/,
    );
    // An upgrade in turns: processes of the older version start again on a newer database.
    {
      await using older = await startProcess({ ...env, MIGRATE: 'off' });
      assert.equal((await fetch(`${older.origin}/health/ready`)).status, 200);
    }
    await db`delete from migrations where name = '9999_of_a_newer_version.sql'`;

    await db`delete from migrations where name = ${last}`;
    await assert.rejects(startProcess(env), new RegExp(`lacks migration ${last}: run`));
    await db`insert into migrations (name) values (${last})`;

    // A backup that was restored to another server, whose transactions have lower numbers.
    await db`insert into event_followers (name, transaction, position)
      values ('restored', '1000000000000000', 0)`;
    await assert.rejects(startProcess(env), /restored from another server: run `npm run migrate`/);
    await runMigrate(env);
    await using _ = await startProcess(env);
    await db.end();
  });

  it('migrates the embedded database', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'petitions-migrate-'));
    try {
      await chmod(dataDir, 0o755);
      const env = { DATA_DIR: dataDir, MIGRATE: 'off' };
      await assert.rejects(startProcess(env), /run `npm run migrate`/);
      assert.equal(await runMigrate(env), linesFor(await migrationNames()));
      const started = await startProcess(env);
      assert.equal((await fetch(`${started.origin}/health/ready`)).status, 200);
      assert.equal(await started.end('SIGTERM'), 0);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
