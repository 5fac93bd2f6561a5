import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { allPages } from './support/every-page.ts';
import { makePageWorld, type PageWorld } from './support/page-world.ts';
import { startService, type Service } from './support/service.ts';

/** Marks at the end of a link, as they arrive. */
const endings = [
  '/',
  '.',
  ',',
  ')',
  '>',
  '"',
  "'",
  '%2E',
  '%2c',
  '%29',
  '%3E',
  '%22',
  '%27',
  '%2F',
  '%C2%BB',
  '%e2%80%9d',
  '%E2%80%A6',
  '%20',
  '%E2%80%8B',
  '//',
  '/.',
  ').',
  '%22%3E',
  '%E2%80%9D).',
];

describe('addresses of pages with marks at their end', () => {
  let service: Service;
  let world: PageWorld;
  /** A path of each page, by the path of its route. */
  let pages: [string, string][];
  before(async () => {
    service = await startService({ worker: true });
    world = await makePageWorld(service);
    pages = Object.entries(allPages(world))
      // Addresses of OAuth are exact. The other is an unknown path.
      .filter(([route]) => route !== '/oauth/authorize' && route !== '/nowhere')
      .map(([route, [state]]) => [route, state!.path]);
  });
  after(() => service[Symbol.asyncDispose]());

  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  /** The status and Location of a request with exactly this target, which `fetch` would normalise. */
  const ask = (target: string, method = 'GET', accept = html.accept) =>
    new Promise<{ status: number; location: string | undefined }>((resolve, reject) => {
      const { port } = new URL(service.origin);
      const socket = connect(Number(port), '127.0.0.1');
      let answer = '';
      socket.setEncoding('utf8');
      socket.on('data', (text: string) => (answer += text));
      socket.on('error', reject);
      socket.on('close', () => {
        const [, status] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
        const [, location] = /^location: (.*)\r$/im.exec(answer.split('\r\n\r\n', 1)[0]!) ?? [];
        resolve({ status: Number(status), location });
      });
      const head = `${method} ${target} HTTP/1.1\r\nhost: petitions.test\r\naccept: ${accept}\r\n`;
      socket.write(`${head}connection: close\r\n\r\n`);
    });

  it('lead to every page by one redirect, with their query', async () => {
    const wrong: string[] = [];
    for (const [route, address] of pages) {
      const [path, query] = address.split('?', 2) as [string, string | undefined];
      const target = query === undefined ? path : `${path}?${query}`;
      for (const ending of endings) {
        const mangled = `${path}${ending}${query === undefined ? '' : `?${query}`}`;
        const { status, location } = await ask(mangled);
        // The home page is at `/`: no host follows.
        if (mangled === target) continue;
        if (status !== 308 || location !== target) wrong.push(`${route}: ${mangled}: ${location}`);
      }
      const { status } = await ask(target);
      if (status === 308) wrong.push(`${route}: a loop`);
    }
    assert.deepEqual(wrong, []);
  });

  it('lead to every page in lower case, tokens apart', async () => {
    const wrong: string[] = [];
    for (const [route, address] of pages) {
      const [path, query] = address.split('?', 2) as [string, string | undefined];
      const parts = route.split('/');
      const loud = path
        .split('/')
        .map((part, n) => (parts[n] === '{token}' ? part : part.toUpperCase()))
        .join('/');
      if (loud === path) continue;
      const rest = query === undefined ? '' : `?${query}`;
      const { status, location } = await ask(loud + rest);
      if (status !== 308 || location !== path + rest) wrong.push(`${route}: ${loud}: ${location}`);
    }
    assert.deepEqual(wrong, []);
  });

  it('lead to a petition from all of this at once', async () => {
    const path = `/p/${world.petition}`;
    assert.deepEqual(await ask(`/P/${world.petition.toUpperCase()}/).%22?utm_source=A.&ref=b/`), {
      status: 308,
      location: `${path}?utm_source=A.&ref=b/`,
    });
    assert.deepEqual(await ask(`${path}.`, 'HEAD'), { status: 308, location: path });
    assert.deepEqual(await ask(`${path}.`, 'POST'), { status: 405, location: undefined });
    const { status, body } = await service.api.get(`${path}/`, { headers: html });
    assert.deepEqual([status, body], [308, '']);
  });

  it('never lead to another host, nor to what is no page', async () => {
    const targets = [
      '//evil.example/',
      '//evil.example',
      '///evil.example/).',
      '/\\evil.example',
      '/\\evil.example/',
      '/%2f%2fevil',
      '/%2f%2fevil/',
      '/%5Cevil.example.',
      '//p/x/',
      '/p//evil.example/',
      'http://evil.example/petitions/',
      '/nowhere/',
      '/p/',
    ];
    for (const target of targets) {
      const { status, location } = await ask(target);
      assert.deepEqual([target, status < 400 ? status : 0, location], [target, 0, undefined]);
    }
    const { location } = await ask('/p/%2f%2Fevil.example/');
    assert.equal(location, '/p/%2f%2Fevil.example');
    assert.equal((await ask('//')).location, '/');
  });

  it('are exact for the API', async () => {
    const paths = [
      '/v1/petitions',
      `/v1/petitions/${world.petition}`,
      '/oauth/authorize',
      '/oauth/token',
      '/health',
      '/health/ready',
      '/metrics',
      '/openapi.json',
      '/openapi.yaml',
      '/sitemap.xml',
      '/feeds/new.atom',
      '/embed.js',
    ];
    for (const path of paths) {
      for (const mangled of [`${path}/`, `${path}.`, `${path}%22`, path.toUpperCase()]) {
        const { status, location } = await ask(mangled);
        assert.deepEqual([mangled, location], [mangled, undefined]);
        assert.ok(status >= 400, `${mangled}: ${status}`);
      }
    }
    const portal = await ask(`/respond/${world.portal}/`, 'GET', 'application/json');
    assert.deepEqual(portal, { status: 404, location: undefined });
  });
});
