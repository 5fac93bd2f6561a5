import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

/** A signature to give: one person, one petition. */
export interface Signing {
  token: string;
  petitionId: string;
}

export interface Answer {
  /** 0 if the connection broke before the response. */
  status: number;
  retryAfter: string | undefined;
  startedAt: number;
  endedAt: number;
  /** The error of the connection. */
  error?: string;
}

export interface SigningAnswer extends Answer {
  signing: Signing;
  /** The count in a 201. */
  signatureCount?: number;
}

export interface ReadAnswer extends Answer {
  path: string;
}

/** Longer than any request may take, so that a hanging one is measured. */
const clientTimeoutMs = 30_000;

/** Clients of the service's processes, with unlimited connections. */
export class Clients implements AsyncDisposable {
  readonly #pools: Pool[];
  #turn = 0;

  constructor(origins: string[]) {
    const options = {
      connections: null,
      headersTimeout: clientTimeoutMs,
      bodyTimeout: clientTimeoutMs,
    };
    this.#pools = origins.map((origin) => new Pool(origin, options));
  }

  get count(): number {
    return this.#pools.length;
  }

  /** Signs at the next process in turn. */
  async sign(signing: Signing): Promise<SigningAnswer> {
    const pool = this.#pools[this.#turn++ % this.#pools.length]!;
    const path = `/v1/petitions/${signing.petitionId}/signatures`;
    const headers = { authorization: `Bearer ${signing.token}` };
    const { text, ...answer } = await send(pool, { method: 'POST', path, headers });
    if (answer.status !== 201) return { ...answer, signing };
    const { data } = JSON.parse(text) as { data: { signature_count: number } };
    return { ...answer, signing, signatureCount: data.signature_count };
  }

  /** Reads a path from one of the processes. */
  async read(process: number, path: string): Promise<ReadAnswer> {
    const headers = { accept: path.startsWith('/v1') ? 'application/json' : 'text/html' };
    const { text: _, ...answer } = await send(this.#pools[process]!, {
      method: 'GET',
      path,
      headers,
    });
    return { ...answer, path };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }
}

interface Call {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
}

async function send(pool: Pool, call: Call): Promise<Answer & { text: string }> {
  const startedAt = performance.now();
  try {
    const { statusCode: status, headers, body } = await pool.request(call);
    const text = await body.text();
    const retryAfter = [headers['retry-after']].flat()[0];
    return { status, retryAfter, startedAt, endedAt: performance.now(), text };
  } catch (error) {
    const endedAt = performance.now();
    return { status: 0, retryAfter: undefined, startedAt, endedAt, error: String(error), text: '' };
  }
}

/** A load of signatures at a constant rate, independent of response times. */
export class SigningLoad {
  readonly answers: SigningAnswer[] = [];
  readonly #ended: Promise<void>;
  #stopped = false;

  constructor(clients: Clients, signings: Signing[], perSecond: number) {
    this.#ended = this.#run(clients, signings, perSecond);
  }

  /** When the last 201 arrived, by `performance.now()`. */
  get lastSignedAt(): number {
    return this.answers.findLast(({ status }) => status === 201)?.endedAt ?? 0;
  }

  /** Stops sending, and waits for all answers. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #run(clients: Clients, signings: Signing[], perSecond: number): Promise<void> {
    const inFlight = new Set<Promise<void>>();
    const startedAt = performance.now();
    let sent = 0;
    while (!this.#stopped && sent < signings.length) {
      const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
      for (; sent < Math.min(due, signings.length); sent++) {
        const answered = clients
          .sign(signings[sent]!)
          .then((answer) => void this.answers.push(answer))
          .finally(() => inFlight.delete(answered));
        inFlight.add(answered);
      }
      await pause(10);
    }
    await Promise.all(inFlight);
  }
}

/** A load of reads: one reader of pages and one of readiness at each process. */
export class ReadingLoad {
  readonly pages: ReadAnswer[] = [];
  readonly readiness: ReadAnswer[] = [];
  readonly #ended: Promise<unknown>;
  #stopped = false;

  constructor(clients: Clients, paths: string[]) {
    const processes = Array.from({ length: clients.count }, (_, process) => process);
    this.#ended = Promise.all(
      processes.flatMap((process) => [
        this.#run(clients, process, paths, this.pages),
        this.#run(clients, process, ['/health/ready'], this.readiness),
      ]),
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #run(clients: Clients, process: number, paths: string[], into: ReadAnswer[]) {
    for (let n = 0; !this.#stopped; n++) {
      into.push(await clients.read(process, paths[n % paths.length]!));
      await pause(100);
    }
  }
}

/** Repeats unconfirmed signatures until each is stored: 201, or 409 if it was stored before. */
export async function signAgain(clients: Clients, signings: Signing[]): Promise<SigningAnswer[]> {
  const answers: SigningAnswer[] = [];
  let next = 0;
  const one = async () => {
    for (let signing = signings[next++]; signing; signing = signings[next++]) {
      let answer = await clients.sign(signing);
      for (let tries = 1; answer.status === 503 && tries < 5; tries++) {
        await pause(Number(answer.retryAfter) * 1000);
        answer = await clients.sign(signing);
      }
      answers.push(answer);
    }
  };
  await Promise.all(Array.from({ length: 32 }, one));
  return answers;
}
