import type pg from 'pg';
import type { Client } from './client.ts';
import { remainingMs } from './deadline.ts';
import { DatabaseUnavailable, sqlStateOf } from './errors.ts';
import type { Rows, Statement } from './sql.ts';
import { serialize } from './types.ts';

interface SessionOptions {
  /** The server's timeout of a statement; Infinity or 0: no limit. */
  statementTimeoutMs: number;
  /** Whether statements are prepared once for each connection. */
  isPrepared: boolean;
}

const graceMs = 1000;
/** The longest delay of a Node timer. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Runs statements on one connection, one after the other, each with a deadline. */
export class Session {
  readonly #client: Client;
  readonly #isPrepared: boolean;
  #timeoutMs = Infinity;
  /** The last error of a statement, if any. */
  failure: unknown;

  constructor(client: Client, options: SessionOptions) {
    this.#client = client;
    this.#isPrepared = options.isPrepared;
    this.setTimeout(options.statementTimeoutMs);
  }

  /** Sets the timeout. The client waits a second longer than the server, which cancels the statement. */
  setTimeout(statementTimeoutMs: number): void {
    this.#timeoutMs = (statementTimeoutMs || Infinity) + graceMs;
  }

  /**
   * Runs a statement. Without an answer before the deadline, it destroys the connection: the outcome of the
   * statement is then unknown, and the server cancels it by its own timeout.
   * @throws {DatabaseUnavailable} if the connection is lost or the deadline passes
   * @throws {pg.DatabaseError} what the server reports
   */
  async run({ text, parameters, isSimple = false }: Statement): Promise<Rows> {
    const client = this.#client;
    const timeoutMs = Math.min(this.#timeoutMs, remainingMs());
    if (timeoutMs <= 0) {
      // Its transaction cannot continue either: the pool closes the connection.
      this.failure = new DatabaseUnavailable('The deadline passed before the statement was sent.', {
        code: 'DEADLINE',
      });
      throw this.failure;
    }
    const timer = setTimeout(
      () => {
        const message = `No answer within ${Math.round(timeoutMs)} ms.`;
        client.destroy(new DatabaseUnavailable(message, { code: 'DEADLINE' }));
      },
      Math.min(timeoutMs, maxTimeoutMs),
    );
    try {
      const name = isSimple || !this.#isPrepared ? undefined : nameOf(text);
      const config: pg.QueryConfig & { queryMode?: 'extended' } = isSimple
        ? { text }
        : { text, values: parameters.map(serialize), ...(name && { name }), queryMode: 'extended' };
      const result = await sendQuery(client, config);
      client.lastAnswerMs = performance.now();
      // A text of several statements has several results; the last one counts.
      const { rows, rowCount } = Array.isArray(result) ? result.at(-1)! : result;
      return Object.assign(rows, { count: rowCount ?? 0 });
    } catch (error) {
      throw this.#fail(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs one or more statements without parameters: BEGIN, LISTEN. */
  command(text: string): Promise<Rows> {
    return this.run({ text, parameters: [], isSimple: true });
  }

  /** Maps the loss of the connection, which `pg` reports in many ways, to one error. Keeps other errors. */
  #fail(error: unknown): unknown {
    const { isLost, lost } = this.#client;
    if (lost instanceof DatabaseUnavailable) this.failure = lost;
    else if (isLost && sqlStateOf(error) === undefined) {
      const { code = 'CONNECTION_LOST' } = (lost ?? {}) as { code?: string };
      this.failure = new DatabaseUnavailable('The connection was lost.', { code, cause: error });
    } else this.failure = error;
    // The caller's stack instead of the socket's.
    Error.captureStackTrace(this.failure as Error);
    return this.failure;
  }
}

type Result = pg.QueryResult | pg.QueryResult[];

/**
 * Runs the query with a callback of our own. V8 allocates the callback that `pg` creates for a promise in the old
 * generation, since it is assigned to a property in place: all rows that it refers to would live until the next full
 * collection.
 */
const sendQuery = (client: Client, config: pg.QueryConfig): Promise<Result> =>
  new Promise((resolve, reject) => {
    const settle = (error: Error | null, result: Result) => {
      if (error) reject(error);
      else resolve(result);
    };
    client.query(config, settle as (error: Error, result: pg.QueryResult) => void);
  });

/** Limit of prepared statements. Further statements are sent unnamed. */
const maxNames = 5000;
const names = new Map<string, string>();

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= maxNames) return known;
  const name = `s${names.size + 1}`;
  names.set(text, name);
  return name;
}
