import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino, type Logger } from 'pino';
import { formatVerifierKey } from '../platform/transparency/notes.ts';
import { WitnessFolder } from './folder.ts';
import type { WitnessSettings } from './settings.ts';
import { Witness } from './witness.ts';

/** A checkpoint with the 100 signatures that a note may have is smaller, unless most are ML-DSA ones. */
const maxBodyBytes = 65_536;
const requestTimeoutMs = 10_000;
/** How often connections are closed whose request takes longer. */
const timeoutCheckMs = 2000;
const maxConnections = 500;
/** How long a stop waits for requests that are under way. */
const stopTimeoutMs = 5000;

/** A witness that runs. */
export interface RunningWitness extends AsyncDisposable {
  port: number;
  /** As other programs are given them. */
  verifierKeys: string[];
  /** Finishes the requests that are under way. */
  stop(): Promise<void>;
}

interface Options {
  log?: Logger;
  now?: () => Date;
}

/**
 * Starts a witness: its keys are made at the first start.
 * @throws {ConfigError} if its folder is damaged
 */
export async function startWitness(
  { name, host, port, folder: path, logs }: WitnessSettings,
  { log = pino(), now = () => new Date() }: Options = {},
): Promise<RunningWitness> {
  const folder = await WitnessFolder.open(path);
  const signers = await folder.openSigners(name);
  const verifierKeys = signers.map(({ key }) => formatVerifierKey(key));
  const witness = await Witness.open(logs, {
    folder,
    signers,
    now,
    onRefused: ({ note, newest, isFork }) => {
      const notes = { refused: note, cosigned: newest?.note };
      if (isFork) log.error(notes, 'a log has two histories');
      else log.warn(notes, 'a checkpoint came without a proof that holds');
    },
    onFolderInUse: (err) => log.error({ err }, 'another process uses the folder of the witness'),
  });
  const about = `A witness of transparency logs (c2sp.org/tlog-witness). Its verifier keys:\n${verifierKeys.join('\n')}\n`;
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
    },
    (request, response) => {
      answer(witness, about, request, response).catch((error: unknown) => {
        // The client went away within its request: anybody could fill the log with that.
        if (request.destroyed && !request.complete) return;
        log.error({ err: error }, 'a request failed');
        if (!response.headersSent) send(response, 500, 'something failed here\n');
        else response.destroy();
      });
    },
  );
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    const timer = setTimeout(() => server.closeAllConnections(), stopTimeoutMs);
    await closed;
    clearTimeout(timer);
  };
  return {
    port: (server.address() as AddressInfo).port,
    verifierKeys,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function answer(
  witness: Witness,
  about: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '' } = request;
  const [path] = url.split('?');
  const isRead = method === 'GET' || method === 'HEAD';
  const [, hash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(path!) ?? [];
  if (path === '/add-checkpoint') {
    if (method !== 'POST') return refuseMethod(response, 'POST');
    return addCheckpoint(witness, request, response);
  }
  if (path !== '/' && hash === undefined) return send(response, 404, 'nothing is here\n');
  if (!isRead) return refuseMethod(response, 'GET, HEAD');
  response.setHeader('access-control-allow-origin', '*');
  if (hash === undefined) return send(response, 200, about);
  const note = witness.newestCheckpoint(hash);
  if (note === undefined) return send(response, 404, 'no checkpoint of this log was cosigned\n');
  response.setHeader('cache-control', 'public, max-age=1');
  send(response, 200, note);
}

async function addCheckpoint(
  witness: Witness,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (body === 'too-large') {
    response.setHeader('connection', 'close');
    return send(response, 413, `a request has at most ${maxBodyBytes} bytes\n`);
  }
  if (body === 'no-text') return send(response, 400, 'the request is not UTF-8\n');
  const { status, body: text, type } = await witness.addCheckpoint(body.text);
  send(response, status, text, type);
}

async function readBody(
  request: IncomingMessage,
): Promise<{ text: string } | 'too-large' | 'no-text'> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop must not close the connection, which the answer needs.
  const body: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBodyBytes) return 'too-large';
    chunks.push(chunk);
  }
  try {
    // A byte order mark is part of the text, and no request begins with it.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(Buffer.concat(chunks)) };
  } catch {
    return 'no-text';
  }
}

function refuseMethod(response: ServerResponse, allowed: string): void {
  response.setHeader('allow', allowed);
  send(response, 405, `allowed here: ${allowed}\n`);
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
