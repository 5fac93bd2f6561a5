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
import type { HttpClient } from './safe-fetch.ts';
import type { SearchEngines } from './search-engines.ts';
import type { SharedNetworks } from './shared-networks.ts';
import type { SiteSettings } from './site/site-settings.ts';
import type { Texter } from './sms.ts';

/** Dependencies of every slice. Built once by src/context.ts; tests replace parts of it. */
export interface Context {
  config: Config;
  /** The pool, or the current transaction. */
  db: Db;
  pools: Pools;
  databaseHealth: DatabaseHealth;
  /** Notified after events may have been stored. */
  eventNotifier: EventNotifier;
  keys: Keys;
  /** Keeps values for a second. */
  cache: Cache;
  /** Keeps estimates for a minute. */
  estimates: Cache;
  /** Runs the work after the current transaction commits, or at once if there is none. */
  afterCommit: (work: () => Promise<void>) => Promise<void>;
  limits: Limits;
  /** The settings of the site. */
  site: SiteSettings;
  sharedNetworks: SharedNetworks;
  /** Recognises the crawlers of search engines. */
  searchEngines: SearchEngines;
  /** Address of the caller, while a request is being handled. */
  callerIp?: string;
  log: Logger;
  metrics: Registry;
  mail: Mailer;
  /** HTTP client for external addresses, which users may have given. */
  httpClient: HttpClient;
  /** Store of uploaded files. */
  blobs: Blobs;
  sms: Texter;
  /** The current time; tests advance it. */
  now: () => Date;
}
