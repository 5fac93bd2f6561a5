import type { LogFn, Logger } from 'pino';
import { isConnectionError } from './db.ts';
import { Problem } from './problems.ts';

/** A database that is unavailable for one reason makes everything fail at once. */
interface Outage {
  /** At most one line in this time. */
  intervalMs: number;
  /** It is over when nothing has failed for so long; no shorter than the interval. */
  quietMs: number;
  /** What the line says that tells of its end. */
  ended: string;
  isUnderWay: boolean;
  startedAt: number;
  failedAt: number;
  writtenAt: number;
  failures: number;
  /** Lines left out since the last that was written. */
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

/** Lines of parts that do nothing but use the database, whose errors can be those of a socket. */
const linesOfDatabase = new Set([
  'notifications of other processes are not received',
  'the job runner reports an error',
  'the job runner does not start',
  'the job runner stopped; it is started again',
]);

/** Between any two lines about outages, in milliseconds. */
const shortestIntervalMs = 1000;

/**
 * Writes at most one line a second while the database is unavailable, and one a minute while its disk is full or it
 * has no connection left, whatever number of requests, jobs and workers fails by it. Each line says how many were left
 * out before it, and one tells when nothing fails any more.
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

  /** Stands before each line of a logger; for `hooks.logMethod` of pino. */
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
    const causes = causesOf(error).filter(isConnectionError);
    if (causes.some(({ code }) => code === '53100')) return this.#diskFull;
    if (causes.some(({ code }) => code === '53300')) return this.#tooMany;
    const message = typeof content === 'string' ? content : String(text);
    if (causes.length > 0 || linesOfDatabase.has(message)) return this.#unavailable;
    // While an outage lasts, they say nothing new: requests that were refused, failed or took long.
    const isRefusal = error instanceof Problem && error.kind === 'unavailable';
    return isRefusal || message === 'request' ? this.#underWay() : undefined;
  }

  #underWay(): Outage | undefined {
    return [this.#unavailable, this.#diskFull, this.#tooMany].find(({ isUnderWay }) => isUnderWay);
  }

  /** Counts a failure. Where its line is to be written, gives the number of those left out before. */
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
    return now - writtenAt >= intervalMs && now - this.#writtenAt >= shortestIntervalMs;
  }

  #endIfQuiet(affected: Outage, log: Logger): void {
    const now = this.#clock.now();
    const quietMs = affected.failedAt + affected.quietMs - now;
    if (quietMs > 0 || !this.#mayWrite(affected, now)) {
      const delayMs = quietMs > 0 ? quietMs : shortestIntervalMs;
      this.#clock.after(delayMs, () => this.#endIfQuiet(affected, log));
      return;
    }
    const { failures, suppressed, startedAt, failedAt, ended } = affected;
    const seconds = Math.round((failedAt - startedAt) / 100) / 10;
    Object.assign(affected, { isUnderWay: false, suppressed: 0, writtenAt: now });
    this.#writtenAt = now;
    log.warn({ failures, suppressed, seconds }, ended);
  }
}

function outage(times: Pick<Outage, 'intervalMs' | 'quietMs'>, what: string): Outage {
  return {
    ...times,
    ended: `nothing fails by ${what} any more`,
    isUnderWay: false,
    startedAt: 0,
    failedAt: 0,
    writtenAt: Number.NEGATIVE_INFINITY,
    failures: 0,
    suppressed: 0,
  };
}

/** The error and what caused it. */
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
