import { withDeadline } from './deadline.ts';
import { DatabaseUnavailable, isDiskFull } from './errors.ts';
import { meetsTarget, serverStateSql, type ServerState } from './hosts.ts';
import type { Pool } from './pool.ts';
import type { Tx } from './transaction.ts';

/** Readiness is asked often, by callers that wait for 2 s at most. */
const checkTimeoutMs = 1000;

/** Tells whether the database can serve: it answers, takes writes, and has room for them. */
export class DatabaseHealth {
  /** Set by the first write that found the disk full, until a write succeeds again. */
  #isDiskFull = false;

  /** Told of each failure of a statement. */
  note(error: unknown): void {
    if (isDiskFull(error)) this.#isDiskFull = true;
  }

  /**
   * Asks the database on a connection of the pool, which should be kept for this.
   * @throws where it cannot serve; the message says why
   */
  async check(pool: Pool): Promise<void> {
    await withDeadline(checkTimeoutMs, async () => {
      // Within the transaction, so that the connection to such a server is given up.
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

/** Has a file grow by a page, which fails while the disk is full. */
async function writePage(pool: Pool): Promise<void> {
  await pool.begin(async (tx) => {
    await tx`create temporary table disk_probe on commit drop as select repeat('x', 8000) as filler`;
  });
}
