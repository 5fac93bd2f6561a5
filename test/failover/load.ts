import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

/** A signature that one person is to give to one petition. */
export interface Signing {
  token: string;
  petitionId: string;
}

export interface Answer {
  /** 0 where the connection broke before there was an answer. */
  status: number;
  retryAfter: string | undefined;
  startedAt: number;
  endedAt: number;
  /** What broke it. */
  error?: string;
}

export interface SigningAnswer extends Answer {
  signing: Signing;
  /** What a 201 says. */
  signatureCount?: number;
}

export interface ReadAnswer extends Answer {
  path: string;
}

/** Longer than any request may take, so that one that hangs is measured. */
const hangMs = 30_000;

/** Clients of the service's processes, with as many connections as they need. */
export class Clients implements AsyncDisposable {
  readonly #pools: Pool[];
  #turn = 0;

  constructor(origins: string[]) {
    const options = { connections: null, headersTimeout: hangMs, bodyTimeout: hangMs };
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

  /** Reads from one of the processes, as a browser does. */
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

/** People who sign at a steady rate, however long the answers take, and each once. */
export class SigningLoad {
  readonly answers: SigningAnswer[] = [];
  readonly #ended: Promise<void>;
  #stopped = false;

  constructor(clients: Clients, signings: Signing[], perSecond: number) {
    this.#ended = this.#run(clients, signings, perSecond);
  }

  /** The last answer that said 201, by `performance.now()`. */
  get lastSignedAt(): number {
    return this.answers.findLast(({ status }) => status === 201)?.endedAt ?? 0;
  }

  /** Sends no more, and resolves when all that was sent is answered. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #run(clients: Clients, signings: Signing[], perSecond: number): Promise<void> {
    const underWay = new Set<Promise<void>>();
    const startedAt = performance.now();
    let sent = 0;
    while (!this.#stopped && sent < signings.length) {
      const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
      for (; sent < Math.min(due, signings.length); sent++) {
        const answered = clients
          .sign(signings[sent]!)
          .then((answer) => void this.answers.push(answer))
          .finally(() => underWay.delete(answered));
        underWay.add(answered);
      }
      await pause(10);
    }
    await Promise.all(underWay);
  }
}

/** Readers of public pages and of readiness, one of each at every process. */
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

/** Signs again what was not confirmed, some at a time, until each is stored: 201, or 409 where it was. */
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
