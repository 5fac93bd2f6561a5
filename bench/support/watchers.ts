import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { answerParent } from './child.ts';
import { numberAt } from './http.ts';

const countMember = '"signature_count":';

/** A WebSocket client that only parses the newest count, so that thousands are cheap. */
class Watcher {
  count = -1;
  /** When the newest count arrived, in milliseconds since the start of the process. */
  heardAt = 0;
  messages = 0;
  #socket: Socket;

  /** Connects from its own address behind the trusted proxy, to stay below the rate limits. */
  constructor(port: number, petitionId: string, n: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.write(
      `GET /v1/realtime HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `X-Forwarded-For: 10.9.${n >> 8}.${n & 255}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    this.#socket.once('data', () =>
      this.#socket.write(maskedText(`{"type":"subscribe","petition_id":"${petitionId}"}`)),
    );
    this.#socket.on('data', (chunk) => this.#hear(chunk as Buffer));
  }

  get opened(): Promise<unknown> {
    return once(this.#socket, 'connect');
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Messages are not split; the last one in a chunk has the newest count. */
  #hear(chunk: Buffer): void {
    const at = chunk.lastIndexOf(countMember);
    if (at < 0) return;
    this.messages += 1;
    this.count = numberAt(chunk, at + countMember.length);
    this.heardAt = performance.timeOrigin + performance.now();
  }
}

/** A client's text frame of at most 125 bytes with a mask of zeros (RFC 6455 section 5.3). */
function maskedText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

let watchers: Watcher[] = [];

/** Opens connections in batches, and waits until each has received the count. */
async function open(options: { port: number; petitionId: string; howMany: number }) {
  while (watchers.length < options.howMany) {
    const batch = Array.from(
      { length: Math.min(250, options.howMany - watchers.length) },
      (_, n) => new Watcher(options.port, options.petitionId, watchers.length + n),
    );
    watchers.push(...batch);
    while (batch.some(({ count }) => count < 0)) await setTimeout(5);
  }
}

/** Waits until every watcher has received this count. Returns when the last one did, and the number of messages. */
async function allHeard(count: number) {
  const deadline = performance.now() + 30_000;
  while (watchers.some((watcher) => watcher.count !== count)) {
    if (performance.now() > deadline)
      throw new Error('some watchers did not receive the last count');
    await setTimeout(10);
  }
  return {
    lastHeardAt: watchers.reduce((last, { heardAt }) => Math.max(last, heardAt), 0),
    messages: watchers.reduce((sum, one) => sum + one.messages, 0),
  };
}

async function close() {
  for (const watcher of watchers) watcher.close();
  watchers = [];
}

const handlers = { open, allHeard, close };
export type WatchersProcess = typeof handlers;
answerParent(handlers);
