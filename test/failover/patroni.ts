import { randomBytes } from 'node:crypto';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openPool } from '../../src/platform/db.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/process.ts';
import {
  Daemon,
  findAccount,
  killAtExit,
  killPostmaster,
  makeFolder,
  stopPostmaster,
  writeOwned,
  type Account,
} from './daemons.ts';
import type { FailoverCluster } from './round.ts';
import { render } from './templates.ts';

/** Timeout of any step of the cluster, on a busy machine. */
const stepTimeoutMs = 120_000;
const host = '127.0.0.1';

interface Node {
  name: string;
  restPort: number;
  postgresPort: number;
  postgresDir: string;
  etcd: Daemon;
  patroni: Daemon;
}

/** A member in Patroni's `GET /cluster`. */
interface Member {
  name: string;
  role: 'leader' | 'sync_standby' | 'replica';
  state: string;
  timeline?: number;
  lag?: number | 'unknown';
}

/**
 * Three PostgreSQL servers under Patroni, three etcd members and haproxy, on free ports of 127.0.0.1, in
 * a temporary folder. The configuration is that of `docs/high-availability.md`.
 */
export class PatroniCluster implements AsyncDisposable, FailoverCluster {
  readonly #stack = new AsyncDisposableStack();
  readonly #nodes: Node[] = [];
  readonly #passwords = { superuser: password(), replication: password(), rewind: password() };
  #haproxy!: Daemon;
  readonly #ports = { writable: 0, readable: 0 };

  static async start(): Promise<PatroniCluster> {
    const cluster = new PatroniCluster();
    try {
      await cluster.#start();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Address of the database through haproxy. */
  urlOf(which: 'writable' | 'readable', user = 'petitions', database = 'petitions'): string {
    const secret = user === 'postgres' ? this.#passwords.superuser : 'petitions';
    return `postgres://${user}:${secret}@${host}:${this.#ports[which]}/${database}`;
  }

  /**
   * Kills the primary like a power failure: its Patroni and its postmaster, without clean-up. Returns the name of the
   * node.
   */
  async killPrimary(): Promise<string> {
    const leader = await this.#leader();
    const node = this.#nodes.find(({ name }) => name === leader?.name)!;
    const killed = node.patroni.kill();
    killPostmaster(node.postgresDir);
    await killed;
    return node.name;
  }

  /** Restarts the dead node, which Patroni rewinds to follow the new primary. */
  async restore(name: string): Promise<void> {
    this.#nodes.find((node) => node.name === name)!.patroni.start();
    await this.waitUntilWhole();
  }

  /** Creates the role and the database of the service. */
  async createDatabase(): Promise<void> {
    const admin = openPool(this.urlOf('writable', 'postgres', 'postgres'), {
      name: 'test',
      max: 1,
    });
    await admin.unsafe(`create role petitions login password 'petitions'`);
    await admin.unsafe('create database petitions owner petitions');
    await admin.end();
  }

  /** Waits until all three nodes run on one timeline, with one synchronous standby. */
  async waitUntilWhole(): Promise<void> {
    const isWhole = async () => {
      const members = await this.#members();
      const roles = members.map(({ role }) => role).toSorted();
      return (
        roles.join() === 'leader,replica,sync_standby' &&
        members.every(({ state }) => state === 'running' || state === 'streaming') &&
        members.every(({ timeline }) => timeline === members[0]!.timeline)
      );
    };
    await this.#within(isWhole);
  }

  async #leader(): Promise<Member | undefined> {
    return (await this.#members()).find(({ role }) => role === 'leader');
  }

  /** Reads the members from the first Patroni that answers. */
  async #members(): Promise<Member[]> {
    for (const { restPort } of this.#nodes) {
      try {
        const response = await fetch(`http://${host}:${restPort}/cluster`, {
          signal: AbortSignal.timeout(2000),
        });
        return ((await response.json()) as { members: Member[] }).members;
      } catch {
        // Tries the next one.
      }
    }
    return [];
  }

  async #start(): Promise<void> {
    const account = findAccount();
    const folder = this.#stack.use(await makeFolder(account)).path;
    const ports = await Promise.all(Array.from({ length: 14 }, freePort));
    const [client, peer, rest, postgres] = [0, 3, 6, 9].map((from) => ports.slice(from, from + 3));
    const names = ['node1', 'node2', 'node3'];
    const shared = {
      HOST: host,
      NETWORK: `${host}/32`,
      ETCD_CLUSTER: names.map((name, n) => `${name}=http://${host}:${peer![n]}`).join(','),
      ETCD_HOSTS: client!.map((port) => `${host}:${port}`).join(','),
      SUPERUSER_PASSWORD: this.#passwords.superuser,
      REPLICATION_PASSWORD: this.#passwords.replication,
      REWIND_PASSWORD: this.#passwords.rewind,
      WATCHDOG: 'off',
    };
    for (const [n, name] of names.entries()) {
      const node = await this.#prepare(account, join(folder, name), {
        ...shared,
        NAME: name,
        ETCD_CLIENT_PORT: String(client![n]),
        ETCD_PEER_PORT: String(peer![n]),
        REST_PORT: String(rest![n]),
        POSTGRES_PORT: String(postgres![n]),
      });
      this.#nodes.push(node);
    }
    for (const { etcd } of this.#nodes) etcd.start();
    for (const { patroni } of this.#nodes) patroni.start();
    [this.#ports.writable, this.#ports.readable] = [ports[12]!, ports[13]!];
    await this.#startHaproxy(account, folder);
    await this.waitUntilWhole();
  }

  async #prepare(account: Account, folder: string, values: Record<string, string>): Promise<Node> {
    await mkdir(folder);
    await chown(folder, account.uid, account.gid);
    const postgresDir = join(folder, 'postgres');
    const all = {
      ...values,
      ETCD_DIR: join(folder, 'etcd'),
      POSTGRES_DIR: postgresDir,
      PASSWORD_FILE: join(folder, 'pgpass'),
      SOCKET_DIR: folder,
    };
    const file = join(folder, 'patroni.yml');
    await writeOwned(account, file, await render('patroni.yml', all));
    const lines = (await render('etcd.env', all)).trim().split('\n');
    const env = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s) as [string, string]));
    const common = { account, folder };
    const etcd = new Daemon({ ...common, name: 'etcd', command: 'etcd', args: [], env });
    const patroni = new Daemon({ ...common, name: 'patroni', command: 'patroni', args: [file] });
    const node: Node = {
      name: values.NAME!,
      restPort: Number(values.REST_PORT),
      postgresPort: Number(values.POSTGRES_PORT),
      postgresDir,
      etcd,
      patroni,
    };
    this.#stack.use(etcd);
    this.#stack.use(killAtExit(() => killPostmaster(postgresDir)));
    this.#stack.defer(() => stopPostmaster(postgresDir));
    this.#stack.use(patroni);
    return node;
  }

  async #startHaproxy(account: Account, folder: string): Promise<void> {
    const { writable, readable } = this.#ports;
    const servers = this.#nodes.map(
      ({ name, postgresPort, restPort }) =>
        `    server ${name} ${host}:${postgresPort} check port ${restPort}`,
    );
    const file = join(folder, 'haproxy.cfg');
    const text = await render('haproxy.cfg', {
      USER: account.user,
      GROUP: account.group,
      WRITABLE_ADDRESS: `${host}:${writable}`,
      READABLE_ADDRESS: `${host}:${readable}`,
      SERVERS: servers.join('\n'),
    });
    await writeOwned(account, file, text);
    const args = ['-db', '-f', file];
    const command = '/usr/sbin/haproxy';
    this.#haproxy = this.#stack.use(
      new Daemon({ account, folder, name: 'haproxy', command, args }),
    );
    this.#haproxy.start();
  }

  /** Waits for the condition. The error of a timeout has the last lines of the logs. */
  async #within(condition: () => Promise<boolean>): Promise<void> {
    try {
      await eventually(condition, stepTimeoutMs);
    } catch (error) {
      const logs = this.#nodes.map(({ name, patroni }) => `${name}:\n${patroni.logTail()}`);
      const members = JSON.stringify(await this.#members());
      throw new Error(`the cluster is not whole: ${members}\n${logs.join('\n')}`, { cause: error });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

const password = () => randomBytes(12).toString('hex');
