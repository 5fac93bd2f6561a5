import { hash, randomBytes } from 'node:crypto';
import { openPool } from '../../src/platform/db.ts';

/** Of this checkout: runs of others on the same server have templates of their own. */
export const templateName = `petitions_template_${hash('sha256', import.meta.dirname, 'hex').slice(0, 8)}`;

/** The address of another database on the same server. */
export function databaseNamed(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

export interface TestDatabase extends AsyncDisposable {
  url: string;
}

interface TestDatabaseOptions {
  migrated?: boolean;
  /** A database to copy instead of the template. It must have no connections. */
  copyOf?: TestDatabase;
  /** Of an empty database; UTF8 by default. */
  encoding?: string;
}

/** Creates a database for a test: migrated and empty by default. */
export async function createTestDatabase({
  migrated = true,
  copyOf,
  encoding,
}: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const base = process.env.TEST_DATABASE_URL;
  if (!base) throw new Error('Run tests with `npm test`, or `node test/run.ts FILE`.');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const defaultTemplate = migrated ? templateName : 'template0';
  const template = copyOf ? new URL(copyOf.url).pathname.slice(1) : defaultTemplate;
  const admin = openPool(base, { name: 'test', max: 1 });
  // Other test processes may create theirs at the same time, and a template can only be copied once at a time.
  await admin.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(77)`;
    const other = openPool(base, { name: 'test', max: 1 });
    const locale = encoding ? ` encoding '${encoding}' locale 'C'` : '';
    await other.unsafe(`create database ${name} template ${template}${locale}`);
    await other.end();
  });
  return {
    url: databaseNamed(base, name),
    async [Symbol.asyncDispose]() {
      await admin.unsafe(`drop database ${name} with (force)`).catch((error: unknown) => {
        // An autovacuum worker cannot be terminated by this role, but gives way to a plain drop.
        if ((error as { code?: string }).code !== '42501') throw error;
        return admin.unsafe(`drop database ${name}`);
      });
      await admin.end();
    },
  };
}
