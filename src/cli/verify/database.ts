import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { openPool, type Pool } from '../../platform/db.ts';
import { startEmbeddedPostgres } from '../../platform/embedded-postgres.ts';
import { migrationNames } from '../../platform/migrate.ts';
import { CommandError } from '../command.ts';

const statementTimeoutMs = 120_000;

export interface VerifiedDatabase extends AsyncDisposable {
  db: Pool;
}

/** Opens the configured database without migrating it. Joins or starts an embedded one. */
export async function openVerified({
  databaseUrl,
  databaseDirectUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir'>): Promise<VerifiedDatabase> {
  if (!databaseUrl && !existsSync(join(dataDir, 'postgres'))) {
    throw new CommandError(`DATABASE_URL is not set, and there is no database in ${dataDir}.`);
  }
  await using stack = new AsyncDisposableStack();
  // Not through a pooler: the snapshots last too long for it.
  let url = databaseDirectUrl ?? databaseUrl;
  if (!url) {
    const embedded = await startEmbeddedPostgres({ dataDir });
    stack.defer(() => embedded.stop());
    url = embedded.url;
  }
  const db = openPool(url, { name: 'verify', max: 2, statementTimeoutMs });
  stack.defer(() => db.end({ timeout: 5 }));
  await requireSchema(db);
  const opened = stack.move();
  return { db, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** @throws {CommandError} if the schema is older or newer than this version of the service */
async function requireSchema(db: Pool): Promise<void> {
  const row = await db.one`select to_regclass('public.migrations') is not null as there`;
  if (!row.there)
    throw new CommandError('This is no database of the service: it has no migrations.');
  const applied = new Set((await db`select name from migrations`).map(({ name }) => String(name)));
  const known = await migrationNames();
  const missing = known.find((name) => !applied.has(name));
  if (missing) {
    throw new CommandError(
      `The database lacks migration ${missing}: run \`npm run migrate\` first.`,
    );
  }
  const unknown = [...applied].find((name) => !known.includes(name));
  if (unknown) {
    throw new CommandError(`The database has migration ${unknown}, which this version lacks.`);
  }
}
