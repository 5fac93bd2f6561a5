import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { sleepUnlessAborted } from '../backoff.ts';
import { usesOnlyDatabase } from '../outage-log.ts';
import { Client, clientConfig, Servers } from './client.ts';
import { Session } from './session.ts';
import { quoteIdentifier } from './sql.ts';

interface ListenerOptions {
  url: string;
  channel: string;
  onMessage: (payload: string) => void;
  log: Logger;
}

/** How often the connection is checked; nothing else is sent on it. */
const checkIntervalMs = 5000;
/** Timeout of the check; the client waits a second more. */
const checkTimeoutMs = 1000;
const maxRetryMs = 5000;

/**
 * Receives the notifications of a channel (LISTEN), and reconnects when the connection is lost. Notifications sent in
 * between are lost: each reconnect calls `onMessage` once, so that the caller polls.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #servers: Servers;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #client: Client | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#servers = new Servers(options.url);
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#client?.destroy(new Error('The listener is closed.'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    let isFirst = true;
    while (!signal.aborted) {
      try {
        const session = await this.#connect();
        failures = 0;
        if (!isFirst) this.#options.onMessage('');
        isFirst = false;
        await checkUntilLost(session, signal);
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        this.#options.log.warn(
          { err: error, [usesOnlyDatabase]: true },
          'notifications of other processes are not received',
        );
        const delayMs = Math.min(250 * 2 ** failures, maxRetryMs);
        await sleepUnlessAborted(delayMs * (0.5 + Math.random() / 2), signal);
      } finally {
        this.#client?.destroy(new Error('The connection was lost.'));
      }
    }
  }

  async #connect(): Promise<Session> {
    const { channel, onMessage } = this.#options;
    const url = this.#servers.current;
    const client = new Client(
      clientConfig(this.#servers, { applicationName: 'petitions listener', settings: {} }),
    );
    this.#client = client;
    client.on('notification', ({ payload = '' }) => onMessage(payload));
    try {
      await client.connect();
      await this.#servers.verify(client);
      const session = new Session(client, {
        statementTimeoutMs: checkTimeoutMs,
        isPrepared: false,
      });
      await session.command(`listen ${quoteIdentifier(channel)}`);
      return session;
    } catch (error) {
      this.#servers.leave(url);
      throw error;
    }
  }
}

/** @throws {DatabaseUnavailable} when the connection no longer answers */
async function checkUntilLost(session: Session, signal: AbortSignal): Promise<void> {
  for (;;) {
    await sleep(checkIntervalMs, undefined, { signal, ref: false });
    await session.command('select 1');
  }
}
