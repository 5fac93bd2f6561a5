import type pg from 'pg';
import type { Logger } from 'pino';
import { createPgPool, Servers } from './client.ts';
import { DatabaseHealth } from './health.ts';
import { openPool, type Pool, type PoolOptions } from './pool.ts';
import { Replica } from './replica.ts';

/** The addresses of the database. */
export interface DatabaseAddresses {
  url: string;
  replicaUrl: string | undefined;
  /** Whether `url` is the address of a pooler in transaction mode. */
  isPooled: boolean;
}

export interface Pools {
  main: Pool;
  /** For reads that may lag: the replica if there is one and it answers, otherwise the primary. */
  replica: Pool;
  /** Reserved for groups of signatures, so that no other work delays them. */
  signing: Pool;
  /** Reserved for exports. Its size limits how many of their statements run at the same time. */
  exports: Pool;
  /** Small and with a short timeout, so that searches do not starve other work. */
  search: Pool;
  /** Reserved for requests with an Idempotency-Key, each of which holds a transaction. */
  idempotent: Pool;
  /** One connection, reserved for readiness. */
  health: Pool;
}

export interface OpenPools {
  pools: Pools;
  health: DatabaseHealth;
  close(): Promise<void>;
}

/** Opens the pools of one process. They connect on first use. */
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
  const main = open({ name: 'main', max: 12, maxWithoutDeadline: 8 });
  const pools: Pools = {
    main,
    replica: openForReads({ name: 'replica', max: 12 }, main),
    signing: open({ name: 'signing', max: 4 }),
    exports: openForReads({ name: 'exports', max: 2 }),
    search: openForReads({
      name: 'search',
      max: 4,
      statementTimeoutMs: 2000,
      settings: searchPlans,
    }),
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

/** Planner settings of searches, whose statements are short and written for one plan. */
const searchPlans = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
};

/** Opens the pool of graphile-worker, which needs sessions for LISTEN and cannot work through a pooler. */
export const openJobsPool = (directUrl: string, max: number): pg.Pool =>
  createPgPool(new Servers(directUrl), {
    applicationName: 'petitions jobs',
    settings: { statement_timeout: '15000' },
    max,
    acquireTimeoutMs: 10_000,
    queryTimeoutMs: 20_000,
  });
