import type pg from 'pg';
import type { Client } from './client.ts';
import { remainingMs } from './deadline.ts';
import { DatabaseUnavailable, sqlStateOf } from './errors.ts';
import type { Rows, Statement } from './sql.ts';
import { serialize } from './types.ts';

interface SessionOptions {
  /** Longest run of one statement on the server; Infinity or 0: no limit. */
  statementTimeoutMs: number;
  /** Whether statements are prepared once for each connection. */
  isPrepared: boolean;
}

const graceMs = 1000;
/** Longest delay that a timer of Node takes. */
const longestTimeoutMs = 2 ** 31 - 1;

/** Runs statements on one connection, one after the other, each with a deadline. */
export class Session {
  readonly #client: Client;
  readonly #isPrepared: boolean;
  #timeoutMs = Infinity;
  /** Why the connection can no longer be used, where a statement has shown it. */
  failure: unknown;

  constructor(client: Client, options: SessionOptions) {
    this.#client = client;
    this.#isPrepared = options.isPrepared;
    this.setTimeout(options.statementTimeoutMs);
  }

  /** The server ends a statement that runs for longer; the client waits a second more for it to say so. */
  setTimeout(statementTimeoutMs: number): void {
    this.#timeoutMs = (statementTimeoutMs || Infinity) + graceMs;
  }

  /**
   * Runs a statement. Where no answer comes before the deadline, the connection is destroyed: what became of the
   * statement is not known, and the server ends it by its own timeout.
   * @throws {DatabaseUnavailable} where the connection is lost or the deadline passes
   * @throws {pg.DatabaseError} what the server reports
   */
  async run({ text, parameters, isSimple = false }: Statement): Promise<Rows> {
    const client = this.#client;
    const timeoutMs = Math.min(this.#timeoutMs, remainingMs());
    if (timeoutMs <= 0) {
      // The transaction that it belongs to cannot go on either: its connection is closed.
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
      Math.min(timeoutMs, longestTimeoutMs),
    );
    try {
      const name = isSimple || !this.#isPrepared ? undefined : nameOf(text);
      const config: pg.QueryConfig & { queryMode?: 'extended' } = isSimple
        ? { text }
        : { text, values: parameters.map(serialize), ...(name && { name }), queryMode: 'extended' };
      const result = await ask(client, config);
      client.lastAnswerMs = performance.now();
      // Of several statements that were sent as one text, the last.
      const { rows, rowCount } = Array.isArray(result) ? result.at(-1)! : result;
      return Object.assign(rows, { count: rowCount ?? 0 });
    } catch (error) {
      throw this.#fail(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs a statement without parameters, such as BEGIN; the text may hold several. */
  command(text: string): Promise<Rows> {
    return this.run({ text, parameters: [], isSimple: true });
  }

  /** Names the loss of the connection, which `pg` reports in many ways; other errors stay as they are. */
  #fail(error: unknown): unknown {
    const { isLost, lost } = this.#client;
    if (lost instanceof DatabaseUnavailable) this.failure = lost;
    else if (isLost && sqlStateOf(error) === undefined) {
      const { code = 'CONNECTION_LOST' } = (lost ?? {}) as { code?: string };
      this.failure = new DatabaseUnavailable('The connection was lost.', { code, cause: error });
    } else this.failure = error;
    // Of the caller, instead of the socket's.
    Error.captureStackTrace(this.failure as Error);
    return this.failure;
  }
}

type Result = pg.QueryResult | pg.QueryResult[];

/**
 * Asks by a callback of our own. The one that `pg` makes for a promise is set as a property where it is written, which
 * V8 allocates in the old generation: all rows that it leads to would live until the next full collection.
 */
const ask = (client: Client, config: pg.QueryConfig): Promise<Result> =>
  new Promise((resolve, reject) => {
    const settle = (error: Error | null, result: Result) => {
      if (error) reject(error);
      else resolve(result);
    };
    client.query(config, settle as (error: Error, result: pg.QueryResult) => void);
  });

/** Statements that are prepared by name; more are few, made of parts, and sent without one. */
const mostNames = 5000;
const names = new Map<string, string>();

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= mostNames) return known;
  const name = `s${names.size + 1}`;
  names.set(text, name);
  return name;
}
