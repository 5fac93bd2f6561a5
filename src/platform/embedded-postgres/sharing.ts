import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { isConnectionError } from '../db.ts';
import { type Cluster, rolePassword } from './cluster.ts';

/*
 * Each process that uses a cluster holds a shared lock on a connection of its own; who obtains the
 * exclusive one is the last, and alone may stop the server. A killed process loses its lock with
 * its connection.
 */
const lockSpace = 7_240_114;
const useLock = 1;
const setupLock = 2;

/** A superuser's connection of one session, which locks may be tied to. */
export interface Connection {
  sql: postgres.Sql;
  port: number;
  /** Settles when the connection ends, by whomever. */
  lost: Promise<void>;
  /** From now on the connection does not keep the process alive. */
  background(): void;
  foreground(): void;
  close(): Promise<void>;
}

/** Connects, or gives undefined when there is, for now, nobody to connect to. */
export async function connectTo(cluster: Cluster, port: number): Promise<Connection | undefined> {
  let socket: Socket | undefined;
  const lost = Promise.withResolvers<void>();
  const options = {
    host: '127.0.0.1',
    port,
    database: 'postgres',
    username: 'postgres',
    password: rolePassword(cluster, 'postgres'),
    ssl: false,
    max: 1,
    // A session that was renewed would have lost its locks.
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
    onclose: () => lost.resolve(),
    connection: { application_name: 'petitions cluster', statement_timeout: 0 },
    socket: async () => {
      socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
  };
  const sql = postgres(options);
  const close = () => sql.end({ timeout: 0 });
  try {
    // postgres.js tries for ever where a port is closed on it at once.
    const answer = await Promise.race([sql`select 1`, sleep(5000, undefined, { ref: false })]);
    if (!answer) throw Object.assign(new Error('no answer'), { code: 'CONNECT_TIMEOUT' });
  } catch (error) {
    await close();
    if (isConnectionError(error)) return undefined;
    throw new Error(`The PostgreSQL on port ${port} does not let us in: ${String(error)}`, {
      cause: error,
    });
  }
  return {
    sql,
    port,
    lost: lost.promise,
    background: () => socket?.unref(),
    foreground: () => socket?.ref(),
    close,
  };
}

/** Counts us in; false when the last process is stopping the server. */
export async function hold({ sql }: Connection): Promise<boolean> {
  try {
    const [row] = await sql`select pg_try_advisory_lock_shared(${lockSpace}, ${useLock}) as held`;
    return row!.held as boolean;
  } catch (error) {
    if (isConnectionError(error)) return false;
    throw error;
  }
}

/** Counts us out; true when nobody is left, and until the connection ends nobody can come in. */
export async function releaseAsLast({ sql }: Connection): Promise<boolean> {
  await sql`select pg_advisory_unlock_shared(${lockSpace}, ${useLock})`;
  const [row] = await sql`select pg_try_advisory_lock(${lockSpace}, ${useLock}) as last`;
  return row!.last as boolean;
}

/** Makes the role and the database where they are missing; processes that start together take turns. */
export async function prepareDatabase(
  { sql }: Connection,
  { role, password, database }: { role: string; password: string; database: string },
): Promise<void> {
  await sql`select pg_advisory_lock(${lockSpace}, ${setupLock})`;
  // Not a superuser: what gets into a query must not get out to the machine's files and programs.
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
