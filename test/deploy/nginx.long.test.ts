import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { fetch, FormData, type Agent, type RequestInit } from 'undici';
import { WebSocket } from 'ws';
import { cookies } from '../../src/platform/cookies.ts';
import { languages } from '../../src/platform/pages/language.ts';
import { eventually } from '../support/eventually.ts';
import { findNginx, startNginx, type Nginx } from '../support/nginx.ts';
import { createPublished, createUsers, type TestUser } from '../support/people.ts';
import { noiseImage } from '../support/pictures.ts';
import { freePort, sharedSettings, startProcess, type ServiceProcess } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';

const missing = findNginx();
const megabyte = 1_048_576;

describe('deploy/nginx.conf', { skip: missing ?? false }, () => {
  let service: Service;
  let nginx: Nginx;
  let web: ServiceProcess;
  let webPort: number;
  let agent: Agent;
  let creator: TestUser;
  let petition: { id: string; slug: string };
  const stack = new AsyncDisposableStack();

  const settings = (port: number) => ({
    ...sharedSettings(service),
    BASE_URL: `https://127.0.0.1:${port}`,
    TRUST_PROXY: '127.0.0.1',
    RATE_LIMITS: 'on',
  });
  const get = (path: string, headers: Record<string, string> = {}, options: RequestInit = {}) =>
    fetch(nginx.origin + path, { dispatcher: agent, headers, redirect: 'manual', ...options });

  before(async () => {
    service = stack.use(await startService());
    [creator] = (await createUsers(service, 1)) as [TestUser];
    petition = await createPublished(creator);
    const port = await freePort();
    webPort = await freePort();
    web = await startProcess(settings(port), webPort);
    stack.defer(() => web[Symbol.asyncDispose]());
    nginx = stack.use(await startNginx({ upstreams: [webPort], port }));
    agent = nginx.clientFrom('127.0.0.2');
  });
  after(() => stack.disposeAsync());

  it('has nothing that nginx complains about', () => {
    // nginx 1.25.1 and newer prefer another directive, which older ones do not know.
    const complaints = nginx.complaints.filter((line) => !line.includes('"listen ... http2"'));
    assert.deepEqual(complaints, []);
  });

  it('serves pages by https, and leads there', async () => {
    const page = await get('/');
    assert.equal(page.status, 200);
    assert.match(page.headers.get('strict-transport-security')!, /max-age/);
    assert.match(await page.text(), /<html lang="en"/);
    const answer = await fetch(`${nginx.plainOrigin}/petitions?q=a`, { redirect: 'manual' });
    assert.equal(answer.status, 308);
    assert.equal(answer.headers.get('location'), 'https://127.0.0.1/petitions?q=a');
  });

  it('speaks HTTP/2', async () => {
    const session = connect(nginx.origin, { ca: nginx.certificate });
    const stream = session.request({ ':path': '/' });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    session.destroy();
    assert.equal(headers[':status'], 200);
  });

  it('names the address of the client, whatever the client says', async () => {
    const remaining = async (from: Agent, headers: Record<string, string> = {}) => {
      const answer = await get('/v1/categories', headers, { dispatcher: from });
      return Number(answer.headers.get('x-ratelimit-remaining'));
    };
    /** At once and many, since the limit of 100 recovers by 50 a second. */
    const lowestOfMany = async (
      from: Agent,
      headersOf: (index: number) => Record<string, string>,
    ) =>
      Math.min(
        ...(await Promise.all([...Array(80).keys()].map((n) => remaining(from, headersOf(n))))),
      );
    const [one, two, three] = [3, 4, 5].map((last) => nginx.clientFrom(`127.0.0.${last}`));
    assert.ok((await lowestOfMany(one!, () => ({}))) < (await remaining(three!)) - 4);
    const forged = (n: number) => ({ 'x-forwarded-for': `192.0.2.${n}` });
    assert.ok((await lowestOfMany(two!, forged)) < (await remaining(three!)) - 4);
  });

  it('does not compress pages that are not to be stored', async () => {
    const page = await get('/login', { 'accept-encoding': 'gzip' });
    assert.match(page.headers.get('cache-control')!, /no-store/);
    assert.equal(page.headers.get('content-encoding'), null);
    const home = await get('/', { 'accept-encoding': 'gzip' });
    assert.equal(home.headers.get('content-encoding'), 'gzip');
  });

  it('passes WebSockets on', async () => {
    const socket = new WebSocket(`${nginx.origin.replace('https', 'wss')}/v1/realtime`, {
      ca: nginx.certificate,
    });
    const messages: string[] = [];
    socket.on('message', (data) => messages.push((data as Buffer).toString()));
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'subscribe', petition_id: petition.id }));
    await eventually(() => messages.some((text) => text.includes('subscribed')));
    socket.terminate();
    assert.equal((await get('/v1/realtime')).status, 426);
  });

  it('delivers server-sent events at once', async () => {
    const answer = await get(`/v1/petitions/${petition.id}/events`);
    assert.equal(answer.headers.get('content-type'), 'text/event-stream');
    let text = '';
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    const readUntil = async (wanted: RegExp) => {
      while (!wanted.test(text)) {
        const { value, done } = await reader.read();
        assert.ok(!done, text);
        text += value;
      }
    };
    await readUntil(/^retry:/);
    const [signer] = (await createUsers(service, 1)) as [TestUser];
    const signed = await signer.api.post(`/v1/petitions/${petition.id}/signatures`);
    assert.equal(signed.status, 201);
    await readUntil(/"signature_count":1\b/);
    await reader.cancel();
  });

  it('takes a picture of 5 MB, and refuses what is larger than 6 MB', async () => {
    const upload = (bytes: Uint8Array<ArrayBuffer>) => {
      const body = new FormData();
      body.set('file', new Blob([bytes], { type: 'image/png' }), 'noise.png');
      body.set('entity_type', 'user_avatar');
      const headers = { authorization: `Bearer ${creator.token}` };
      return get('/v1/media/upload', headers, { method: 'POST', body });
    };
    const picture = new Uint8Array(await noiseImage(1320, 1320).png().toBuffer());
    assert.ok(picture.length > 4.5 * megabyte && picture.length < 5 * megabyte);
    assert.equal((await upload(picture)).status, 201);
    const refused = await upload(new Uint8Array(7 * megabyte));
    assert.equal(refused.status, 413);
    await assertProblem(refused, 'payload-too-large');

    const form = await get('/settings', {}, { method: 'POST', body: 'x'.repeat(7 * megabyte) });
    assert.equal(form.status, 413);
    assert.match(await form.text(), /<h1>The file is too large<\/h1>/);
  });

  it('hides /metrics', async () => {
    assert.equal((await globalThis.fetch(`${web.origin}/metrics`)).status, 200);
    for (const path of ['/metrics', '/metrics/', '//metrics', '/%6detrics', '/x/../metrics']) {
      const answer = await get(path);
      assert.equal(answer.status, 404, path);
      assert.doesNotMatch(await answer.text(), /^# HELP/m);
    }
  });

  it('passes failures of the service on as they are', async () => {
    const answer = await get('/v1/petitions/no-such-petition');
    assert.equal(answer.status, 404);
    assert.match(((await answer.json()) as { instance: string }).instance, /no-such-petition/);
  });

  it('logs neither queries nor tokens of links', async () => {
    const paths = service.app.routes
      .filter(({ path }) => path.includes('{token}'))
      .map(({ path }) => path.replace('{token}', 'hidden'));
    assert.ok(paths.length > 4);
    for (const path of [...paths, '/petitions?access_code=hidden', '/last']) {
      await get(path, { referer: 'https://other.example/hidden' });
    }
    await eventually(async () => (await nginx.accessLog()).includes('"path":"/last"'));
    assert.doesNotMatch(await nginx.accessLog(), /hidden|\?/);
  });

  it('says that the service is away, and serves again once it is back', async () => {
    await web.end('SIGKILL');
    const page = await get('/', { accept: 'text/html' });
    assert.equal(page.status, 503);
    assert.match(page.headers.get('content-type')!, /^text\/html/);
    assert.equal(page.headers.get('retry-after'), '10');
    assert.equal(page.headers.get('cache-control'), 'no-store');
    const text = await page.text();
    assert.match(text, /<h1>Not available at the moment<\/h1>/);
    for (const language of languages) assert.match(text, new RegExp(`lang="${language}"`));
    const read = await get('/v1/petitions');
    assert.equal(read.status, 503);
    assert.equal(read.headers.get('access-control-allow-origin'), '*');
    await assertProblem(read, 'unavailable');
    assert.equal((await get(`/v1/petitions/${petition.id}/events`)).status, 503);
    web = await startProcess(settings(Number(new URL(nginx.origin).port)), webPort);
    await eventually(async () => (await get('/')).status === 200, 10_000);
  });

  it('repeats reads at another process, and never a POST', async () => {
    let requests: string[] = [];
    await using servers = new AsyncDisposableStack();
    const upstreams = await Promise.all(
      [1, 2].map(async () => {
        // Takes requests, and is gone before it answers.
        const server = servers.use(
          createServer(({ method, socket }) => {
            requests.push(method!);
            socket.destroy();
          }),
        );
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        return (server.address() as AddressInfo).port;
      }),
    );
    await using proxy = await startNginx({ upstreams });
    const dispatcher = proxy.clientFrom('127.0.0.1');
    const send = (method: string) => fetch(`${proxy.origin}/v1/x`, { dispatcher, method });
    assert.equal((await send('POST')).status, 503);
    assert.deepEqual(requests, ['POST']);
    await eventually(async () => {
      requests = [];
      await send('GET');
      return requests.length === 2;
    });
    assert.deepEqual(requests, ['GET', 'GET']);
  });

  describe('with the cache', () => {
    let proxy: Nginx;
    const read = async (path: string, headers: Record<string, string> = {}) => {
      const dispatcher = proxy.clientFrom('127.0.0.2');
      const answer = await fetch(proxy.origin + path, { dispatcher, headers });
      assert.equal(answer.status, 200);
      return { id: answer.headers.get('x-request-id'), text: await answer.text() };
    };
    before(async () => {
      proxy = stack.use(await startNginx({ upstreams: [webPort], cache: true }));
    });

    it('answers visitors without cookies of the service from the cache', async () => {
      const path = `/p/${petition.slug}`;
      const { id } = await read(path);
      assert.equal((await read(path)).id, id);
      assert.equal((await read(path, { cookie: '_ga=GA1.1; consent=yes' })).id, id);
      assert.notEqual((await read(path, { authorization: 'Bearer x' })).id, id);
      assert.notEqual((await read(`${path}?ref=abc`)).id, id);
    });

    it('asks the service for everybody with a cookie of it', async () => {
      const { id } = await read('/petitions');
      assert.equal((await read('/petitions')).id, id);
      const personal = Object.entries(cookies).filter(([name]) => name !== 'language');
      for (const [, { name }] of personal) {
        for (const cookie of [`${name}=x`, `a=b; __Host-${name}=x`]) {
          assert.notEqual((await read('/petitions', { cookie })).id, id, cookie);
        }
      }
    });

    it('keeps each language apart', async () => {
      for (const language of languages) {
        const wanted = new RegExp(`<html lang="${language}"`);
        const path = '/petitions?sort=recent';
        assert.match(
          (await read(path, { 'accept-language': `${language}-XX,tr;q=0.5` })).text,
          wanted,
        );
        assert.match((await read(path, { cookie: `language=${language}` })).text, wanted);
      }
    });

    it('stores nothing that the service does not allow', async () => {
      const { id } = await read('/login');
      assert.notEqual((await read('/login')).id, id);
    });
  });
});

async function assertProblem(
  answer: {
    headers: { get(name: string): string | null };
    json(): Promise<unknown>;
    status: number;
  },
  kind: string,
): Promise<void> {
  assert.equal(answer.headers.get('content-type'), 'application/problem+json');
  const problem = (await answer.json()) as Record<string, unknown>;
  assert.equal(problem.status, answer.status);
  assert.match(String(problem.type), new RegExp(`^https://127\\.0\\.0\\.1/errors/${kind}$`));
  assert.equal(problem.code, kind.replaceAll('-', '_'));
  assert.match(String(problem.request_id), /^[0-9a-f]{32}$/);
}
