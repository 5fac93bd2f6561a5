import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Db } from '../../src/platform/db.ts';
import { migrationNames } from '../../src/platform/migrate.ts';
import { Client } from '../support/client.ts';
import { createTestDatabase } from '../support/database.ts';
import { applyFirst, storePetition } from '../support/earlier-schema.ts';
import { eventually } from '../support/eventually.ts';
import {
  assertAnswered,
  assertNothingLost,
  faultEnv,
  openTestPool,
  prepareCrowd,
  underLoad,
} from '../support/load.ts';
import { freePort, startProcess } from '../support/process.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';
import { assertVerified } from '../support/verify.ts';

/** Numbers of migrations of earlier versions: the first with signatures. More rounds add random ones. */
const earlierVersions = [6];
const signatures = 60;
/** When to kill the process, after it began to migrate. */
const killedAfterMs = [0, 200];

/** Starts the service and kills it during migrations. Returns whether migrations were left. */
async function killWhileMigrating(db: Db, env: Record<string, string>, afterMs: number) {
  const child = spawn(process.execPath, ['src/main.ts'], {
    env: { PATH: process.env.PATH, PORT: String(await freePort()), LOG_LEVEL: 'error', ...env },
    stdio: 'ignore',
  });
  try {
    await eventually(async () => {
      const rows = await db`
        select from pg_stat_activity
        where datname = current_database() and application_name = 'petitions migrate'`;
      return rows.length > 0;
    }, 30_000);
    await pause(afterMs);
  } finally {
    await kill(child);
  }
  // The server finishes its current statement first.
  await eventually(async () => {
    const rows = await db`
      select from pg_stat_activity
      where datname = current_database() and application_name like 'petitions %'
        and pid <> pg_backend_pid() and application_name <> 'petitions test'`;
    return rows.length === 0;
  }, 30_000);
  const rows = await db`select name from migrations`;
  return rows.length < (await migrationNames()).length;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

it(
  'upgrades from earlier versions, even if it is killed during migrations',
  roundsTimeout(30_000),
  async (t) => {
    const names = await migrationNames();
    const versions = Array.from({ length: Math.max(rounds, earlierVersions.length) }, (_, n) =>
      n < earlierVersions.length
        ? (earlierVersions[n]! + names.length) % names.length
        : 6 + Math.floor(Math.random() * (names.length - 6)),
    );
    let interrupted = 0;
    for (const version of versions) {
      await using database = await createTestDatabase({ migrated: false });
      await using connected = openTestPool(database.url);
      const { db } = connected;
      await applyFirst(version, database.url);
      const petition = await storePetition(db, signatures);
      const env = faultEnv(database.url);
      for (const afterMs of killedAfterMs) {
        if (await killWhileMigrating(db, env, afterMs)) interrupted += 1;
      }
      {
        await using service = await startProcess(env);
        const { body } = await new Client(service.origin).get(`/v1/petitions/${petition.id}`);
        assert.equal(body.data.signature_count, signatures);
        const crowd = await prepareCrowd(database.url, { petitions: 1, signers: 200 });
        const [added] = crowd.petitions as [{ id: string; slug: string }];
        const load = { origin: service.origin, petition: added, ...crowd, clients: 8 };
        const answers = await underLoad(load, () => pause(300));
        assertAnswered(answers, { withinMs: 5000 });
        await assertNothingLost(db, petition, []);
        await assertNothingLost(db, added, answers);
        assert.equal(await service.end('SIGTERM'), 0, service.output());
      }
      const applied = await db`select name from migrations order by name`;
      assert.deepEqual(
        applied.map(({ name }) => name as string),
        names,
      );
      // Required after an upgrade from a version without sums (docs/operating.md).
      if (!names.slice(0, version).includes('0022_analytics.sql')) {
        await promisify(execFile)(process.execPath, ['src/cli/rebuild-sums.ts'], {
          env: { PATH: process.env.PATH, ...env },
        });
      }
      await assertVerified(database.url);
      t.diagnostic(`from ${version} migrations: ${interrupted} of the kills so far interrupted it`);
    }
    assert.ok(interrupted > 0, 'no kill interrupted migrations');
  },
);
