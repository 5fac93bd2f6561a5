import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { EventNotifier } from './event-notifier.ts';
import type { Blobs } from './blobs.ts';
import type { Cache } from './cache.ts';
import type { Db } from './db.ts';
import type { DatabaseHealth } from './db/health.ts';
import type { Pools } from './db/pools.ts';
import type { Keys } from './keys.ts';
import type { Limits } from './limits.ts';
import type { Mailer } from './mail.ts';
import type { Outgoing } from './safe-fetch.ts';
import type { Texter } from './sms.ts';

/** What every slice is handed; built once by src/context.ts, and by tests with parts of their own. */
export interface Context {
  config: Config;
  /** The pool, or the transaction under way. */
  db: Db;
  pools: Pools;
  databaseHealth: DatabaseHealth;
  /** Rung where events may have been told, so that those who follow them look. */
  eventNotifier: EventNotifier;
  keys: Keys;
  /** For a second. */
  cache: Cache;
  /** The same for what is an estimate anyway: for a minute. */
  estimates: Cache;
  /**
   * Does something as soon as what was done so far is committed: at once, but for a request whose own
   * transaction ends later.
   */
  afterCommit: (work: () => Promise<void>) => Promise<void>;
  limits: Limits;
  log: Logger;
  metrics: Registry;
  mail: Mailer;
  /** Requests to others, such as to addresses that strangers gave. */
  outgoing: Outgoing;
  /** Where uploaded files live. */
  blobs: Blobs;
  sms: Texter;
  /** The time; tests move it. */
  now: () => Date;
}
