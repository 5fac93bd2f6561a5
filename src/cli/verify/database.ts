import type { Location } from '../../database.ts';
import { openPool, type Pool } from '../../platform/db.ts';
import { migrationNames, requireOwnLog } from '../../platform/migrate.ts';
import { CommandError, reachExisting } from '../command.ts';

const statementTimeoutMs = 120_000;

export interface VerifiedDatabase extends AsyncDisposable {
  db: Pool;
}

/** Opens the configured database without migrating it. Joins or starts an embedded one. */
export async function openVerified(config: Location): Promise<VerifiedDatabase> {
  await using stack = new AsyncDisposableStack();
  const { directUrl } = stack.use(await reachExisting(config));
  // Not through a pooler: the snapshots last too long for it.
  const db = openPool(directUrl, {
    name: 'verify',
    max: 2,
    statementTimeoutMs,
    // Also holds for statements outside of a transaction.
    settings: { default_transaction_read_only: 'on' },
  });
  stack.defer(() => db.end({ timeout: 5 }));
  await requireSchema(db);
  const opened = stack.move();
  return { db, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/**
 * @throws {CommandError} if the schema is older or newer than this version of the service
 * @throws {MigrationError} if a restored database was not migrated
 */
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
  await requireOwnLog(db);
}
