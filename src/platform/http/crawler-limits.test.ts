import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { startNameServer } from '../../../test/support/dns.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createPublished, signUp } from '../../../test/support/people.ts';
import { freePort } from '../../../test/support/process.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { SearchEngines } from '../search-engines.ts';

const env = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' };
const bot = 'SomeBot/1.0 (+https://bots.example/)';
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

interface Read {
  service: Service;
  path?: string;
  /** Address of the nth request. */
  from: (n: number) => string;
  userAgent?: string;
  headers?: Record<string, string>;
}

/** Reads a page once. */
const readOnce = ({ service, path = '/petitions', from, userAgent = person, headers }: Read) =>
  service.api.get(path, {
    headers: {
      accept: 'text/html',
      'user-agent': userAgent,
      'x-forwarded-for': from(0),
      ...headers,
    },
  });

/** Reads a page many times. Returns how many reads were refused. */
async function countRefused(times: number, read: Read): Promise<number> {
  let refused = 0;
  for (let n = 0; n < times; n += 1) {
    const { status } = await readOnce({ ...read, from: () => read.from(n) });
    assert.ok(status === 200 || status === 429, `${status}`);
    if (status === 429) refused += 1;
  }
  return refused;
}

/** The nth address of a network. */
const inNetwork = (network: string) => (n: number) => `${network}${(n % 250) + 1}`;

/** Stands still, so that budgets do not grow while tests read. */
class Clock {
  #time = Date.now();
  now = () => new Date(this.#time);
  advance(seconds: number): void {
    this.#time += seconds * 1000;
  }
}

describe('crawlers that ignore robots.txt', () => {
  const clock = new Clock();
  let service: Service;
  let path: string;
  before(async () => {
    service = await startService({ env, parts: { now: clock.now } });
    path = `/p/${(await createPublished(await signUp(service))).slug}`;
  });
  after(() => service[Symbol.asyncDispose]());

  it('read 100 searches and lists at once, from all addresses of a network together', async () => {
    const from = inNetwork('192.0.2.');
    const list = { service, path: '/organizations?verified=true', from };
    assert.equal(await countRefused(110, list), 10);
    for (const other of [
      '/petitions?q=a',
      '/petitions?sort=recent',
      '/petitions?category=x&tag=y',
    ]) {
      assert.equal(await countRefused(5, { service, path: other, from }), 5, other);
    }
    // What everybody reads on the day a petition goes viral.
    for (const open of [path, `${path}?ref=abc`, '/', '/petitions', '/login?next=%2Fstart']) {
      assert.equal(await countRefused(10, { service, path: open, from }), 0, open);
    }
    assert.equal(await countRefused(10, { ...list, from: inNetwork('198.51.100.') }), 0);
    assert.equal(await countRefused(10, { ...list, headers: { cookie: 'language=en' } }), 0);
    clock.advance(3);
    assert.equal(await countRefused(20, list), 5);
  });

  it('count as the /48 of IPv6', async () => {
    const list = { service, path: '/organizations?verified=true' };
    const from = (n: number) => `2001:db8:1:${n.toString(16)}::1`;
    assert.equal(await countRefused(110, { ...list, from }), 10);
    assert.equal(await countRefused(10, { ...list, from: () => '2001:db8:2::1' }), 0);
  });

  it('are shown why they have to wait, and how long', async () => {
    const list = { service, path: '/organizations?verified=true', from: inNetwork('203.0.113.') };
    assert.equal(await countRefused(101, list), 1);
    const { status, headers, body } = await readOnce(list);
    assert.deepEqual([status, headers.get('retry-after')], [429, '1']);
    assert.match(headers.get('cache-control')!, /no-store/);
    assert.match(body, /being read from your network.*Petitions can be read and signed meanwhile/);
    const german = await readOnce({ ...list, headers: { 'accept-language': 'de' } });
    assert.match(german.body, /<html lang="de"/);
    assert.match(german.body, /Aus Ihrem Netz/);
  });

  it('that declare themselves share a budget of their network for all pages', async () => {
    const from = inNetwork('198.18.1.');
    const read = { service, path: `${path}?ref=a`, from, userAgent: bot };
    assert.equal(await countRefused(110, read), 10);
    assert.equal(await countRefused(5, { ...read, path: `${path}?ref=b` }), 5);
    assert.equal(await countRefused(10, { ...read, userAgent: person }), 0);
    // Without it, a crawler may take it that it may read everything.
    assert.equal(await countRefused(10, { ...read, path: '/robots.txt' }), 0);
    assert.equal(await countRefused(10, { ...read, path: '/sitemap.xml' }), 0);
  });

  it('are limited while Redis is away', async () => {
    const redis = { REDIS_URL: `redis://127.0.0.1:${await freePort()}`, LOG_LEVEL: 'fatal' };
    await using other = await startService({
      env: { ...env, ...redis },
      parts: { now: clock.now },
    });
    const from = inNetwork('192.0.2.');
    const list = { service: other, path: '/organizations?verified=true', from };
    assert.equal(await countRefused(110, list), 10);
  });

  it('are not limited with RATE_LIMITS=off', async () => {
    await using other = await startService({ env: { ...env, RATE_LIMITS: 'off' } });
    const list = { service: other, path: '/organizations?verified=true', userAgent: bot };
    assert.equal(await countRefused(110, { ...list, from: () => '192.0.2.1' }), 0);
  });
});

describe('crawlers of search engines', () => {
  const reverse = {
    '1.10.0.192.in-addr.arpa': ['crawl-1.googlebot.com'],
    '1.20.0.192.in-addr.arpa': ['crawl-2.googlebot.com'],
    '1.30.0.192.in-addr.arpa': ['crawl.googlebot.com.example.org'],
    '1.40.0.192.in-addr.arpa': ['1.search.msn.com'],
  };
  const zone: Record<string, string[]> = {
    'crawl-1.googlebot.com': ['192.0.10.1'],
    // The owner of an address may give it any name.
    'crawl-2.googlebot.com': ['192.0.10.1'],
    'crawl.googlebot.com.example.org': ['192.0.30.1'],
    '1.search.msn.com': ['192.0.40.1'],
  };

  it('are not limited as other crawlers, once their names are verified', async () => {
    await using names = await startNameServer((name) => zone[name] ?? [], { PTR: reverse });
    const searchEngines = new SearchEngines(names.resolver);
    const clock = new Clock();
    await using service = await startService({ env, parts: { searchEngines, now: clock.now } });
    const from = (ip: string) => ({
      service,
      path: '/errors',
      userAgent: googlebot,
      from: () => ip,
    });
    const forged = ['192.0.20.1', '192.0.30.1', '192.0.40.1', '192.0.50.1'];
    for (const ip of forged) await readOnce(from(ip));
    await readOnce(from('192.0.10.1'));
    await eventually(async () => searchEngines.isVerified(googlebot, '192.0.10.1'));
    // More than other bots may read, within the limit of an address.
    for (let round = 0; round < 2; round += 1) {
      assert.equal(await countRefused(90, from('192.0.10.1')), 0);
      clock.advance(2);
    }
    for (const ip of forged) {
      assert.equal(searchEngines.isVerified(googlebot, ip), false, ip);
      assert.equal(await countRefused(90, from(ip)), 0, ip);
      clock.advance(2);
      assert.equal(await countRefused(40, from(ip)), 10, ip);
    }
    const bing = 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)';
    assert.equal(searchEngines.isVerified(bing, '192.0.10.1'), false);
    assert.equal(searchEngines.isVerified(undefined, '192.0.10.1'), false);
    await eventually(async () => searchEngines.isVerified(bing, '192.0.40.1'));
  });

  it('are verified while a network with forged user agents occupies lookups', async () => {
    await using names = await startNameServer((name) => zone[name] ?? [], { PTR: reverse });
    const { resolver } = names;
    const ask = resolver.reverse.bind(resolver);
    Object.assign(resolver, {
      reverse: (ip: string) => (ip.startsWith('192.0.2.') ? new Promise(() => {}) : ask(ip)),
    });
    const searchEngines = new SearchEngines(resolver);
    for (let n = 1; n < 20; n += 1) searchEngines.isVerified(googlebot, `192.0.2.${n}`);
    await eventually(async () => searchEngines.isVerified(googlebot, '192.0.10.1'));
  });

  it('do not wait for name servers', async () => {
    const silent = createSocket('udp4').unref();
    await once(silent.bind(0, '127.0.0.1'), 'listening');
    const resolver = new Resolver({ timeout: 60_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${silent.address().port}`]);
    const searchEngines = new SearchEngines(resolver);
    await using service = await startService({ env, parts: { searchEngines } });
    const startedAt = performance.now();
    const read = { service, from: inNetwork('192.0.2.'), userAgent: googlebot };
    assert.equal(await countRefused(20, read), 0);
    const { status } = await readOnce(read);
    assert.deepEqual([status, performance.now() - startedAt < 20_000], [200, true]);
  });
});
