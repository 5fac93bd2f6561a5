import { withDeadline } from './deadline.ts';
import { DatabaseUnavailable, isDiskFull } from './errors.ts';
import { meetsTarget, serverStateSql, type ServerState } from './hosts.ts';
import type { Pool } from './pool.ts';
import type { Tx } from './transaction.ts';

/** Readiness is polled often, by callers that wait at most 2 s. */
const checkTimeoutMs = 1000;

/** Checks that the database answers, takes writes, and has room for them. */
export class DatabaseHealth {
  /** Whether a write found the disk full, and none has succeeded since. */
  #isDiskFull = false;

  /** Call it with the error of each failed statement. */
  note(error: unknown): void {
    if (isDiskFull(error)) this.#isDiskFull = true;
  }

  /**
   * Checks the database on a connection of the pool, which should be reserved for this.
   * @throws if the database cannot serve; the message says why
   */
  async check(pool: Pool): Promise<void> {
    await withDeadline(checkTimeoutMs, async () => {
      // Inside the transaction, so that the pool closes the connection to such a server.
      await pool.begin(requireWritable);
      if (this.#isDiskFull) await writePage(pool);
      this.#isDiskFull = false;
    });
  }
}

async function requireWritable(tx: Tx): Promise<void> {
  const [state] = await tx.unsafe<ServerState[]>(serverStateSql);
  if (meetsTarget('primary', state!) && meetsTarget('read-write', state!)) return;
  throw new DatabaseUnavailable('The server takes no writes: it is a standby or read-only.', {
    code: 'READ_ONLY',
  });
}

/** Extends a file by a page, which fails while the disk is full. */
async function writePage(pool: Pool): Promise<void> {
  await pool.begin(async (tx) => {
    await tx`create temporary table disk_probe on commit drop as select repeat('x', 8000) as filler`;
  });
}
