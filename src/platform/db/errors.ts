import { DatabaseError } from 'pg';

/** The database could not be reached, became unavailable, or did not answer before the deadline. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
  readonly code: string;

  constructor(message: string, options: { code: string; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.code = options.code;
  }
}

/** SQLSTATE of an error that PostgreSQL reported. */
export const sqlStateOf = (error: unknown): string | undefined =>
  error instanceof DatabaseError ? error.code : undefined;

/** Whether the error is a unique_violation, of the given constraint if any. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  error instanceof DatabaseError &&
  error.code === '23505' &&
  (constraint === undefined || error.constraint === constraint);

/** Whether a row refers to a user that no longer exists. */
export const isMissingUser = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  error.code === '23503' &&
  /table "users"/.test(error.detail ?? '');

/** Whether the server cancelled a statement that ran too long. */
export const isTimeout = (error: unknown): boolean => sqlStateOf(error) === '57014';

/** Whether the transaction was aborted to resolve a deadlock. */
export const isDeadlock = (error: unknown): boolean => sqlStateOf(error) === '40P01';

/** Whether a statement waited for a lock for longer than `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => sqlStateOf(error) === '55P03';

/** Whether a statement or the readiness check found that the server takes no writes. */
export const isReadOnly = (error: unknown): boolean =>
  sqlStateOf(error) === '25006' ||
  (error instanceof DatabaseUnavailable && error.code === 'READ_ONLY');

/** Whether the server could not write because its disk is full. */
export const isDiskFull = (error: unknown): boolean => sqlStateOf(error) === '53100';

/**
 * Whether the connection must be closed, though the server may still answer on it: the server shuts down, is
 * read-only, or has ended the session.
 */
export const mustCloseConnection = (error: unknown): boolean => {
  if (error instanceof DatabaseUnavailable) return true;
  const state = sqlStateOf(error);
  return state !== undefined && (/^(?:08|57P)/.test(state) || state === '25006');
};

/** Whether the database is unavailable for now: requests answer 503, and background work is retried. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable || isLossReportedByPg(error)) return true;
  const state = sqlStateOf(error);
  return state !== undefined && (mustCloseConnection(error) || unavailableStates.has(state));
}

/** Whether `pg` says that the connection is lost, which it does without a code. Sessions wrap it; libraries do not. */
const isLossReportedByPg = (error: unknown): boolean =>
  error instanceof Error &&
  /^(Connection terminated|Client has encountered a connection error)/.test(error.message);

const unavailableStates = new Set([
  '57014', // query_canceled: statement_timeout
  '53000', // insufficient_resources
  '53100', // disk_full
  '53200', // out_of_memory
  '53300', // too_many_connections
  '58030', // io_error
  '25P03', // idle_in_transaction_session_timeout
  '72000', // snapshot_too_old
  '40001', // serialization_failure: on a standby, a conflict with recovery
]);
