import type { LogFn, Logger } from 'pino';
import { isDatabaseUnavailable } from './db.ts';
import { Problem } from './problems.ts';

/** A time in which the database is unavailable for one reason. */
interface Outage {
  /** Minimum time between two lines. */
  intervalMs: number;
  /** The outage ends after this time without a failure; at least `intervalMs`. */
  quietMs: number;
  /** Message of the line at its end. */
  endMessage: string;
  isUnderWay: boolean;
  startedAt: number;
  failedAt: number;
  writtenAt: number;
  failures: number;
  /** Lines left out since the last one written. */
  suppressed: number;
}

export interface Clock {
  /** In milliseconds. */
  now(): number;
  after(delayMs: number, work: () => void): void;
}

const systemClock: Clock = {
  now: () => performance.now(),
  after: (delayMs, work) => void setTimeout(work, delayMs).unref(),
};

/**
 * Marks a log line of a component that uses nothing but the database: it belongs to an outage though its error may be
 * a socket's. A symbol, so that it does not appear in the log.
 */
export const usesOnlyDatabase = Symbol('usesOnlyDatabase');

/** Minimum time between any two lines about outages. */
const minIntervalMs = 1000;

/**
 * Limits the log to one line a second while the database is unavailable, and to one a minute while its disk is full or
 * it has no connection left, however many requests, jobs and workers fail. Each line says how many were left out
 * before it. A last line reports the end of the outage.
 */
export class OutageLog {
  #clock: Clock;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #unavailable = outage({ intervalMs: 1000, quietMs: 10_000 }, 'the database');
  #diskFull = outage({ intervalMs: 60_000, quietMs: 60_000 }, 'the disk of the database');
  #tooMany = outage({ intervalMs: 60_000, quietMs: 60_000 }, 'connections to the database');

  constructor(clock = systemClock) {
    this.#clock = clock;
  }

  /** A `hooks.logMethod` of pino. */
  readonly logMethod = (log: Logger, args: Parameters<LogFn>, write: LogFn): void => {
    const affected = this.#outageOf(args);
    if (!affected) {
      write.apply(log, args);
      return;
    }
    const suppressed = this.#note(affected, log);
    if (suppressed !== undefined) write.apply(log, withSuppressed(args, suppressed));
  };

  #outageOf([content, text]: unknown[]): Outage | undefined {
    const error = content instanceof Object && 'err' in content ? content.err : content;
    const causes = causesOf(error).filter(isDatabaseUnavailable);
    if (causes.some(({ code }) => code === '53100')) return this.#diskFull;
    if (causes.some(({ code }) => code === '53300')) return this.#tooMany;
    const message = typeof content === 'string' ? content : String(text);
    const isMarked = content instanceof Object && usesOnlyDatabase in content;
    if (causes.length > 0 || isMarked) return this.#unavailable;
    // During an outage, lines about requests that were refused, failed or were slow say nothing new.
    const isRefusal = error instanceof Problem && error.kind === 'unavailable';
    return isRefusal || message === 'request' ? this.#underWay() : undefined;
  }

  #underWay(): Outage | undefined {
    return [this.#unavailable, this.#diskFull, this.#tooMany].find(({ isUnderWay }) => isUnderWay);
  }

  /** Counts a failure. Returns the number of lines left out before it, or undefined if its line is left out too. */
  #note(affected: Outage, log: Logger): number | undefined {
    const now = this.#clock.now();
    affected.failures += 1;
    affected.failedAt = now;
    if (!affected.isUnderWay) {
      Object.assign(affected, { isUnderWay: true, startedAt: now, failures: 1 });
      this.#clock.after(affected.quietMs, () => this.#endIfQuiet(affected, log));
    }
    if (!this.#mayWrite(affected, now)) {
      affected.suppressed += 1;
      return undefined;
    }
    const { suppressed } = affected;
    Object.assign(affected, { suppressed: 0, writtenAt: now });
    this.#writtenAt = now;
    return suppressed;
  }

  #mayWrite({ writtenAt, intervalMs }: Outage, now: number): boolean {
    return now - writtenAt >= intervalMs && now - this.#writtenAt >= minIntervalMs;
  }

  #endIfQuiet(affected: Outage, log: Logger): void {
    const now = this.#clock.now();
    const quietMs = affected.failedAt + affected.quietMs - now;
    if (quietMs > 0 || !this.#mayWrite(affected, now)) {
      const delayMs = quietMs > 0 ? quietMs : minIntervalMs;
      this.#clock.after(delayMs, () => this.#endIfQuiet(affected, log));
      return;
    }
    const { failures, suppressed, startedAt, failedAt, endMessage } = affected;
    const seconds = Math.round((failedAt - startedAt) / 100) / 10;
    Object.assign(affected, { isUnderWay: false, suppressed: 0, writtenAt: now });
    this.#writtenAt = now;
    log.warn({ failures, suppressed, seconds }, endMessage);
  }
}

function outage(times: Pick<Outage, 'intervalMs' | 'quietMs'>, what: string): Outage {
  return {
    ...times,
    endMessage: `nothing fails by ${what} any more`,
    isUnderWay: false,
    startedAt: 0,
    failedAt: 0,
    writtenAt: Number.NEGATIVE_INFINITY,
    failures: 0,
    suppressed: 0,
  };
}

/** The error and its causes. */
function causesOf(error: unknown): (Error & { code?: unknown })[] {
  const causes = [];
  for (let at = error; at instanceof Error && causes.length < 5; at = at.cause) causes.push(at);
  return causes;
}

function withSuppressed(args: Parameters<LogFn>, suppressed: number): Parameters<LogFn> {
  if (suppressed === 0) return args;
  const [content, ...rest] = args as unknown as [object, ...unknown[]];
  const fields = content instanceof Error ? { err: content } : content;
  return [{ ...fields, suppressed }, ...rest] as unknown as Parameters<LogFn>;
}
