import { isDatabaseUnavailable } from '../db.ts';
import { Client } from '../db/client.ts';
import { sqlStateOf } from '../db/errors.ts';
import { Session } from '../db/session.ts';
import { createSql, type Sql } from '../db/sql.ts';
import { type Cluster, rolePassword } from './cluster.ts';

/*
 * Each process that uses a cluster holds a shared advisory lock on its own connection. A process that obtains the
 * exclusive lock is the last one, and only it may stop the server. A killed process loses its lock with its connection.
 */
const lockSpace = 7_240_114;
const useLock = 1;
const setupLock = 2;

/** A superuser's session, which can hold advisory locks. */
export interface Connection {
  sql: Sql;
  port: number;
  /** Resolves when the connection ends, for any reason. */
  lost: Promise<void>;
  /** Stops keeping the process alive. */
  background(): void;
  foreground(): void;
  close(): Promise<void>;
}

/** How long the server may take to accept a connection. */
const connectTimeoutMs = 5000;
/** How long a statement may wait for the lock of a process that prepares the database. */
const lockTimeoutMs = 60_000;

/** Connects. Returns undefined if no server can be reached for now. */
export async function connectTo(cluster: Cluster, port: number): Promise<Connection | undefined> {
  const lost = Promise.withResolvers<void>();
  const client = new Client({
    host: '127.0.0.1',
    port,
    database: 'postgres',
    user: 'postgres',
    password: rolePassword(cluster, 'postgres'),
    application_name: 'petitions cluster',
    connectionTimeoutMillis: connectTimeoutMs,
  });
  client.once('end', () => lost.resolve());
  try {
    await client.connect();
  } catch (error) {
    client.destroy(error as Error);
    if (sqlStateOf(error) === undefined || isDatabaseUnavailable(error)) return undefined;
    throw new Error(`The PostgreSQL on port ${port} does not let us in: ${String(error)}`, {
      cause: error,
    });
  }
  const session = new Session(client, { statementTimeoutMs: lockTimeoutMs, isPrepared: false });
  return {
    sql: createSql((statement) => session.run(statement)),
    port,
    lost: lost.promise,
    background: () => client.keepsAlive(false),
    foreground: () => client.keepsAlive(true),
    close: async () => {
      client.destroy(new Error('The connection is closed.'));
    },
  };
}

/** Takes the shared lock. Returns false if the last process is stopping the server. */
export async function acquireLock({ sql }: Connection): Promise<boolean> {
  try {
    const [row] = await sql`select pg_try_advisory_lock_shared(${lockSpace}, ${useLock}) as held`;
    return row!.held as boolean;
  } catch (error) {
    if (isDatabaseUnavailable(error)) return false;
    throw error;
  }
}

/** Releases the shared lock. Returns whether this was the last process; no other can join until the connection ends. */
export async function releaseLock({ sql }: Connection): Promise<boolean> {
  await sql`select pg_advisory_unlock_shared(${lockSpace}, ${useLock})`;
  return isUnused({ sql });
}

/** Returns whether no process holds the shared lock. If so, no other can join until the connection ends. */
export async function isUnused({ sql }: Pick<Connection, 'sql'>): Promise<boolean> {
  const [row] = await sql`select pg_try_advisory_lock(${lockSpace}, ${useLock}) as last`;
  return row!.last as boolean;
}

/** Creates the role and the database if they are missing. Takes a lock, so that processes do it one after the other. */
export async function prepareDatabase(
  { sql }: Connection,
  { role, password, database }: { role: string; password: string; database: string },
): Promise<void> {
  await sql`select pg_advisory_lock(${lockSpace}, ${setupLock})`;
  // Not a superuser: an SQL injection must not reach files and programs of the machine.
  const statements = await sql<{ statement: string }[]>`
    select format('create role %I login createdb password %L', ${role}::text, ${password}::text)
      as statement
    where not exists (select from pg_roles where rolname = ${role})
    union all
    select format('create database %I owner %I', ${database}::text, ${role}::text)
    where not exists (select from pg_database where datname = ${database})`;
  for (const { statement } of statements) await sql.unsafe(statement);
  await sql`select pg_advisory_unlock(${lockSpace}, ${setupLock})`;
}
