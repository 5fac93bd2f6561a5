import { answerParent } from './child.ts';
import { Connection, numberAt } from './http.ts';
import { percentile } from './report.ts';

export interface Load {
  port: number;
  connections: number;
  /** Sent in turn: each once, or repeatedly for `seconds`. */
  requests: Buffer[];
  seconds?: number;
  /** Requests a second; by default, each connection sends after each response. */
  perSecond?: number;
  /** Collects the number after these characters in each response. */
  collect?: string;
}

export interface LoadResult {
  answers: number;
  seconds: number;
  /** Responses a second. */
  rate: number;
  /** Milliseconds from sending a request to the last byte of its response. */
  p50: number;
  p99: number;
  max: number;
  /** All times, sorted. */
  latencies: Float64Array;
  statuses: Record<number, number>;
  /** Numbers found by `collect`, in the order of requests; 0 if there was none. */
  collected: Int32Array;
}

/** Puts a load on a server and measures it. */
export async function putLoad(load: Load): Promise<LoadResult> {
  const run = new Run(load);
  try {
    return await run.result();
  } finally {
    run.close();
  }
}

class Run {
  #load: Load;
  #connections: Connection[];
  #failed = Promise.withResolvers<never>();
  #latencies: Float64Array;
  #statuses = new Map<number, number>();
  #collected: Int32Array;
  #sent = 0;
  #answered = 0;
  #endsAt = 0;
  #finished = Promise.withResolvers<void>();

  constructor(load: Load) {
    this.#load = load;
    // `result` reports the error; later ones do not matter.
    this.#failed.promise.catch(() => {});
    this.#connections = Array.from(
      { length: load.connections },
      () => new Connection(load.port, this.#failed.reject),
    );
    const capacity = load.seconds ? Math.ceil(load.seconds * 100_000) : load.requests.length;
    this.#latencies = new Float64Array(capacity);
    this.#collected = new Int32Array(load.collect ? capacity : 0);
  }

  async result(): Promise<LoadResult> {
    await Promise.race([
      Promise.all(this.#connections.map(({ opened }) => opened)),
      this.#failed.promise,
    ]);
    const start = performance.now();
    this.#endsAt = this.#load.seconds ? start + this.#load.seconds * 1000 : Infinity;
    if (this.#load.perSecond) this.#pace(this.#load.perSecond);
    else for (const connection of this.#connections) this.#next(connection);
    await Promise.race([this.#finished.promise, this.#failed.promise]);
    const seconds = (performance.now() - start) / 1000;
    const latencies = this.#latencies.subarray(0, this.#answered).toSorted();
    return {
      answers: this.#answered,
      seconds,
      rate: this.#answered / seconds,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      max: latencies.at(-1) ?? 0,
      latencies,
      statuses: Object.fromEntries(this.#statuses),
      collected: this.#collected.subarray(0, this.#sent),
    };
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  /** Whether all requests were sent. */
  #over(now: number): boolean {
    return (
      now >= this.#endsAt || this.#sent >= (this.#load.seconds ? Infinity : this.#latencies.length)
    );
  }

  #next(connection: Connection, idle: (connection: Connection) => void = (one) => this.#next(one)) {
    const sentAt = performance.now();
    if (this.#over(sentAt)) {
      if (this.#answered === this.#sent) this.#finished.resolve();
      return;
    }
    const index = this.#sent++;
    const { requests, collect } = this.#load;
    connection.send(requests[index % requests.length]!, (status, bytes) => {
      this.#latencies[this.#answered++] = performance.now() - sentAt;
      this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
      if (collect) {
        const at = bytes.lastIndexOf(collect);
        if (at >= 0) this.#collected[index] = numberAt(bytes, at + collect.length);
      }
      idle(connection);
    });
  }

  /** Sends at a fixed rate on free connections. Skips ticks without a free connection. */
  #pace(perSecond: number): void {
    const free = [...this.#connections];
    const timer = setInterval(() => {
      if (!this.#over(performance.now())) {
        const connection = free.pop();
        if (connection) this.#next(connection, (one) => free.push(one));
      } else if (this.#answered === this.#sent) {
        clearInterval(timer);
        this.#finished.resolve();
      }
    }, 1000 / perSecond);
  }
}

/** Runs several loads at the same time. */
const putLoads = (loads: Load[]): Promise<LoadResult[]> => Promise.all(loads.map(putLoad));

const handlers = { putLoads };
export type LoadProcess = typeof handlers;
answerParent(handlers);
