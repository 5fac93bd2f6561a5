import type { Session } from './session.ts';
import { createSql, type Rows, type Sql, type Statement } from './sql.ts';

/** A running transaction. */
export interface Tx extends Sql {
  /** Runs the work in a savepoint. If it fails, only its changes are rolled back. */
  savepoint<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Sets the timeout of the next statements; 0: no limit. */
  setStatementTimeout(timeoutMs: number): Promise<void>;
  /** Runs a complete statement. */
  run(statement: Statement): Promise<Rows>;
}

/** Creates a transaction on a session. Its statements run one after the other, even if the caller does not await them. */
export function createTx(session: Session): {
  tx: Tx;
  end: (command: 'commit' | 'rollback') => Promise<void>;
} {
  let last: Promise<unknown> = Promise.resolve();
  let isOver = false;
  let savepoints = 0;
  /** The first error; PostgreSQL then rejects statements until a rollback. */
  let firstFailure: unknown;
  const afterOthers = (send: () => Promise<Rows>): Promise<Rows> => {
    const next = last.then(send);
    last = next.catch((error: unknown) => {
      firstFailure ??= error;
    });
    return next;
  };
  const command = (text: string) => afterOthers(() => session.command(text));
  const run = async (statement: Statement): Promise<Rows> => {
    if (isOver) throw new Error('The transaction is over.');
    return afterOthers(() => session.run(statement));
  };
  const savepoint = async <T>(work: (within: Tx) => Promise<T>): Promise<T> => {
    savepoints += 1;
    const name = `s${savepoints}`;
    await command(`savepoint ${name}`);
    try {
      const result = await work(tx);
      await command(`release ${name}`);
      return result;
    } catch (error) {
      await command(`rollback to ${name}`);
      firstFailure = undefined;
      throw error;
    }
  };
  const setStatementTimeout = async (timeoutMs: number) => {
    await command(`set local statement_timeout = ${Math.trunc(timeoutMs)}`);
    session.setTimeout(timeoutMs);
  };
  const tx: Tx = Object.assign(createSql(run), { savepoint, setStatementTimeout, run });
  const end = async (how: 'commit' | 'rollback'): Promise<void> => {
    isOver = true;
    // PostgreSQL answers COMMIT of a failed transaction with a rollback, not with an error.
    if (how === 'commit' && firstFailure !== undefined) {
      await command('rollback').catch(() => {});
      throw firstFailure;
    }
    await command(how);
  };
  return { tx, end };
}
