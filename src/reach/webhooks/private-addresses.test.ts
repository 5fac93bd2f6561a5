import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { it } from 'node:test';
import { startNameServer } from '../../../test/support/dns.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { signUp } from '../../../test/support/people.ts';
import { startService } from '../../../test/support/service.ts';
import { HttpClient, resolveWith } from '../../platform/safe-fetch.ts';

const publicAddress = '93.184.215.14';

/** Names that the test's name server resolves. */
const zone = (name: string): string[] =>
  ({
    localhost: ['127.0.0.1', '::1'],
    'four.test': ['127.0.0.1'],
    'six.test': ['::1'],
    'mapped.test': ['::ffff:127.0.0.1'],
    'translated.test': ['64:ff9b::7f00:1'],
    'mixed.test': [publicAddress, '127.0.0.1'],
    'mixed-families.test': [publicAddress, '::1'],
  })[name] ?? [];

const words = (text: string) => text.trim().split(/\s+/);

/** Hosts that can be refused without a name server. */
const privateHosts = words(`
  127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1
  017700000001 ①②⑦.⓪.⓪.① %31%32%37.0.0.1 127.0.0.1. 127.255.255.254 0.0.0.0 0
  10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 192.0.2.1 198.18.0.1
  192.88.99.1 224.0.0.1 255.255.255.255 [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1]
  [::127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::1] [2002:7f00:1::] [2001:0:7f00:1::1] [fe80::1]
  [fd00::1] [fec0::1] [ff02::1] [4000::1] LOCALHOST localhost. me.localhost intranet db.internal printer.local.
`);
/** Hosts whose addresses only a name server knows. */
const privateNames = words(
  'four.test six.test mapped.test translated.test mixed.test mixed-families.test unknown.test',
);
const unresolvable = ['unknown.test', 'me.localhost', 'intranet', 'db.internal', 'printer.local.'];

/** Counts connections to this machine, by IPv4 and IPv6. */
async function startCanary() {
  let reached = 0;
  const server = createServer((socket) => {
    reached += 1;
    socket.destroy();
  }).listen(0, '::');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    reached: () => reached,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

it('refuses private addresses in production, and connects to none by any name', async () => {
  await using canary = await startCanary();
  await using names = await startNameServer(zone);
  let lookups = 0;
  const lookUp = resolveWith(names.resolver);
  const resolve = (name: string) => {
    lookups += 1;
    return lookUp(name);
  };
  const httpClient = new HttpClient({ publicOnly: true, resolve });
  await using service = await startService({
    worker: true,
    parts: { httpClient },
    env: {
      NODE_ENV: 'production',
      MAIL: 'files',
      BASE_URL: 'https://petitions.test',
      LOG_LEVEL: 'silent',
    },
  });
  const { db } = service.ctx;
  const owner = await signUp(service);
  const events = ['petition.created'];
  const urlOf = (host: string) => `https://${host}:${canary.port}/`;

  const create = (url: string, { api } = owner) => api.post('/v1/webhooks', { url, events });

  assert.ok(privateHosts.length >= 40 && privateHosts.length < 50);
  const toRefuse = [...privateHosts.map(urlOf), `http://${publicAddress}/`];
  const assertRefused = async (url: string) => {
    const refused = await create(url);
    assert.equal(refused.status, 422, url);
    assert.equal(refused.body.errors[0].field, 'url');
  };
  await Promise.all(toRefuse.map(assertRefused));
  const other = await signUp(service);
  const named = await Promise.all(
    privateNames.map(urlOf).map(async (url) => {
      const { body } = await create(url, other);
      return { url, id: String(body.data.id), api: other.api };
    }),
  );
  // No lookups in requests: a slow name server would hold up the owner's other requests.
  assert.equal(lookups, 0);

  // Simulates refused addresses that were public at first.
  const changed = await Promise.all(
    toRefuse.map(async (url) => {
      const { id } = (await create(`https://${publicAddress}/`)).body.data;
      await db`update webhook_endpoints set url = ${new URL(url).href} where id = ${id}`;
      return { url, id: String(id), api: owner.api };
    }),
  );
  const tried = await Promise.all(
    [...named, ...changed].map(async ({ url, id, api }) => {
      const { body } = await api.post(`/v1/webhooks/${id}/test`);
      return { url, delivery: String(body.data.id) };
    }),
  );
  const ids = tried.map(({ delivery }) => delivery);
  const failed = () =>
    db`select id, error from webhook_deliveries where id = any(${ids}) and error is not null`;
  await eventually(async () => (await failed()).length === ids.length, 20_000);
  const errors = new Map((await failed()).map(({ id, error }) => [id, error]));
  for (const { url, delivery } of tried) {
    const expected = url.startsWith('http:')
      ? 'It must be https.'
      : unresolvable.map(urlOf).includes(url)
        ? 'Its name has no address.'
        : 'Its address is not public.';
    assert.equal(errors.get(delivery), expected, url);
  }
  assert.equal(canary.reached(), 0);

  // Checks the test: without the guard, these spellings reach the canary.
  const open = new HttpClient({ publicOnly: false, resolve: resolveWith(names.resolver) });
  for (const host of ['2130706433', '[::1]', '[::ffff:7f00:1]', 'four.test', 'six.test']) {
    const before = canary.reached();
    const request = { headers: {}, body: '', signal: new AbortController().signal };
    await assert.rejects(open.post(`http://${host}:${canary.port}/`, request));
    assert.ok(canary.reached() > before, host);
  }
  await open.close();
});
