import { Readable } from 'node:stream';
import type { WrittenMessage } from './message.ts';
import type { Recipient, Subscription } from './realtime.ts';

/** Bytes that may wait for a reader before it is cut off. */
const slowReader = 262_144;
/** How soon a client connects again, in milliseconds. */
const retryMilliseconds = 2000;

/** One client's stream of server-sent events (HTML Standard section 9.2). */
export class EventStream extends Readable implements Recipient {
  #subscription: Subscription | undefined;

  constructor() {
    super({ highWaterMark: slowReader });
    this.push(`retry: ${retryMilliseconds}\n\n`);
  }

  /** The subscription that ends with the stream. */
  follows(subscription: Subscription): void {
    this.#subscription = subscription;
    if (this.destroyed) subscription.end();
  }

  tell(message: WrittenMessage): void {
    if (!this.push(message.serverSentEvent)) this.destroy();
  }

  /** Ends the stream; on connecting again the client is told why. */
  refuse(): void {
    this.push(null);
  }

  beat(): void {
    if (!this.push(': still here\n\n')) this.destroy();
    this.#subscription?.checkCredentials();
  }

  hangUp(): void {
    this.#subscription?.end();
    this.push(null);
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#subscription?.end();
    done(error);
  }
}
