import { once } from 'node:events';
import { type Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The outcome of one request. */
export interface Outcome {
  request: string;
  /** 0: the connection failed, and the request may or may not have been processed. */
  status: number;
  /** By performance.now(). */
  sentAt: number;
  /** Time until the response. */
  tookMs?: number;
  /** The connection's error, or the body of a 5xx. */
  error?: string;
  /** Whether the response has `connection: close`. */
  closes?: boolean;
}

/** The connection was refused, so the request was not sent. */
export class Refused extends Error {}

export interface Sending {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
}

/** Sends a request on a kept connection, without retries. @throws {Refused} */
export async function send(
  origin: string,
  agent: Agent,
  { method, path, body }: Sending,
): Promise<Outcome> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = request(origin + path, { method, agent, headers });
  sent.end(body);
  return outcomeOf(sent);
}

interface Slowness {
  bytes: number;
  everyMs: number;
}

/** Sends a login request whose body arrives byte by byte. */
export async function sendSlowly(origin: string, { bytes, everyMs }: Slowness): Promise<Outcome> {
  const body = JSON.stringify({ email: 'a@b.example', password: 'wrong' }).padEnd(bytes, ' ');
  const sent = request(`${origin}/v1/auth/login`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': body.length },
  });
  const outcome = outcomeOf(sent);
  for (const byte of body) {
    if (sent.destroyed) break;
    sent.write(byte);
    await pause(everyMs);
  }
  sent.end();
  return outcome;
}

async function outcomeOf(sent: ClientRequest): Promise<Outcome> {
  const description = `${sent.method} ${sent.path}`;
  const sentAt = performance.now();
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    // Later errors of an answered request do not matter: the server may not read the rest of the body.
    sent.on('error', () => {});
    let text = '';
    for await (const chunk of response) text += chunk;
    const status = response.statusCode!;
    const closes = response.headers.connection === 'close';
    const tookMs = performance.now() - sentAt;
    return {
      request: description,
      status,
      sentAt,
      tookMs,
      closes,
      ...(status >= 500 && { error: text }),
    };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED') throw new Refused();
    return {
      request: description,
      status: 0,
      sentAt,
      error: `${code} ${message}, reused: ${sent.reusedSocket}`,
    };
  }
}

/**
 * Sends pipelined requests on one connection until the server announces its end. Requests without a response after that
 * were not processed and do not count as failed. @throws {Refused}
 */
export async function pipeline(
  origin: string,
  path: string,
  depth: number,
  note: (outcome: Outcome) => void,
): Promise<void> {
  const { port, hostname } = new URL(origin);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') throw new Refused();
    throw error;
  }
  const answers = answersOn(socket);
  const description = `pipelined ${path}`;
  for (;;) {
    const sentAt = performance.now();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(depth));
    for (let n = 0; n < depth; n += 1) {
      const { value: answer, done } = await answers.next();
      if (done) {
        note({ request: description, status: 0, sentAt, error: answer });
        return;
      }
      note({ request: description, status: answer.status, sentAt });
      if (answer.closes) {
        socket.destroy();
        return;
      }
    }
    await pause(Math.random() * 50);
  }
}

/** Yields the responses on a connection, which must have a content-length; returns why there are no more. */
async function* answersOn(
  socket: Socket,
): AsyncGenerator<{ status: number; closes: boolean }, string> {
  let text = '';
  try {
    for await (const chunk of socket) {
      text += (chunk as Buffer).toString('latin1');
      for (;;) {
        const [head] = text.split('\r\n\r\n', 1);
        const length = Number(/^content-length: (\d+)/im.exec(head!)?.[1]);
        const whole = head!.length + 4 + length;
        if (!(text.length >= whole)) break;
        text = text.slice(whole);
        yield { status: Number(head!.split(' ')[1]), closes: /^connection: close/im.test(head!) };
      }
    }
    return 'closed without an answer';
  } catch (error) {
    return String(error);
  }
}
