import assert from 'node:assert/strict';
import { createServer as createTlsServer } from 'node:https';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { startReceiver } from '../../test/support/receiver.ts';
import { isPublic, HttpClient, resolveWith, Unreachable } from './safe-fetch.ts';
import { startNameServer } from '../../test/support/dns.ts';

const request = (body = '{}') => ({ headers: {}, body, signal: new AbortController().signal });

describe('requests to external addresses', () => {
  it('reuse connections', async () => {
    await using receiver = await startReceiver((_, response) => response.end('thank you'));
    const httpClient = new HttpClient({ publicOnly: false });
    for (let n = 0; n < 10; n++) await httpClient.post(receiver.origin, request());
    const connections = new Set(receiver.received.map(({ connection }) => connection));
    assert.ok(connections.size <= 2, `${connections.size} connections`);
    await httpClient.close();
  });

  it('reject self-signed certificates', async () => {
    let requests = 0;
    const server = createTlsServer({ key, cert }, (_, response) => {
      requests += 1;
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const httpClient = new HttpClient({ publicOnly: false });
    await assert.rejects(httpClient.post(`https://127.0.0.1:${port}/`, request()), (error) => {
      assert.ok(error instanceof Unreachable);
      assert.match(error.message, /TLS certificate was not accepted: DEPTH_ZERO_SELF_SIGNED_CERT/);
      return true;
    });
    assert.equal(requests, 0);
    await httpClient.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('look a name up once for a connection', async () => {
    let lookups = 0;
    await using names = await startNameServer(() => {
      lookups += 1;
      return ['127.0.0.1'];
    });
    await using receiver = await startReceiver();
    const httpClient = new HttpClient({ publicOnly: false, resolve: resolveWith(names.resolver) });
    const { port } = new URL(receiver.origin);
    await httpClient.post(`http://once.test:${port}/`, request());
    // One for each address family.
    assert.equal(lookups, 2);
    await httpClient.close();
  });

  it('read responses of limited size that arrive in time', async () => {
    await using receiver = await startReceiver((asked, response) => {
      if (asked.url === '/small') response.end('{"answer":"é"}');
      if (asked.url === '/large') response.end('x'.repeat(20_000));
      if (asked.url === '/endless') response.write('and so on');
      if (asked.url === '/cut') response.write('and so', () => response.destroy());
    });
    const httpClient = new HttpClient({ publicOnly: false });
    const ask = (path: string, timeoutMs?: number) =>
      httpClient.postAndRead(receiver.origin + path, {
        ...request(),
        ...(timeoutMs && { timeoutMs }),
      });
    assert.deepEqual(await ask('/small'), { status: 200, body: '{"answer":"é"}' });
    for (const [path, reason] of [
      ['/large', /too large/],
      ['/endless', /No answer came within 0\.2 s/],
      ['/never', /No answer came within 0\.2 s/],
      ['/cut', /closed before an answer came/],
    ] as const) {
      await assert.rejects(ask(path, path === '/large' ? undefined : 200), (error) => {
        assert.ok(error instanceof Unreachable);
        assert.match(error.message, reason, path);
        return true;
      });
    }
    await httpClient.close();
  });

  describe('for a file', () => {
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]);
    const get = async (answer: RequestListener, path = '/') => {
      await using receiver = await startReceiver(answer);
      await using names = await startNameServer((name) =>
        name === 'inside.test' ? ['127.0.0.1', '127.0.0.2'] : ['127.0.0.1'],
      );
      const httpClient = new HttpClient({
        publicOnly: false,
        isAllowed: (address) => address === '127.0.0.1',
        resolve: resolveWith(names.resolver),
        timeoutMs: 500,
      });
      try {
        const options = { headers: {}, maxBytes: 1000 };
        const answered = await httpClient.get(receiver.origin + path, options);
        return { ...answered, asked: receiver.received.map((one) => one.path) };
      } finally {
        await httpClient.close();
      }
    };
    const redirectTo =
      (target: (port: string) => string): RequestListener =>
      ({ headers, url }, response) => {
        const [, port] = headers.host!.split(':');
        if (url === '/') response.writeHead(302, { location: target(port!) }).end('moved');
        else response.end(png);
      };
    const isRefusal = (message: RegExp, isPermanent: boolean) => (error: unknown) => {
      assert.ok(error instanceof Unreachable);
      assert.match(error.message, message);
      assert.equal(error.isPermanent, isPermanent, error.message);
      return true;
    };

    it('return its bytes, and the status where there is none', async () => {
      const found = await get((_, response) => response.end(png));
      assert.deepEqual(found, { status: 200, bytes: png, asked: ['/'] });
      const lost = await get((_, response) => response.writeHead(404).end('not here'));
      assert.deepEqual(lost, { status: 404, bytes: Buffer.alloc(0), asked: ['/'] });
    });

    it('follow three redirects, relative ones and those to other names too', async () => {
      const relative = await get(redirectTo(() => 'a/b.png'));
      assert.deepEqual(relative.asked, ['/', '/a/b.png']);
      const named = await get(redirectTo((port) => `http://other.test:${port}/b.png`));
      assert.deepEqual(named.bytes, png);
      const steps: RequestListener = ({ url }, response) =>
        url === '/3'
          ? response.end(png)
          : response.writeHead(301, { location: nextOf(url!) }).end();
      const nextOf = (url: string) => `/${Number(url.slice(1)) + 1}`;
      assert.deepEqual((await get(steps, '/0')).asked, ['/0', '/1', '/2', '/3']);
      await assert.rejects(get(steps, '/-1'), isRefusal(/redirects too often/, true));
    });

    it('check the address of each redirect like the first one', async () => {
      for (const [target, message] of [
        [(port: string) => `http://127.0.0.2:${port}/b.png`, /not public/],
        [(port: string) => `http://[::1]:${port}/b.png`, /not public/],
        [(port: string) => `http://2130706434:${port}/b.png`, /not public/],
        [(port: string) => `http://inside.test:${port}/b.png`, /not public/],
        [() => 'file:///etc/passwd', /must be http or https/],
        [() => 'http://[', /redirects to an address that is none/],
      ] as const) {
        await assert.rejects(get(redirectTo(target)), isRefusal(message, true), target('80'));
      }
    });

    it('stop at the size limit and at the deadline of all requests together', async () => {
      let sent = 0;
      const endless: RequestListener = (_, response) => {
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
        };
        response.on('drain', more);
        more();
      };
      await assert.rejects(get(endless), isRefusal(/too large/, true));
      assert.ok(sent < 20_000_000, `${sent} bytes`);
      const silent: RequestListener = ({ url }, response) =>
        url === '/' ? response.writeHead(302, { location: '/2' }).end() : response.write('a');
      await assert.rejects(get(silent), isRefusal(/No answer came within 0\.5 s/, false));
    });
  });

  it('distinguish public addresses from others', () => {
    for (const address of ['8.8.8.8', '93.184.215.14', '2606:4700::1111', '2a00:1450::1']) {
      assert.ok(isPublic(address), address);
    }
    for (const address of ['127.0.0.1', '100.64.0.1', '::7f00:1', '::ffff:8.8.8.8', 'fec0::1']) {
      assert.ok(!isPublic(address), address);
    }
  });
});

// Self-signed, for 127.0.0.1, valid until 2126.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCS0pi0K0/lNXfRah
hAvnknkkwkalGk4o6xx3GiS+sLKhRANCAATn2bGg9mznVYnLQ37lmOrojrdZ1oub
ooeRmRd+fHgkAA9AQlE+hnoczcEiV/qkKxZhFzFooOMhLS6vB/gTZNCR
-----END PRIVATE KEY-----
`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUXv+qBlYd9RsIfX5ICchzvvZOmYYwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMTE3MzgyM1oYDzIxMjYxMDI4
MTczODIzWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATn2bGg9mznVYnLQ37lmOrojrdZ1oubooeRmRd+fHgkAA9AQlE+hnoc
zcEiV/qkKxZhFzFooOMhLS6vB/gTZNCRo2QwYjAdBgNVHQ4EFgQUf4rKYuOG/Tpt
3Cab1tVkS+JA3SswHwYDVR0jBBgwFoAUf4rKYuOG/Tpt3Cab1tVkS+JA3SswDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IHJb0atwZY/rxKIbuPOB1MlZNSH05hpC5V/06eQyWSnpAiEA1awpO9lGkd8Ttm96
xVx7vgh23tpdpthy8KaelyAUt/o=
-----END CERTIFICATE-----
`;
