import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPool } from '../../src/platform/db.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/process.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { Daemon, findAccount, makeFolder, writeOwned, type Account } from './daemons.ts';
import { postgresPrograms } from './packages.ts';
import type { FailoverCluster } from './round.ts';
import { render } from './templates.ts';

const host = '127.0.0.1';
const stepTimeoutMs = 60_000;

interface Server {
  name: string;
  port: number;
  folder: string;
  dataDir: string;
  daemon: Daemon;
}

/**
 * A primary and two standbys with quorum commit, without Patroni: the test promotes a standby, like an operator, and
 * moves the address. The configuration is that of `docs/high-availability.md`.
 */
export class QuorumCluster implements AsyncDisposable, FailoverCluster {
  readonly #stack = new AsyncDisposableStack();
  readonly #account: Account = findAccount();
  readonly #password = randomBytes(12).toString('hex');
  readonly #servers: Server[] = [];
  #primary!: Server;
  #address!: TcpProxy;

  static async start(): Promise<QuorumCluster> {
    const cluster = new QuorumCluster();
    try {
      await cluster.#start();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The address that is moved to the primary. */
  get movedUrl(): string {
    return `postgres://petitions:petitions@${host}:${this.#address.port}/petitions`;
  }

  /** The addresses of all servers, for clients that choose by target. */
  severalHostsUrl(target: 'read-write' | 'standby'): string {
    const hosts = this.#servers.map(({ port }) => `${host}:${port}`).join(',');
    return `postgres://petitions:petitions@${hosts}/petitions?target_session_attrs=${target}`;
  }

  /** Kills the primary, promotes the standby with more WAL, and moves the address. */
  async killPrimary(): Promise<string> {
    const dead = this.#primary;
    await dead.daemon.kill();
    const [next, other] = await this.#byReceived(dead);
    await ask(next!, this.#password, 'select pg_promote(true, 30)');
    this.#primary = next!;
    this.#address.pointTo(host, next!.port);
    this.#address.dropConnections();
    await this.#follow(other!);
    await ask(other!, this.#password, 'select pg_reload_conf()');
    return dead.name;
  }

  /** Rewinds the dead server to the promotion of the new primary, and starts it as a standby. */
  async restore(name: string): Promise<void> {
    const server = this.#servers.find((one) => one.name === name)!;
    // Until its first checkpoint, pg_rewind sees the new primary on the old timeline and does nothing.
    await ask(this.#primary, this.#password, 'checkpoint');
    const source = `host=${host} port=${this.#primary.port} user=postgres dbname=postgres password=${this.#password}`;
    await this.#run('pg_rewind', [
      `--target-pgdata=${server.dataDir}`,
      `--config-file=${join(server.folder, 'postgresql.conf')}`,
      `--source-server=${source}`,
    ]);
    await this.#startStandby(server);
  }

  /** Creates the role and the database of the service. */
  async createDatabase(): Promise<void> {
    await ask(this.#primary, this.#password, `create role petitions login password 'petitions'`);
    await ask(this.#primary, this.#password, 'create database petitions owner petitions');
  }

  async #start(): Promise<void> {
    const { path } = this.#stack.use(await makeFolder(this.#account));
    for (const name of ['node1', 'node2', 'node3']) {
      this.#servers.push(await this.#prepare(join(path, name), name));
    }
    const [first, ...standbys] = this.#servers as [Server, Server, Server];
    this.#primary = first;
    const passwordFile = join(first.folder, 'password');
    await writeOwned(this.#account, passwordFile, this.#password);
    await this.#run('initdb', [
      `--pgdata=${first.dataDir}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--data-checksums',
    ]);
    first.daemon.start();
    await eventually(() => isUp(first, this.#password), stepTimeoutMs).catch((error: unknown) => {
      throw new Error(`the first server does not start:\n${first.daemon.logTail()}`, {
        cause: error,
      });
    });
    // Without a standby, other commits would wait forever.
    const replicator = `set synchronous_commit = local;
      create role replicator login replication password '${this.#password}'`;
    await ask(first, this.#password, replicator);
    for (const standby of standbys) {
      const from = `host=${host} port=${first.port} user=replicator password=${this.#password}`;
      await this.#run('pg_basebackup', [`--pgdata=${standby.dataDir}`, `--dbname=${from}`]);
      await this.#startStandby(standby);
    }
    this.#address = this.#stack.use(await startTcpProxy({ host, port: first.port }));
  }

  async #prepare(folder: string, name: string): Promise<Server> {
    await mkdir(folder);
    await chown(folder, this.#account.uid, this.#account.gid);
    const port = await freePort();
    const dataDir = join(folder, 'postgres');
    const values = {
      HOST: host,
      NETWORK: `${host}/32`,
      POSTGRES_PORT: String(port),
      POSTGRES_DIR: dataDir,
      SOCKET_DIR: folder,
      IDENT_FILE: join(dataDir, 'pg_ident.conf'),
      HBA_FILE: join(folder, 'pg_hba.conf'),
      PRIMARY_FILE: join(folder, 'primary.conf'),
    };
    for (const file of ['postgresql.conf', 'pg_hba.conf']) {
      await writeOwned(this.#account, join(folder, file), await render(file, values));
    }
    const daemon = new Daemon({
      account: this.#account,
      folder,
      name: 'postgres',
      command: join(postgresPrograms, 'postgres'),
      args: ['-c', `config_file=${join(folder, 'postgresql.conf')}`],
    });
    this.#stack.use(daemon);
    // An immediate shutdown leaves no shared memory.
    this.#stack.defer(() => daemon.kill('SIGQUIT'));
    return { name, port, folder, dataDir, daemon };
  }

  /** The standbys by received WAL, most first. Both must answer, since either may have the last commit. */
  async #byReceived(dead: Server): Promise<Server[]> {
    const standbys = this.#servers.filter((server) => server !== dead);
    const received = await Promise.all(
      standbys.map(async (server) => {
        const sql = `select pg_last_wal_receive_lsn() - '0/0' as bytes`;
        return { server, bytes: BigInt((await ask(server, this.#password, sql))[0]!.bytes!) };
      }),
    );
    return received.toSorted((a, b) => Number(b.bytes - a.bytes)).map(({ server }) => server);
  }

  /** Writes the address of a standby's primary. */
  async #follow({ folder, name }: Server): Promise<void> {
    const text = await render('primary.conf', {
      NAME: name,
      PRIMARY_HOST: host,
      PRIMARY_PORT: String(this.#primary.port),
      REPLICATION_PASSWORD: this.#password,
    });
    await writeOwned(this.#account, join(folder, 'primary.conf'), text);
  }

  async #startStandby(server: Server): Promise<void> {
    await this.#follow(server);
    await writeOwned(this.#account, join(server.dataDir, 'standby.signal'), '');
    server.daemon.start();
    const streams = async () => {
      const rows = await ask(
        this.#primary,
        this.#password,
        `select from pg_stat_replication
          where application_name = '${server.name}' and state = 'streaming'`,
      );
      return rows.length === 1;
    };
    await eventually(streams, stepTimeoutMs).catch((error: unknown) => {
      throw new Error(`${server.name} does not stream:\n${server.daemon.logTail()}`, {
        cause: error,
      });
    });
  }

  /** Runs a program of PostgreSQL as the user of the servers. */
  async #run(program: string, args: string[]): Promise<void> {
    const { uid, gid } = this.#account;
    const options = { uid, gid, cwd: '/', timeout: stepTimeoutMs };
    await promisify(execFile)(join(postgresPrograms, program), args, options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

/** Runs a statement on one server as the superuser. */
async function ask(
  { port }: Server,
  password: string,
  sql: string,
): Promise<Record<string, string>[]> {
  const url = `postgres://postgres:${password}@${host}:${port}/postgres`;
  const pool = openPool(url, { name: 'test', max: 1 });
  try {
    return await pool.unsafe(sql);
  } finally {
    await pool.end();
  }
}

const isUp = (server: Server, password: string) =>
  ask(server, password, 'select 1').then(
    () => true,
    () => false,
  );
