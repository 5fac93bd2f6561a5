import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as undici from 'undici';
import { openPool } from '../../src/platform/db.ts';
import { Client } from '../support/client.ts';
import { startInstalledCluster } from '../support/cluster.ts';
import { databaseNamed } from '../support/database.ts';
import { installMissing } from '../support/debian.ts';
import { eventually } from '../support/eventually.ts';
import { startMailServer } from '../support/mail-server.ts';
import { readMail, type ReadMail } from '../support/mail.ts';
import { findNginx, startNginx, type Nginx } from '../support/nginx.ts';
import { freePort } from '../support/process.ts';

const postgresPrograms = '/usr/lib/postgresql/15/bin';

/** Finds nginx and PostgreSQL 15, or installs them from Debian. Returns the reason if they are missing. */
export const findPrograms = (): string | undefined =>
  findNginx() ??
  installMissing(
    ['initdb', 'pg_ctl', 'postgres'].map((name) => `${postgresPrograms}/${name}`),
    ['postgresql-15'],
  );

/** What an operator has before the service: a database server, a mail relay and a disk. */
export interface Machine extends AsyncDisposable {
  /** Version of the database server. */
  postgresVersion: string;
  /** Makes an empty database, which a role of its own owns. Returns its address. */
  createDatabase(name: string): Promise<string>;
  /** Makes a folder. */
  createFolder(): Promise<string>;
  /** Value of SMTP_URL. */
  smtpUrl: string;
  /** Waits for the mail to this address. Each person gets one here. */
  mailTo(address: string): Promise<ReadMail>;
}

/** Starts PostgreSQL 15 and a mail relay. */
export async function startMachine(): Promise<Machine> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'petitions-first-day-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const program = (name: string) => join(postgresPrograms, name);
  const cluster = stack.use(
    await startInstalledCluster({
      major: '15',
      initdb: program('initdb'),
      pgCtl: program('pg_ctl'),
      postgres: program('postgres'),
    }),
  );
  const relay = stack.use(await startMailServer());
  const admin = stack.adopt(openPool(cluster.superuserUrl, { name: 'test', max: 1 }), (pool) =>
    pool.end(),
  );
  const postgresVersion = await admin.value<string>`select current_setting('server_version')`;
  const mailAt = (address: string) => relay.envelopes.findIndex(({ to }) => to === address);
  const owned = stack.move();
  return {
    postgresVersion,
    async createDatabase(name) {
      const password = `password of ${name}`;
      await admin.unsafe(`create role ${name} login password '${password}'`);
      await admin.unsafe(`create database ${name} owner ${name}`);
      const url = new URL(databaseNamed(cluster.superuserUrl, name));
      return Object.assign(url, { username: name, password }).href;
    },
    createFolder: () => mkdtemp(join(folder, 'data-')),
    smtpUrl: relay.url,
    async mailTo(address) {
      await eventually(() => mailAt(address) >= 0, 30_000);
      return readMail(relay.mails[mailAt(address)]!);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A public address, at which nginx passes requests on to processes that may not have started. */
export interface Site extends AsyncDisposable {
  baseUrl: string;
  /** Ports for the processes. */
  ports: number[];
  /** Value of NODE_EXTRA_CA_CERTS for commands that open the site. */
  certificateFile: string;
  /** A client with an address of its own. */
  visitor(): Client;
  /** Whether the process at this port answered a request, by the log of nginx. */
  wasServedBy(port: number): Promise<boolean>;
}

/** Starts nginx with the shipped file in front of one or two processes. */
export async function openSite(machine: Machine, processes: 1 | 2): Promise<Site> {
  const ports = [];
  for (let n = 0; n < processes; n += 1) ports.push(await freePort());
  const nginx = await startNginx({ upstreams: ports });
  const certificateFile = join(await machine.createFolder(), 'certificate.pem');
  await writeFile(certificateFile, nginx.certificate);
  let visitors = 0;
  return {
    baseUrl: nginx.origin,
    ports,
    certificateFile,
    visitor() {
      visitors += 1;
      // Limits count addresses and their networks: each visitor has a network.
      const address = `127.${1 + (visitors % 250)}.${visitors >> 8}.1`;
      return new Client(nginx.origin, undefined, {}, fetchFrom(nginx, address));
    },
    wasServedBy: async (servedPort) =>
      (await nginx.accessLog()).includes(`"upstream":"127.0.0.1:${servedPort}"`),
    [Symbol.asyncDispose]: () => nginx[Symbol.asyncDispose](),
  };
}

/** A fetch from a local address, which trusts the certificate. */
function fetchFrom(nginx: Nginx, address: string): typeof fetch {
  const dispatcher = nginx.clientFrom(address);
  const send = (url: string, { body, ...options }: RequestInit = {}) =>
    undici.fetch(url, {
      ...options,
      body: body instanceof FormData ? copyOf(body) : body,
      dispatcher,
    });
  return send as unknown as typeof fetch;
}

/** The same form for undici, which does not know the one of Node. */
function copyOf(form: FormData): undici.FormData {
  const copy = new undici.FormData();
  for (const [name, value] of form) copy.append(name, value);
  return copy;
}

/** The settings of a process in production, and no others. */
export async function productionSettings(
  machine: Machine,
  { site, databaseUrl }: { site: Pick<Site, 'baseUrl'>; databaseUrl: string },
): Promise<Record<string, string>> {
  return {
    NODE_ENV: 'production',
    BASE_URL: site.baseUrl,
    DATABASE_URL: databaseUrl,
    DATA_DIR: await machine.createFolder(),
    SECRET: 'a secret of the operator with more than 32 bytes',
    SMTP_URL: machine.smtpUrl,
    MAIL_FROM: 'Our City <petitions@city.example>',
    TRUST_PROXY: '127.0.0.1',
    METRICS_TOKEN: 'a token of the operator',
    HOST: '127.0.0.1',
  };
}
