import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { logInBrowser } from '../../../test/support/browser.ts';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { codingFor, isCompressible, varyBy } from './compression.ts';

describe('compression', () => {
  let service: Service;
  let creator: Person;
  let slug: string;
  before(async () => {
    service = await startService();
    creator = await signUp(service);
    for (let n = 0; n < 10; n += 1) ({ slug } = await createPublished(creator));
  });
  after(() => service[Symbol.asyncDispose]());

  /** Sends a request as it is, and returns the answer as it is: `fetch` decompresses. */
  async function ask(
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<{ status: number; headers: IncomingMessage['headers']; bytes: Buffer }> {
    const sent = request(service.origin + path, { method, headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode!, headers: answer.headers, bytes: await buffer(answer) };
  }

  const assetOf = async (extension: string) => {
    const { body } = await service.api.get('/', { headers: { accept: 'text/html' } });
    return new RegExp(`/assets/site\\.[\\w-]+\\.${extension}`).exec(String(body))![0];
  };

  it('takes the coding that the client prefers', () => {
    for (const [accept, coding] of [
      [undefined, 'identity'],
      ['', 'identity'],
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['GZIP', 'gzip'],
      ['*', 'br'],
      ['br;q=0.5, gzip;q=0.8', 'gzip'],
      ['br;q=0, *', 'gzip'],
      ['gzip;q=0, identity', 'identity'],
      ['identity, gzip;q=0.5', 'identity'],
      ['zstd', 'identity'],
      ['identity;q=0', 'identity'],
    ] as const) {
      const headers = accept === undefined ? {} : { 'accept-encoding': accept };
      assert.equal(codingFor(headers), coding, String(accept));
    }
  });

  it('is for texts that caches may give to everybody', () => {
    const text = { status: 200, mediaType: 'text/html; charset=utf-8', bytes: 5000 };
    const cacheControl = 'public, max-age=5';
    assert.ok(isCompressible({ ...text, cacheControl }));
    assert.ok(!isCompressible({ ...text, cacheControl, bytes: 1400 }));
    assert.ok(!isCompressible({ ...text, cacheControl, status: 422 }));
    assert.ok(!isCompressible({ ...text, cacheControl, mediaType: 'application/json' }));
    assert.ok(!isCompressible({ ...text, cacheControl, mediaType: 'image/png' }));
    for (const other of [undefined, 'no-store', 'private, no-cache', 'private, x=public']) {
      assert.ok(!isCompressible({ ...text, cacheControl: other }), String(other));
    }
    assert.equal(varyBy(undefined, 'Accept-Encoding'), 'Accept-Encoding');
    assert.equal(varyBy('Cookie', 'Accept-Encoding'), 'Cookie, Accept-Encoding');
  });

  it('covers public pages, assets and feeds', async () => {
    const html = { accept: 'text/html' };
    for (const path of [
      '/',
      '/petitions',
      `/p/${slug}`,
      `/p/${slug}/comments`,
      await assetOf('css'),
      await assetOf('js'),
      '/feeds/new.atom',
    ]) {
      const plain = await ask(path, html);
      assert.equal(plain.status, 200, path);
      assert.equal(plain.headers['content-encoding'], undefined, path);
      assert.match(plain.headers.vary!, /\bAccept-Encoding\b/, path);
      for (const [coding, decompress] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        // The second read of a page comes from the cache of hot reads.
        for (let n = 0; n < 2; n += 1) {
          const answer = await ask(path, { ...html, 'accept-encoding': coding });
          assert.equal(answer.headers['content-encoding'], coding, path);
          assert.equal(answer.headers.vary, plain.headers.vary, path);
          assert.equal(Number(answer.headers['content-length']), answer.bytes.length, path);
          assert.ok(answer.bytes.length < plain.bytes.length / 2, path);
          assert.equal(decompress(answer.bytes).length, plain.bytes.length, path);
        }
      }
    }
  });

  it('covers what the API reads', async () => {
    const authorization = `Bearer ${creator.accessToken}`;
    const long = await createPublished(creator, { description: 'Grüße vom Fluss. '.repeat(200) });
    const mine = `/v1/petitions?creatorId=${creator.id}`;
    for (const [path, headers] of [
      [`/v1/petitions/${long.slug}`, {}],
      ['/v1/petitions', {}],
      [`/v1/petitions?limit=5&unknown=%C3%A4`, {}],
      [mine, { authorization }],
      ['/v1/events?limit=10', { authorization }],
      ['/openapi.json', {}],
    ] as [string, Record<string, string>][]) {
      const plain = await ask(path, headers);
      assert.equal(plain.status, 200, path);
      assert.equal(plain.headers['content-encoding'], undefined, path);
      assert.match(plain.headers.vary!, /\bAccept-Encoding$/, path);
      for (const [coding, decompress] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const encoding = { ...headers, 'accept-encoding': coding };
        // The first compresses a rendered answer, the others send it again.
        for (let n = 0; n < 3; n += 1) {
          const answer = await ask(path, encoding);
          assert.equal(answer.headers['content-encoding'], coding, path);
          assert.equal(answer.headers.vary, plain.headers.vary, path);
          assert.equal(Number(answer.headers['content-length']), answer.bytes.length, path);
          assert.ok(answer.bytes.length < plain.bytes.length / 2, path);
          const [read, asked] = [decompress(answer.bytes), plain.bytes].map((bytes) =>
            JSON.parse(bytes.toString()),
          );
          if (asked.meta) assert.equal(read.meta.request_id, answer.headers['x-request-id']);
          assert.deepEqual({ ...read, meta: undefined }, { ...asked, meta: undefined }, path);
          assert.deepEqual(read.meta?.warnings, asked.meta?.warnings);
          const { etag } = answer.headers;
          if (!etag) continue;
          const same = await ask(path, { ...encoding, 'if-none-match': etag });
          assert.equal(same.status, 304, path);
        }
      }
    }
  });

  it('knows the secrets in answers', async () => {
    const { body } = await service.api.get('/openapi.json');
    const names = /^(access_code|key|secret|client_secret|(\w+_)?token|upload_url)$/;
    const known: string[] = [];
    const visit = (schema: unknown, path: string, seen: string[]): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { $ref: reference, properties, ...parts } = schema as Record<string, never>;
      if (typeof reference === 'string') {
        const name = String(reference).split('/').at(-1)!;
        if (!seen.includes(name)) visit(body.components.schemas[name], path, [...seen, name]);
      }
      for (const [name, member] of Object.entries(properties ?? {})) {
        if (names.test(name)) {
          assert.equal((member as Record<string, unknown>)['x-secret'], true, `${path} ${name}`);
          known.push(name);
        }
        visit(member, path, seen);
      }
      for (const part of Object.values(parts)) visit(part, path, seen);
    };
    for (const [path, { get }] of Object.entries<Record<string, never>>(body.paths)) {
      const { content } = ((get as never) ?? { responses: {} })['responses']['200'] ?? {};
      if (path.startsWith('/v1/')) visit(content?.['application/json'], path, []);
    }
    assert.ok(known.includes('access_code'));
  });

  it('leaves out pages and answers with secrets, streams, pictures and short texts', async () => {
    const { id, slug: hidden } = await createPublished(creator, { visibility: 'private' });
    const own = await creator.api.get(`/v1/petitions/${id}`);
    const code = own.body.data.access_code;
    const { cookies: cookie } = await logInBrowser(service, creator);
    const authorization = `Bearer ${creator.accessToken}`;
    const html = { accept: 'text/html', 'accept-encoding': 'br, gzip' };
    for (const [path, headers] of [
      [`/p/${slug}`, { ...html, cookie }],
      ['/petitions?q=river', { ...html, cookie }],
      ['/settings', { ...html, cookie }],
      [`/p/${hidden}?access_code=${code}`, html],
      ['/no-such-page', html],
      [`/p/${slug}/card.png`, html],
      [`/v1/petitions/${slug}/comments`, html],
      [`/v1/petitions/${hidden}`, { ...html, authorization }],
      [`/v1/petitions/export`, { ...html, authorization }],
    ] as const) {
      const { headers: answered } = await ask(path, headers);
      assert.equal(answered['content-encoding'], undefined, path);
    }
  });

  it('keeps HEAD, entity tags and ranges right', async () => {
    const encoding = { 'accept-encoding': 'br' };
    for (const path of [`/p/${slug}`, '/feeds/new.atom', await assetOf('css')]) {
      const full = await ask(path, encoding);
      const head = await ask(path, encoding, 'HEAD');
      assert.equal(head.bytes.length, 0);
      for (const name of ['content-encoding', 'content-length', 'vary', 'etag']) {
        assert.equal(head.headers[name], full.headers[name], `${path} ${name}`);
      }
      const same = await ask(path, { ...encoding, 'if-none-match': full.headers.etag! });
      assert.equal(same.status, 304, path);
      assert.equal(same.bytes.length, 0);
      assert.match(same.headers.vary!, /Accept-Encoding/, path);
      // A strong tag names one coding only.
      const plain = await ask(path);
      const { etag } = plain.headers;
      assert.ok(etag!.startsWith('W/') || etag !== full.headers.etag, path);
      // Ranges are not offered: a part of another coding must not complete a file.
      const part = await ask(path, { ...encoding, range: 'bytes=0-99' });
      assert.equal(part.status, 200);
      assert.equal(part.bytes.length, full.bytes.length);
    }
  });
});
