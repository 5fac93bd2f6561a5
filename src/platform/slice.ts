import type { Backfill } from './backfills.ts';
import type { Db, Tx } from './db.ts';
import type { EventFollower } from './followers.ts';
import type { UpgradeHandler } from './http/upgrades.ts';
import type { Webhook } from './http/openapi-webhooks.ts';
import type { Route } from './http/route.ts';
import type { JobHandlers, Schedule } from './jobs.ts';
import type { QueueReader } from './mail-queue.ts';
import type { BounceHandler } from './mail-suppressions.ts';
import type { Asset } from './pages/assets.ts';

/** The parts of a slice, which src/app.ts combines. */
export interface Slice {
  routes: Route[];
  /** Styles and scripts of its pages. */
  assets?: Asset[];
  jobs?: JobHandlers;
  /** Jobs that send mails, stored by `addMailJob`. */
  mailJobs?: JobHandlers;
  /** Reads a queue of mails beside these jobs. */
  readMailQueue?: QueueReader;
  /** Called when a mail bounced after its server had accepted it. */
  onBounce?: BounceHandler;
  /** Jobs that run at fixed times. */
  schedules?: Schedule[];
  /** Fill in existing rows, once, in processes that run jobs. */
  backfills?: Backfill[];
  /** Run in processes that run jobs. */
  followers?: EventFollower[];
  /** Run all the time, in processes that run jobs. */
  workers?: BackgroundWorker[];
  /** Requests that the slice sends to clients, by the names of their events: for the description only. */
  webhooks?: Record<string, Webhook>;
  /** OAuth scopes that the slice declares, with what each allows. */
  oauthScopes?: Record<string, string>;
  personalData?: PersonalData;
  /** Handlers of protocol upgrades, by path. */
  upgrades?: Record<string, UpgradeHandler>;
  /** Closes connections that would otherwise stay open until their clients close them. */
  closeConnections?(): void;
  /** Starts background work in all processes: polling. */
  start?(): Promise<void>;
  stop?(): Promise<void>;
}

export interface BackgroundWorker {
  start(): void;
  /** Finishes or aborts current work within seconds. */
  stop(): Promise<void>;
}

/** How a slice exports and erases the data of an account. */
export interface PersonalData {
  /** Heading in the exported document. */
  name: string;
  /** Returns all data about the user. */
  export(db: Db, userId: string): Promise<unknown>;
  /**
   * Removes or anonymises the data. Called before the account is deleted. Must lock the user's row last: publishing a
   * petition also does.
   */
  erase(tx: Tx, userId: string): Promise<void>;
  /** Called once the user's row is locked, for what others gave to the account after `erase`. */
  eraseLate?(tx: Tx, userId: string): Promise<void>;
  /** Called after the commit of `erase`, and of what `quarantine` does. */
  onErased?(): Promise<void>;
  quarantine?: Quarantine;
}

/** Part of what a quarantined account holds, as the owner of its address is asked about it. */
export interface QuarantinedItem {
  type: 'petition' | 'comment' | 'signature';
  id: string;
  /** A title or text. */
  text: string;
  created_at: Date;
}

/**
 * How a slice hides what an account did before its address was proven by somebody else than who registered, until that one keeps or
 * deletes it (src/identity/first-proof). What has no `release` ends with the account.
 */
export interface Quarantine {
  /** Returns the newest ones of what the owner decides about. */
  list?(db: Db, userId: string, limit: number): Promise<QuarantinedItem[]>;
  hide?(tx: Tx, userId: string): Promise<void>;
  /** Gives all of an account to another, and shows it again. Of what can be had once, that of `to` stays. */
  release?(tx: Tx, accounts: { from: string; to: string }): Promise<void>;
  /** Deletes texts that erasing the account would keep. */
  discard?(tx: Tx, userId: string): Promise<void>;
  /** Takes back acts that the owner of the address says were not theirs. */
  disown?(tx: Tx, userId: string): Promise<void>;
}
