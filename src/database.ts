import type { Config } from './config.ts';
import { openPool } from './platform/db.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { migrate } from './platform/migrate.ts';

export interface Database extends AsyncDisposable {
  url: string;
}

/** The database of DATABASE_URL, else an embedded one under DATA_DIR; migrated either way. */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
): Promise<Database> {
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbeddedPostgres({ dataDir: config.dataDir });
  const url = config.databaseUrl ?? embedded!.url;
  const stop = async () => embedded?.stop();
  const pool = openPool(url, { name: 'migrate', max: 1 });
  try {
    await migrate(pool, url);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    await pool.end();
  }
  return { url, [Symbol.asyncDispose]: stop };
}
