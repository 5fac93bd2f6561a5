import { setTimeout as sleep } from 'node:timers/promises';
import { SourceError } from './errors.js';

const timeoutMs = 30_000;
const attempts = 4;
/** A full bundle with entries of the greatest length has 16 MiB. */
const maxBytes = 17 * 2 ** 20;

/** Fetches a file. Tries again where the server or the network fails. @throws {SourceError} */
export async function fetchBytes(url: string): Promise<Buffer> {
  return (await fetchIfThere(url)) ?? fail(`${url}: 404`);
}

const fail = (message: string): never => {
  throw new SourceError(message);
};

/** As `fetchBytes`; undefined where there is no such file. */
export async function fetchIfThere(url: string): Promise<Buffer | undefined> {
  for (let attempt = 1; ; attempt++) {
    const answer = await attemptFetch(url);
    if ('bytes' in answer) return answer.bytes;
    if (answer.isFinal || attempt === attempts) throw new SourceError(`${url}: ${answer.failure}`);
    await sleep(Math.min(answer.retryMs ?? 500 * 2 ** attempt, 30_000));
  }
}

type Attempt =
  | { bytes: Buffer | undefined }
  | { failure: string; isFinal?: boolean; retryMs?: number };

async function attemptFetch(url: string): Promise<Attempt> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (answer.ok) return { bytes: await readLimited(answer) };
    await answer.body?.cancel();
    if (answer.status === 404) return { bytes: undefined };
    const retrySeconds = Number(answer.headers.get('retry-after') ?? undefined);
    return {
      failure: String(answer.status),
      isFinal: answer.status < 500 && answer.status !== 429,
      ...(retrySeconds > 0 && { retryMs: retrySeconds * 1000 }),
    };
  } catch (error) {
    if (error instanceof SourceError) return { failure: error.message, isFinal: true };
    const { message, cause } = error as Error;
    return { failure: cause instanceof Error ? cause.message : message };
  }
}

async function readLimited(answer: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new SourceError('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** Fetches JSON. @throws {SourceError} */
export async function fetchJson<T>(url: string): Promise<T> {
  const bytes = await fetchBytes(url);
  try {
    return JSON.parse(bytes.toString()) as T;
  } catch {
    throw new SourceError(`${url}: the answer is not JSON`);
  }
}
