import type { Db, Tx } from './db.ts';
import type { EventFollower } from './followers.ts';
import type { UpgradeHandler } from './http/upgrades.ts';
import type { Route } from './http/route.ts';
import type { JobHandlers, Schedule } from './jobs.ts';
import type { Asset } from './pages/assets.ts';

/** What a slice gives to the service; src/app.ts puts them together. */
export interface Slice {
  routes: Route[];
  /** Styles and scripts of its pages. */
  assets?: Asset[];
  jobs?: JobHandlers;
  /** Jobs that run by the clock. */
  schedules?: Schedule[];
  /** Who reacts to what happened, in the processes that run jobs. */
  followers?: EventFollower[];
  /** What runs all the time in the processes that run jobs. */
  workers?: BackgroundWorker[];
  personalData?: PersonalData;
  /** Takes connections that change to another protocol, by their path. */
  upgrades?: Record<string, UpgradeHandler>;
  /** Ends connections that would otherwise stay open for as long as their clients like. */
  hangUp?(): void;
  /** Begins what runs beside requests, such as polling. */
  start?(): Promise<void>;
  stop?(): Promise<void>;
}

export interface BackgroundWorker {
  start(): void;
  /** Ends what is under way, within some seconds. */
  stop(): Promise<void>;
}

/** How a slice answers when a person asks for their data, or to be forgotten. */
export interface PersonalData {
  /** Heading in the exported document. */
  name: string;
  /** All that the slice holds about the user. */
  export(db: Db, userId: string): Promise<unknown>;
  /**
   * Removes or anonymises it; called before the account itself goes. The user's row is locked last, as
   * it is where a petition's publishing counts for its creator.
   */
  erase(tx: Tx, userId: string): Promise<void>;
  /** Called once that is committed. */
  erased?(): Promise<void>;
}
