import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPool, type Pool } from '../../src/platform/db.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { eventually } from '../support/eventually.ts';
import { createTokens, createPublished, signUp } from '../support/people.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startService } from '../support/service.ts';
import { Clients, type Signing } from './load.ts';
import { signaturesPerSecond, type RoundOptions } from './round.ts';

/** Signers for a round, which lasts 20 seconds, and twice as long on a busy machine. */
const signersOfRound = signaturesPerSecond * 40;

export interface Addresses {
  databaseUrl: string;
  replicaUrl?: string;
  /** Address for the second process; default: `databaseUrl`. */
  secondDatabaseUrl?: string;
}

/** Two processes of the service on a database that fails over, their clients, and a webhook receiver. */
export class World implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly #addresses: Addresses;
  readonly #processes: ServiceProcess[] = [];
  readonly #hooked: string[] = [];
  receiver!: Receiver;
  clients!: Clients;
  db!: Pool;

  private constructor(addresses: Addresses) {
    this.#addresses = addresses;
  }

  static async start(addresses: Addresses): Promise<World> {
    const world = new World(addresses);
    try {
      await world.#start();
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #start(): Promise<void> {
    const { databaseUrl, replicaUrl, secondDatabaseUrl = databaseUrl } = this.#addresses;
    const dataDir = await mkdtemp(join(tmpdir(), 'failover-service-'));
    this.#stack.defer(() => rm(dataDir, { recursive: true, force: true }));
    this.db = openPool(databaseUrl, { name: 'test', max: 2 });
    this.#stack.defer(() => this.db.end());
    await migrate(databaseUrl);
    const env = {
      ...this.#secrets,
      DATA_DIR: dataDir,
      RATE_LIMITS: 'off',
      WEBHOOK_RETRY_BASE_MS: '1000',
      ...(replicaUrl && { DATABASE_REPLICA_URL: replicaUrl }),
    };
    for (const process of [
      await startProcess({ ...env, ROLE: 'web', DATABASE_URL: databaseUrl }),
      await startProcess({ ...env, ROLE: 'all', DATABASE_URL: secondDatabaseUrl }),
    ]) {
      this.#processes.push(this.#stack.use(process));
    }
    this.receiver = this.#stack.use(await startReceiver());
    this.clients = this.#stack.use(new Clients(this.#processes.map(({ origin }) => origin)));
  }

  /** Settings that the processes share with the service that creates the test's data. */
  readonly #secrets = {
    SECRET: 'a secret that only these tests know',
    BASE_URL: 'http://petitions.test',
  };

  /** Creates the petitions and signers of a round. The webhook receives every tenth signature. */
  async prepareRound(): Promise<Pick<RoundOptions, 'signings' | 'paths' | 'clients' | 'db'>> {
    await using service = await startService({
      databaseUrl: this.#addresses.databaseUrl,
      env: this.#secrets,
    });
    const owner = await signUp(service);
    const petitions = await Promise.all([1, 2, 3].map(() => createPublished(owner)));
    const hookedOwner = await signUp(service);
    const hooked = await createPublished(hookedOwner);
    this.#hooked.push(hooked.id);
    const endpoint = { url: this.receiver.origin, events: ['signature.created'] };
    assert.equal((await hookedOwner.api.post('/v1/webhooks', endpoint)).status, 201);
    const tokens = await createTokens(service, signersOfRound);
    const signings: Signing[] = tokens.map((token, n) => ({
      token,
      petitionId: n % 10 === 0 ? hooked.id : petitions[n % 3].id,
    }));
    const { slug } = petitions[0];
    const paths = ['/', `/p/${slug}`, '/petitions', '/v1/petitions', `/v1/petitions/${slug}`];
    return { signings, paths, clients: this.clients, db: this.db };
  }

  /** Waits until the receiver has all stored signatures of its petitions. Returns their number. */
  async waitForWebhooks(): Promise<number> {
    const rows = await this.db<{ id: string }[]>`
      select id::text from events
      where type = 'signature.created' and petition_id = any(${this.#hooked}::uuid[])`;
    const missing = () => {
      const arrived = new Set(this.receiver.received.map(({ headers }) => headers['webhook-id']));
      return rows.filter(({ id }) => !arrived.has(id)).length;
    };
    // A delivery whose process lost the database is repeated after its lease.
    await eventually(() => missing() === 0, 120_000);
    return rows.length;
  }

  /** Stops the processes, which must exit with 0. */
  async stop(): Promise<void> {
    for (const one of this.#processes) assert.equal(await one.end('SIGTERM'), 0, one.output());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
