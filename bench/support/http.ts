import { connect, type Socket } from 'node:net';

export interface Request {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** The bytes of a request, created ahead so that sending is cheap. */
export function toBytes({ method, path, headers = {}, body = '' }: Request): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: bench'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body) lines.push('content-type: application/json');
  if (method !== 'GET') lines.push(`content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

const headEnd = '\r\n\r\n';
/** The end of the header's name: its case differs between servers. */
const lengthHeader = 'ength: ';
const empty = Buffer.alloc(0);

/** Receives a response: its status and the first bytes with the head, valid only during the call. */
export type Take = (status: number, bytes: Buffer) => void;

/**
 * A keep-alive connection with one request at a time. It parses only the status and length of a response, so that a load
 * on the server's machine is cheap. It expects a content-length, and no chunked responses.
 */
export class Connection {
  #socket: Socket;
  #head = empty;
  /** Missing bytes of the response body; -1 before the head is complete. */
  #missing = -1;
  #status = 0;
  #take: Take | undefined;
  #opened = Promise.withResolvers<void>();

  /** Calls `failed` if the connection ends unexpectedly. */
  constructor(port: number, failed: (error: Error) => void) {
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(65_536),
        callback: (size, bytes) => {
          this.#read((bytes as Buffer).subarray(0, size));
          return true;
        },
      },
    });
    this.#socket.on('connect', () => this.#opened.resolve());
    const end = (error: Error) => {
      this.#opened.reject(error);
      failed(error);
    };
    this.#socket.on('error', end);
    this.#socket.on('close', () => end(new Error('the server closed the connection')));
  }

  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  send(request: Buffer, take: Take): void {
    this.#take = take;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.removeAllListeners('close').destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#missing >= 0) {
      this.#missing -= chunk.length;
      if (this.#missing === 0) this.#done(empty);
      return;
    }
    const bytes = this.#head.length > 0 ? Buffer.concat([this.#head, chunk]) : chunk;
    const end = bytes.indexOf(headEnd, 0, 'latin1');
    if (end < 0) {
      this.#head = Buffer.from(bytes);
      return;
    }
    this.#head = empty;
    this.#status = (bytes[9]! - 48) * 100 + (bytes[10]! - 48) * 10 + (bytes[11]! - 48);
    this.#missing = end + headEnd.length + contentLength(bytes) - bytes.length;
    if (this.#missing === 0) this.#done(bytes);
  }

  #done(bytes: Buffer): void {
    this.#missing = -1;
    const take = this.#take!;
    this.#take = undefined;
    take(this.#status, bytes);
  }
}

function contentLength(bytes: Buffer): number {
  const at = bytes.indexOf(lengthHeader, 0, 'latin1');
  return at < 0 ? 0 : numberAt(bytes, at + lengthHeader.length);
}

/** Parses the whole number at this byte. */
export function numberAt(bytes: Buffer, from: number): number {
  let value = 0;
  for (let at = from; ; at += 1) {
    const digit = bytes[at]! - 48;
    if (!(digit >= 0 && digit <= 9)) return value;
    value = value * 10 + digit;
  }
}
