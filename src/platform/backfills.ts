import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { sleepUnlessAborted } from './backoff.ts';
import type { Db, Pool, Tx } from './db.ts';
import { registerDatabaseGauge } from './gauges.ts';
import { addJob, type JobHandlers } from './jobs.ts';

/** Fills in existing rows after a migration, in small steps while the service runs. */
export interface Backfill {
  /** Key of its stored state; must never change. */
  name: string;
  /** Counts the rows to fill in, for the progress that operators see. An estimate will do. */
  total?(db: Db): Promise<number>;
  /**
   * Fills in the next rows, in short transactions of its own: 100 ms or less. `cursor` is what the last step returned,
   * null at first. Returns null if nothing is left.
   *
   * Must be idempotent: a step whose process is killed before its cursor is stored is done again.
   */
  step(db: Db, cursor: string | null): Promise<BackfillStep | null>;
}

export interface BackfillStep {
  /** Where the next step begins. */
  cursor: string;
  /** The number of rows that were filled in. */
  rows: number;
}

interface BackfillsOptions {
  db: Pool;
  backfills: Backfill[];
  log: Logger;
  metrics: Registry;
  /** How long a job works before it lets others of the queue run; default: 5 s. */
  jobMs?: number;
}

interface State {
  cursor: string | null;
  rows: number;
  total: number | null;
}

/** One backfill runs at a time, in one process. */
const queue = 'backfills';
const defaultJobMs = 5000;
/** The pause after a step is this many times as long as the step, so that other work is not slowed down. */
const pauseRatio = 2;
const logIntervalMs = 10_000;

/** Whether a backfill has filled in all rows. Once true, it stays true, unless the backfill is reopened. */
export const isBackfillComplete = (db: Db, name: string): Promise<boolean> =>
  db.exists`select from backfills where name = ${name} and completed_at is not null`;

/** Whether a backfill was first started after the time, in any version that had it. */
export const hasBackfillStartedSince = (db: Db, name: string, time: Date): Promise<boolean> =>
  db.exists`select from backfills where name = ${name} and started_at > ${time}`;

/** Runs a complete backfill again, since a process of an earlier version has written rows after it. Does nothing to others. */
export async function reopenBackfill(tx: Tx, name: string): Promise<void> {
  const isReopened = await tx.changed`
    update backfills set completed_at = null, cursor = null
    where name = ${name} and completed_at is not null`;
  if (isReopened) await addJobOf(tx, name);
}

/** Runs backfills by jobs. A job stores its position after each step, works for some seconds and adds the next job. */
export class Backfills {
  /**
   * A job for each backfill. Each has a name of its own, so that processes of a version without the backfill leave it
   * to others.
   */
  readonly jobs: JobHandlers;
  readonly #options: BackfillsOptions;
  readonly #stopping = new AbortController();
  /** When the progress of a backfill was last logged, by performance.now(). */
  readonly #loggedAt = new Map<string, number>();

  constructor(options: BackfillsOptions) {
    this.#options = options;
    this.jobs = Object.fromEntries(
      options.backfills.map((backfill) => [jobOf(backfill.name), () => this.#work(backfill)]),
    );
    registerGauges(options.metrics, options.db);
  }

  /** Adds the jobs of incomplete backfills. */
  async start(): Promise<void> {
    const { db, backfills } = this.#options;
    for (const { name } of backfills) {
      await db`insert into backfills (name) values (${name}) on conflict do nothing`;
      if (await isBackfillComplete(db, name)) continue;
      // A running job adds the next one. A waiting job, for example after a failure, is replaced.
      const isRunning = await db.exists`
        select from graphile_worker.jobs
        where task_identifier = ${jobOf(name)} and locked_at is not null`;
      if (!isRunning) await addJobOf(db, name);
    }
  }

  /** Has running jobs end after their current step. */
  stop(): void {
    this.#stopping.abort();
  }

  async #work(backfill: Backfill): Promise<void> {
    const { db, jobMs = defaultJobMs } = this.#options;
    const { signal } = this.#stopping;
    const { name } = backfill;
    const endAt = performance.now() + jobMs;
    let state = await this.#readState(backfill);
    while (state && !signal.aborted && performance.now() < endAt) {
      const startedAt = performance.now();
      state = await this.#step(backfill, state);
      if (state) await sleepUnlessAborted(pauseRatio * (performance.now() - startedAt), signal);
    }
    if (state) await addJobOf(db, name);
  }

  /** Returns undefined if the backfill is complete. */
  async #readState(backfill: Backfill): Promise<State | undefined> {
    const { db, log } = this.#options;
    const { name } = backfill;
    const state = await db.first<State>`
      select cursor, rows::float8 as rows, total::float8 as total from backfills
      where name = ${name} and completed_at is null`;
    if (!state) return undefined;
    if (backfill.total && state.total === null) {
      state.total = await backfill.total(db);
      await db`update backfills set total = ${state.total} where name = ${name}`;
    }
    if (!this.#loggedAt.has(name)) {
      const verb = state.cursor === null ? 'starts' : 'continues';
      log.info({ backfill: name, rows: state.rows, total: state.total }, `a backfill ${verb}`);
      this.#loggedAt.set(name, performance.now());
    }
    return state;
  }

  /** Does one step and stores its position. Returns undefined if nothing is left to do here. */
  async #step(backfill: Backfill, state: State): Promise<State | undefined> {
    const { db, log } = this.#options;
    const { name } = backfill;
    const done = await backfill.step(db, state.cursor);
    const next = done && { ...state, cursor: done.cursor, rows: state.rows + done.rows };
    const isStored = await db.changed`
      update backfills set updated_at = now(),
        cursor = ${next ? next.cursor : state.cursor}, rows = rows + ${done?.rows ?? 0},
        completed_at = ${next ? null : db`now()`}
      where name = ${name} and completed_at is null and cursor is not distinct from ${state.cursor}`;
    // This process was taken for dead, and another one has moved the cursor on.
    if (!isStored) return undefined;
    if (!next) {
      log.info({ backfill: name, rows: state.rows }, 'a backfill is complete');
      return undefined;
    }
    if (performance.now() - this.#loggedAt.get(name)! >= logIntervalMs) {
      log.info({ backfill: name, rows: next.rows, total: next.total }, 'a backfill goes on');
      this.#loggedAt.set(name, performance.now());
    }
    return next;
  }
}

const jobOf = (name: string) => `backfill:${name}`;

const addJobOf = (db: Db, name: string): Promise<void> =>
  addJob(db, jobOf(name), {}, { key: jobOf(name), queue });

function registerGauges(metrics: Registry, db: Db): void {
  const register = (name: string, help: string, read: () => Promise<Figure[]>) =>
    registerDatabaseGauge(metrics, {
      name,
      help,
      label: 'backfill',
      read,
      valueOf: (figure) => ({ label: figure.name, value: figure.value }),
    });
  register(
    'backfill_rows_done',
    'Rows that a backfill has filled in',
    () => db<Figure[]>`select name, rows::float8 as value from backfills`,
  );
  register(
    'backfill_rows_expected',
    'Rows that a backfill had to fill in when it began',
    () => db<Figure[]>`select name, total::float8 as value from backfills where total is not null`,
  );
  register(
    'backfill_complete',
    'Whether a backfill has filled in all rows: 1 or 0',
    () => db<Figure[]>`select name, (completed_at is not null)::integer as value from backfills`,
  );
}

interface Figure {
  name: string;
  value: number;
}
