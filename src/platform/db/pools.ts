import type pg from 'pg';
import type { Logger } from 'pino';
import { createPgPool, Servers } from './client.ts';
import { DatabaseHealth } from './health.ts';
import { openPool, type Pool, type PoolOptions } from './pool.ts';
import { Replica } from './replica.ts';

/** The addresses of the database, and how connections to them may be used. */
export interface DatabaseAddresses {
  url: string;
  replicaUrl: string | undefined;
  /** Whether `url` is of a pooler that gives each transaction another connection. */
  isPooled: boolean;
}

export interface Pools {
  main: Pool;
  /** For reads that may lag: the replica where there is one that answers, else the primary. */
  replica: Pool;
  /** Reserved for committing groups of signatures, so that no other work can starve them. */
  signing: Pool;
  /** Reserved for exports: as many of their statements run at once as it has connections, and no more. */
  exports: Pool;
  /** Small and with a short timeout, so that searching cannot keep others from the database. */
  search: Pool;
  /** Reserved for requests with an Idempotency-Key, which hold a transaction while others wait. */
  idempotent: Pool;
  /** One connection, reserved for readiness. */
  health: Pool;
}

export interface OpenPools {
  pools: Pools;
  health: DatabaseHealth;
  close(): Promise<void>;
}

/** Opens the pools of one process. Connections are made when first used. */
export function openPools(addresses: DatabaseAddresses, log: Logger): OpenPools {
  const { url, replicaUrl, isPooled } = addresses;
  const servers = new Servers(url);
  const health = new DatabaseHealth();
  const onError = (error: unknown) => health.note(error);
  const replica = replicaUrl ? new Replica(replicaUrl, log, { isPooled }) : undefined;
  const opened: Pool[] = [];
  const open = (options: PoolOptions) => {
    const pool = openPool(servers, { isPooled, onError, ...options });
    opened.push(pool);
    return pool;
  };
  const openForReads = (options: PoolOptions, primary: Pool = open(options)) => {
    if (!replica) return primary;
    const pool = replica.openPool(primary, { isPooled, ...options });
    opened.push(pool);
    return pool;
  };
  const main = open({ name: 'main', max: 12 });
  const pools: Pools = {
    main,
    replica: openForReads({ name: 'replica', max: 12 }, main),
    signing: open({ name: 'signing', max: 4 }),
    exports: openForReads({ name: 'exports', max: 2 }),
    search: openForReads({ name: 'search', max: 4, statementTimeout: 2000, settings: searchPlans }),
    idempotent: open({ name: 'idempotent', max: 10 }),
    health: open({ name: 'health', max: 1 }),
  };
  return {
    pools,
    health,
    async close() {
      await replica?.close();
      await Promise.all(opened.map((pool) => pool.end({ timeout: 5 })));
    },
  };
}

/** Statements of a search are short, and each is written for one plan. */
const searchPlans = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
};

/** The pool of graphile-worker, which keeps sessions for LISTEN and cannot work through a pooler. */
export const openJobsPool = (directUrl: string, max: number): pg.Pool =>
  createPgPool(new Servers(directUrl), {
    applicationName: 'petitions jobs',
    settings: { statement_timeout: '15000' },
    max,
    acquireTimeoutMs: 10_000,
    queryTimeoutMs: 20_000,
  });
