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
import { raw, route, streamed } from './route.ts';

/** Writes these pieces, and tells what has become of it. */
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

describe('a list that is written while it is read', () => {
  let service: Service;
  let close: () => Promise<unknown>;
  let port: number;
  let source: Source;
  let mediaType: string | undefined;
  const log: string[] = [];
  before(async () => {
    service = await startService({ log });
    const { config, log: logger } = service.ctx;
    const ctx = createContext(config, service.databaseUrl, { log: logger });
    const server = await buildServer({
      ctx,
      routes: [
        route({
          id: 'stream',
          method: 'GET',
          path: '/v1/stream',
          summary: 'A stream',
          tag: 'Test',
          access: 'anyone',
          returns: streamed(Type.Integer(), 'text/csv'),
          handle: () => ({
            pieces: source.pieces(),
            nextCursor: 'next',
            ...(mediaType && { mediaType }),
          }),
        }),
        route({
          id: 'file',
          method: 'GET',
          path: '/v1/file',
          summary: 'A file',
          tag: 'Test',
          access: 'anyone',
          returns: raw('text/csv'),
          handle: () => ({ mediaType: 'text/csv', body: Readable.from(source.pieces()) }),
        }),
      ],
      authenticate: () => null,
      upgrades: {},
      hangUp: () => {},
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

  /** An answer of which nothing is read yet. */
  const open = async (): Promise<IncomingMessage> => {
    const request = httpRequest({ port, path: '/v1/stream', agent: false }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    // Whether it is whole is looked at.
    for (const one of [request, response]) one.on('error', () => {});
    return response;
  };

  it('is the list that it would be at once', async () => {
    mediaType = undefined;
    for (const pieces of [['1,2', ',3'], ['1'], []]) {
      source = new Source((n) => pieces[n]);
      const answer = await get();
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-type')!, /^application\/json/);
      assert.equal(answer.headers.get('x-api-version'), '1');
      assert.ok(answer.headers.has('x-ratelimit-remaining'));
      // oxlint-disable-next-line typescript/no-explicit-any
      const body = (await answer.json()) as any;
      assert.deepEqual(body.data, JSON.parse(`[${pieces.join('')}]`));
      assert.deepEqual(body.pagination, { next_cursor: 'next', has_more: true });
      assert.equal(body.meta.request_id, answer.headers.get('x-request-id'));
      assert.ok(source.ended);
    }
  });

  it('of another type is its pieces alone', async () => {
    mediaType = 'text/csv';
    source = new Source((n) => ['a,b\r\n', '1,é\r\n'][n]);
    const answer = await get();
    assert.equal(answer.headers.get('content-type'), 'text/csv');
    assert.equal(await answer.text(), 'a,b\r\n1,é\r\n');
  });

  it('is not read for a HEAD, nor is a file', async () => {
    for (const path of ['/v1/stream', '/v1/file']) {
      source = new Source((n) => (n < 100 ? kilobytes(1) : undefined));
      const answer = await get('HEAD', path);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'text/csv');
      assert.equal(source.given, 0);
    }
  });

  it('fails as any other call where nothing of it could be read', async () => {
    source = new Source(() => Promise.reject(unavailable('Away.')));
    const answer = await get();
    assert.equal(answer.status, 503);
    assert.match(answer.headers.get('content-type')!, /problem\+json/);
  });

  it('is cut off where it cannot be read to its end, whatever version of HTTP is spoken', async () => {
    const breaking = () =>
      new Source((n) => (n < 3 ? kilobytes(64) : Promise.reject(new Error('gone wrong'))));
    source = breaking();
    const answer = await get();
    assert.equal(answer.status, 200);
    await assert.rejects(answer.text());
    assert.ok(log.some((line) => /cut off/.test(line) && /gone wrong/.test(line)));

    // There the end of the connection would be taken for the end of the answer.
    source = breaking();
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /v1/stream HTTP/1.0\r\n\r\n');
    socket.resume();
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNRESET');
  });

  it('is read no faster than its client takes it', async () => {
    const many = 4000;
    source = new Source((n) => (n < many ? kilobytes(16) : undefined));
    const response = await open();
    // What the system's buffers hold is some megabytes; the rest is not even read.
    let last = -1;
    await eventually(() => {
      const stands = source.given === last && last > 0;
      last = source.given;
      return stands;
    });
    assert.ok(source.given < many / 2, `${source.given}`);
    assert.ok(!source.ended);
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    assert.equal(bytes, many * 16 * 1024);
  });

  it('is read no further where its client goes away', async () => {
    source = new Source(() => kilobytes(16));
    const response = await open();
    response.destroy();
    await eventually(() => source.ended);
  });

  it('does not keep the server from stopping', async () => {
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
