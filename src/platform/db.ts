import postgres from 'postgres';

/** A pool of connections. */
export type Pool = postgres.Sql;
/** Where a query can run: the pool, or a transaction that is under way. */
export type Db = postgres.Sql | postgres.TransactionSql;
/** A transaction that is under way. */
export type Tx = postgres.TransactionSql;

interface PoolOptions {
  /** Shown in pg_stat_activity. */
  name: string;
  max: number;
  /** Longest run of one statement, in milliseconds. */
  statementTimeout?: number;
  /** More settings of PostgreSQL for its connections. */
  settings?: Record<string, string>;
}

/** Opens a pool; connections are made when first used. */
export function openPool(url: string, options: PoolOptions): Pool {
  return postgres(url, {
    max: options.max,
    idle_timeout: 60,
    connect_timeout: 10,
    // In seconds. Unless told, those who wait would wait up to 20 more after the database is back.
    backoff: (tries) => (0.5 + Math.random() / 2) * Math.min(3 ** tries / 100, 2),
    max_lifetime: 60 * 30,
    onnotice: () => {},
    connection: {
      application_name: `petitions ${options.name}`,
      statement_timeout: options.statementTimeout ?? 15_000,
      // Times are compared and shown in UTC whatever the server's own zone.
      TimeZone: 'UTC',
      idle_in_transaction_session_timeout: 30_000,
      ...options.settings,
    },
  });
}

/**
 * Runs the work in a transaction. Inside another transaction it runs in a savepoint of it, so that
 * domain functions need not know whether their caller opened one.
 */
export async function transaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const result = 'savepoint' in db ? await db.savepoint(work) : await db.begin(work);
  return result as T;
}

/**
 * Does it again, some times, where PostgreSQL ended it as one of those that waited for each other. Even
 * statements that lock nothing but one row can: who has locked its newest version, and comes to it again
 * by an older one that a foreign key's check holds, waits behind those who wait for the lock.
 */
export async function againAfterDeadlock<T>(work: () => Promise<T>, tries = 5): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const deadlock = error instanceof postgres.PostgresError && error.code === '40P01';
    if (!deadlock || tries <= 1) throw error;
    return againAfterDeadlock(work, tries - 1);
  }
}

/** Whether the error is PostgreSQL's unique_violation, of that constraint where one is given. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return (
    error instanceof postgres.PostgresError &&
    error.code === '23505' &&
    (constraint === undefined || error.constraint_name === constraint)
  );
}

/** Whether the error says that a row refers to a user who no longer exists. */
export function isMissingUser(error: unknown): boolean {
  return (
    error instanceof postgres.PostgresError &&
    error.code === '23503' &&
    /table "users"/.test(error.detail ?? '')
  );
}

/** Whether a statement was ended because it ran for too long. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '57014';

/** Whether the error says that the database could not be reached or went away. */
export function isConnectionError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && connectionErrors.has(code);
}

const connectionErrors = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57014', // query_canceled: statement_timeout
  '53300', // too_many_connections
]);
