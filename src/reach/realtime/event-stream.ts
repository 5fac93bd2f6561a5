import { Readable } from 'node:stream';
import type { SerializedMessage } from './message.ts';
import type { Recipient, Subscription } from './realtime.ts';

/** A stream with more unread bytes than this is destroyed. */
const maxBufferedBytes = 262_144;
/** Clients reconnect after this time. */
const retryMs = 2000;

/** One client's stream of server-sent events (HTML Standard section 9.2). */
export class EventStream extends Readable implements Recipient {
  #subscription: Subscription | undefined;

  constructor() {
    super({ highWaterMark: maxBufferedBytes });
    this.push(`retry: ${retryMs}\n\n`);
  }

  /** Ends the subscription when the stream ends. */
  bind(subscription: Subscription): void {
    this.#subscription = subscription;
    if (this.destroyed) subscription.end();
  }

  send(message: SerializedMessage): void {
    if (!this.push(message.serverSentEvent)) this.destroy();
  }

  /** Ends the stream. The client gets the reason as a problem when it reconnects. */
  deny(): void {
    this.push(null);
  }

  /** Sends a comment, so that proxies keep the connection open. Ends it if the client reads too slowly. */
  keepAlive(): void {
    if (!this.push(': still here\n\n')) this.destroy();
    this.#subscription?.checkCredentials();
  }

  shutDown(): void {
    this.#subscription?.end();
    this.push(null);
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#subscription?.end();
    done(error);
  }
}
