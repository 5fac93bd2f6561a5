import type { ClientBase, PoolClient } from 'pg';
import { createPgPool, Servers, type Client } from '../../platform/db/client.ts';

/** Runs the work on one connection of its own, which may be busy for hours. An error ends it, and its transaction. */
export async function withClient<T>(
  databaseUrl: string,
  name: string,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> {
  const pool = createPgPool(new Servers(databaseUrl), {
    applicationName: `petitions ${name}`,
    settings: { idle_in_transaction_session_timeout: '0', statement_timeout: '0' },
    max: 1,
    acquireTimeoutMs: 10_000,
  });
  try {
    const client = (await pool.connect()) as PoolClient & Client;
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // Not a rollback: the connection may be in the middle of a COPY, behind which that would wait.
      client.destroy(error as Error);
      client.release(error as Error);
      throw error;
    }
  } finally {
    await pool.end();
  }
}
