import { DatabaseError } from 'pg';

/** The database could not be reached, went away, or did not answer before the deadline. */
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

/** Whether the error is PostgreSQL's unique_violation, of that constraint where one is given. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  error instanceof DatabaseError &&
  error.code === '23505' &&
  (constraint === undefined || error.constraint === constraint);

/** Whether the error says that a row refers to a user who no longer exists. */
export const isMissingUser = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  error.code === '23503' &&
  /table "users"/.test(error.detail ?? '');

/** Whether a statement was ended because it ran for too long. */
export const isTimeout = (error: unknown): boolean => sqlStateOf(error) === '57014';

/** Whether the transaction was chosen to end a deadlock. */
export const isDeadlock = (error: unknown): boolean => sqlStateOf(error) === '40P01';

/** Whether the server takes no writes, as a statement or the readiness check has shown. */
export const isReadOnly = (error: unknown): boolean =>
  sqlStateOf(error) === '25006' ||
  (error instanceof DatabaseUnavailable && error.code === 'READ_ONLY');

/** Whether the server says that a file could not be written because its disk is full. */
export const isDiskFull = (error: unknown): boolean => sqlStateOf(error) === '53100';

/**
 * Whether the connection can no longer be used, though the server may still answer on it: it shuts down, is a
 * standby or read-only, or has no memory or disk left for this session.
 */
export const endsConnection = (error: unknown): boolean => {
  if (error instanceof DatabaseUnavailable) return true;
  const state = sqlStateOf(error);
  return state !== undefined && (/^(?:08|57P)/.test(state) || state === '25006');
};

/**
 * Whether the error says that the database cannot be used at the moment, for whatever reason: requests answer
 * 503, and background work tries again.
 */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable || isLossReportedByPg(error)) return true;
  const state = sqlStateOf(error);
  return state !== undefined && (endsConnection(error) || unavailableStates.has(state));
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
