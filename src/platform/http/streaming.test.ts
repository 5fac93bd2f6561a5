import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { Type } from 'typebox';
import { eventually } from '../../../test/support/eventually.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { createContext } from '../../context.ts';
import { unavailable } from '../problems.ts';
import { buildServer } from './server.ts';
import { raw, routes, streamed } from './route.ts';

const api = routes('Test');

/** Yields pieces, and records how many were read and whether it ended. */
class Source {
  given = 0;
  ended = false;
  readonly #pieces: (n: number) => string | undefined | Promise<string>;

  constructor(pieces: (n: number) => string | undefined | Promise<string>) {
    this.#pieces = pieces;
  }

  async *pieces(): AsyncGenerator<string> {
    try {
      for (;;) {
        const piece = await this.#pieces(this.given);
        if (piece === undefined) return;
        this.given += 1;
        yield piece;
      }
    } finally {
      this.ended = true;
    }
  }
}

const kilobytes = (n: number) => 'x'.repeat(n * 1024);

describe('a streamed list', () => {
  let service: Service;
  let close: () => Promise<unknown>;
  let port: number;
  let source: Source;
  let mediaType: string | undefined;
  const log: string[] = [];
  before(async () => {
    service = await startService({ log });
    const { config, log: logger } = service.ctx;
    const ctx = await createContext(config, service.databaseUrl, { log: logger });
    const server = await buildServer({
      ctx,
      routes: [
        api.get('/v1/stream', {
          id: 'stream',
          summary: 'A stream',
          auth: { access: 'anyone' },
          returns: streamed(Type.Integer(), 'text/csv'),
          handle: () => ({
            chunks: source.pieces(),
            nextCursor: 'next',
            ...(mediaType && { mediaType }),
          }),
        }),
        api.get('/v1/file', {
          id: 'file',
          summary: 'A file',
          auth: { access: 'anyone' },
          returns: raw('text/csv'),
          handle: () => ({ mediaType: 'text/csv', body: Readable.from(source.pieces()) }),
        }),
      ],
      authenticate: () => null,
      upgrades: {},
      closeConnections: () => {},
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    ({ port } = server.server.address() as AddressInfo);
    close = async () => {
      await server.close();
      await ctx[Symbol.asyncDispose]();
    };
  });
  after(async () => {
    await close();
    await service[Symbol.asyncDispose]();
  });

  const get = (method = 'GET', path = '/v1/stream') =>
    fetch(`http://127.0.0.1:${port}${path}`, { method, signal: AbortSignal.timeout(10_000) });

  /** Returns an answer whose body has not been read. */
  const open = async (): Promise<IncomingMessage> => {
    const request = httpRequest({ port, path: '/v1/stream', agent: false }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    // Tests check `complete` instead.
    for (const one of [request, response]) one.on('error', () => {});
    return response;
  };

  it('has the same envelope as an ordinary list', async () => {
    mediaType = undefined;
    for (const pieces of [['1,2', ',3'], ['1'], []]) {
      source = new Source((n) => pieces[n]);
      const answer = await get();
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-type')!, /^application\/json/);
      assert.equal(answer.headers.get('x-api-version'), '1');
      assert.ok(answer.headers.has('x-ratelimit-remaining'));
      assert.match(answer.headers.get('ratelimit')!, /^"default";r=\d+;t=\d+$/);
      // oxlint-disable-next-line typescript/no-explicit-any
      const body = (await answer.json()) as any;
      assert.deepEqual(body.data, JSON.parse(`[${pieces.join('')}]`));
      assert.deepEqual(body.pagination, { next_cursor: 'next', has_more: true });
      assert.equal(body.meta.request_id, answer.headers.get('x-request-id'));
      assert.ok(source.ended);
    }
  });

  it('has no envelope in another media type', async () => {
    mediaType = 'text/csv';
    source = new Source((n) => ['a,b\r\n', '1,é\r\n'][n]);
    const answer = await get();
    assert.equal(answer.headers.get('content-type'), 'text/csv');
    assert.equal(await answer.text(), 'a,b\r\n1,é\r\n');
  });

  it('is not read for HEAD requests, nor is a file', async () => {
    for (const path of ['/v1/stream', '/v1/file']) {
      source = new Source((n) => (n < 100 ? kilobytes(1) : undefined));
      const answer = await get('HEAD', path);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'text/csv');
      assert.equal(source.given, 0);
    }
  });

  it('is answered with problem details if it fails before the first piece', async () => {
    source = new Source(() => Promise.reject(unavailable('Away.')));
    const answer = await get();
    assert.equal(answer.status, 503);
    assert.match(answer.headers.get('content-type')!, /problem\+json/);
  });

  it('resets the connection if it fails later, in HTTP/1.1 and 1.0', async () => {
    const breaking = () =>
      new Source((n) => (n < 3 ? kilobytes(64) : Promise.reject(new Error('gone wrong'))));
    source = breaking();
    const answer = await get();
    assert.equal(answer.status, 200);
    await assert.rejects(answer.text());
    assert.ok(log.some((line) => /cut off/.test(line) && /gone wrong/.test(line)));

    // In HTTP/1.0 a plain end of the connection would be the end of the answer.
    source = breaking();
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /v1/stream HTTP/1.0\r\n\r\n');
    socket.resume();
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNRESET');
  });

  it('is read no faster than its client reads', async () => {
    const many = 4000;
    source = new Source((n) => (n < many ? kilobytes(16) : undefined));
    const response = await open();
    // The system's buffers hold some megabytes; the rest is not read.
    let last = -1;
    await eventually(() => {
      const isUnchanged = source.given === last && last > 0;
      last = source.given;
      return isUnchanged;
    });
    assert.ok(source.given < many / 2, `${source.given}`);
    assert.ok(!source.ended);
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    assert.equal(bytes, many * 16 * 1024);
  });

  it('ends if its client disconnects', async () => {
    source = new Source(() => kilobytes(16));
    const response = await open();
    response.destroy();
    await eventually(() => source.ended);
  });

  it('does not delay stopping the server', async () => {
    source = new Source(() => kilobytes(16));
    const response = await open();
    await close();
    close = async () => {};
    assert.ok(source.ended);
    response.resume();
    await eventually(() => response.destroyed);
    assert.ok(!response.complete);
  });
});
