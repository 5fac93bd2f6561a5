import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** The raw body. */
  body: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Number of its connection. */
  connection: number;
}

export interface Receiver extends AsyncDisposable {
  origin: string;
  received: Received[];
  /** Requests to that path. */
  at(path: string): Received[];
}

/** Starts a server that receives webhooks. It answers 204 by default. */
export async function startReceiver(
  answer: RequestListener = (_, response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const connections = new Map<Socket, number>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { url: path = '', headers, socket } = request;
      if (!connections.has(socket)) connections.set(socket, connections.size);
      received.push({
        path,
        headers,
        body,
        at: Date.now(),
        connection: connections.get(socket)!,
      });
      answer(request, response);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    at: (path) => received.filter((one) => one.path === path),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
