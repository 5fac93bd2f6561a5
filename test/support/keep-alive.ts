import { once } from 'node:events';
import { type Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What became of one request. */
export interface Outcome {
  what: string;
  /** 0: the connection failed, and it is not known whether the request was processed. */
  status: number;
  /** As performance.now() tells. */
  sentAt: number;
  /** Until its answer. */
  tookMs?: number;
  /** Why it failed, or what a failure says. */
  error?: string;
  /** The answer said that the connection will be closed. */
  closes?: boolean;
}

/** Nothing listens any more, so the request was not sent. */
export class Refused extends Error {}

export interface Sending {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
}

/** Sends a request on a connection that the agent keeps, and never a second time. @throws {Refused} */
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

/** Tries to log in by a body that comes byte by byte. */
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
  const what = `${sent.method} ${sent.path}`;
  const sentAt = performance.now();
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    // What an answered request meets afterwards is no matter, such as the rest of a body that nobody reads.
    sent.on('error', () => {});
    let text = '';
    for await (const chunk of response) text += chunk;
    const status = response.statusCode!;
    const closes = response.headers.connection === 'close';
    const tookMs = performance.now() - sentAt;
    return { what, status, sentAt, tookMs, closes, ...(status >= 500 && { error: text }) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED') throw new Refused();
    return { what, status: 0, sentAt, error: `${code} ${message}, reused: ${sent.reusedSocket}` };
  }
}

/**
 * Sends several requests at once on one connection, again and again until it is to be closed. What the server did
 * not answer after it had said so was not processed, so it is nothing that failed. @throws {Refused}
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
  const what = `pipelined ${path}`;
  for (;;) {
    const sentAt = performance.now();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(depth));
    for (let n = 0; n < depth; n += 1) {
      const { value: answer, done } = await answers.next();
      if (done) {
        note({ what, status: 0, sentAt, error: answer });
        return;
      }
      note({ what, status: answer.status, sentAt });
      if (answer.closes) {
        socket.destroy();
        return;
      }
    }
    await pause(Math.random() * 50);
  }
}

/** The answers on a connection, which all tell their length; then why there are no more. */
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
