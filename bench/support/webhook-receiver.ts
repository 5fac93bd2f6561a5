import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerParent } from './child.ts';

interface Arrivals {
  count: number;
  /** Times of the first and the last delivery, in milliseconds since 1970. */
  first: number;
  last: number;
  /** Milliseconds from event to arrival. */
  latencies: number[];
}

const empty = (): Arrivals => ({ count: 0, first: 0, last: 0, latencies: [] });
let arrivals = empty();

/** Starts a server that answers 204, and never answers /stuck. Returns the port. */
async function listen(): Promise<number> {
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/stuck') return;
    request.on('end', () => {
      const now = Date.now();
      arrivals.first ||= now;
      arrivals.last = now;
      arrivals.count += 1;
      arrivals.latencies.push(now - Date.parse(String(request.headers['x-service-timestamp'])));
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

const count = (): number => arrivals.count;

/** Returns what has arrived since the last call. */
function take(): Arrivals {
  const taken = arrivals;
  arrivals = empty();
  return taken;
}

const handlers = { listen, count, take };
export type WebhookReceiver = typeof handlers;
answerParent(handlers);
