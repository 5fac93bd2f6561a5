import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runCli } from '../../test/support/command.ts';
import { startMailServer } from '../../test/support/mail-server.ts';
import { freePort } from '../../test/support/process.ts';
import { hasRedis, startRedis } from '../../test/support/redis.ts';
import { startService } from '../../test/support/service.ts';

/** Runs the command with these settings alone. */
const check = async (env: Record<string, string>) => {
  const { code, stdout, stderr } = await runCli('check-setup', [], env);
  return { code, output: stdout + stderr };
};

describe('npm run check-setup', () => {
  it('says what is right, and writes nothing', async () => {
    await using service = await startService({ port: await freePort() });
    await using smtp = await startMailServer();
    const dataDir = await mkdtemp(join(tmpdir(), 'check-setup-'));
    const { code, output } = await check({
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: dataDir,
      BASE_URL: service.origin,
      SMTP_URL: smtp.url,
    });
    assert.equal(code, 0, output);
    for (const line of [
      /^ok {5}settings +are valid$/m,
      /^ok {5}DATA_DIR +.* GiB free$/m,
      /^ok {5}database +PostgreSQL \d+/m,
      /^ok {5}encoding +UTF8$/m,
      /^ok {5}clock +\d\.\d s from/m,
      /^ok {5}rights /m,
      /^ok {5}migrations +all \d+$/m,
      /^note {3}Redis +REDIS_URL is not set/m,
      /^ok {5}mail +127\.0\.0\.1:\d+ answers/m,
      /^ok {5}BASE_URL +.* answers, with version \d/m,
      /^Nothing is wrong\.$/m,
    ]) {
      assert.match(output, line);
    }
    assert.deepEqual(await readdir(dataDir), []);
    await rm(dataDir, { recursive: true });
  });

  it('names everything that is wrong at once, and what production lacks', async () => {
    const port = await freePort();
    const { code, output } = await check({
      NODE_ENV: 'production',
      BASE_URL: `http://localhost:${port}`,
      DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/none`,
      SECRET: 'a secret of more than 32 bytes, for tests only',
      PAYMENT_SECRET: 'another secret',
      DATA_DIR: '/etc/passwd/data',
      REDIS_URL: `redis://127.0.0.1:${port}`,
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      RATE_LIMITS: 'off',
    });
    assert.equal(code, 1, output);
    for (const line of [
      /^note {3}settings +RATE_LIMITS=off: anybody can sign/m,
      /^note {3}settings +METRICS_TOKEN is not set/m,
      /^WRONG {2}DATA_DIR +.*there is a file in its place/m,
      /^WRONG {2}database +.*ECONNREFUSED/m,
      /^WRONG {2}Redis +.*ECONNREFUSED/m,
      /^WRONG {2}mail +SMTP_URL: .*ECONNREFUSED/m,
      /^WRONG {2}BASE_URL +.*does not answer: .*ECONNREFUSED/m,
      /^5 wrong: /m,
    ]) {
      assert.match(output, line);
    }
    assert.doesNotMatch(output, /for tests only/);
  });

  it(
    'warns of a Redis that drops counts',
    { skip: !hasRedis && 'redis-server is not installed' },
    async () => {
      for (const [policy, expected] of [
        ['allkeys-lru', /^note {3}Redis +maxmemory-policy is allkeys-lru: set noeviction/m],
        ['noeviction', /^ok {5}Redis +answers$/m],
      ] as const) {
        await using redis = await startRedis(['--maxmemory-policy', policy]);
        const { output } = await check({ REDIS_URL: redis.url });
        assert.match(output, expected);
      }
    },
  );

  it('says how visitors are seen through the proxy', async () => {
    const port = await freePort();
    const checked = async (env: Record<string, string>, at = port) => {
      await using service = await startService({ port, env: { RATE_LIMITS: 'on', ...env } });
      const { output } = await check({
        DATABASE_URL: service.databaseUrl,
        DATA_DIR: service.ctx.config.dataDir,
        BASE_URL: `http://127.0.0.1:${at}`,
        SECRET: service.ctx.config.secret,
        ...env,
      });
      return /^(.*?) +proxy +(.*)$/m.exec(output)?.slice(1).join(': ');
    };
    assert.equal(await checked({}), 'ok: this machine is seen as 127.0.0.1, and cannot forge that');
    const trusting = await checked({ TRUST_PROXY: '127.0.0.1' });
    assert.match(trusting!, /^WRONG: Visitors can forge their address: TRUST_PROXY/);
    const { server, port: proxyPort } = await startProxy(port);
    try {
      const unknown = await checked({}, proxyPort);
      assert.match(unknown!, /^WRONG: A proxy sends X-Forwarded-For, and TRUST_PROXY is not set/);
      const other = await checked({ TRUST_PROXY: '10.1.2.3' }, proxyPort);
      assert.match(other!, /^WRONG: TRUST_PROXY does not name the proxy, which connects from 127/);
      const known = await checked({ TRUST_PROXY: '127.0.0.1' }, proxyPort);
      assert.equal(known, 'ok: this machine is seen as 198.51.100.7, and cannot forge that');
    } finally {
      server.close();
    }
  });

  it('tells strangers nothing', async () => {
    await using service = await startService();
    const headers = { 'x-setup-check': `${Date.now()}.${'0'.repeat(64)}` };
    const answer = await fetch(`${service.origin}/health`, { headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('x-setup-check-address'), null);
  });

  it('names a setting that cannot be read', async () => {
    const { code, output } = await check({ PORT: 'many' });
    assert.equal(code, 1);
    assert.match(output, /^WRONG {2}settings +PORT is 'many'/m);
  });
});

/** Starts a proxy that replaces X-Forwarded-For, as if its visitor had the address 198.51.100.7. */
async function startProxy(target: number) {
  const server = createServer((request, response) => {
    const headers = { ...request.headers, 'x-forwarded-for': '198.51.100.7' };
    const { url: path, method } = request;
    const forwarded = send({ host: '127.0.0.1', port: target, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}
