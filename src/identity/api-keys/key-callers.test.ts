import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createDraft,
  petitionInput,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { openPool, transaction } from '../../platform/db.ts';
import { LastUses } from './key-callers.ts';
import { newKeyText } from './key-text.ts';

const makeKey = async (person: Person, scopes = ['read']) => {
  const { status, body } = await person.api.post('/v1/api-keys', { name: 'A key', scopes });
  assert.equal(status, 201);
  return body.data as { id: string; key: string };
};

/** Sends requests with these keys in one write. Returns the statuses of their answers. */
async function sendAtOnce({ origin }: Service, path: string, keys: string[]): Promise<number[]> {
  const { host, hostname, port } = new URL(origin);
  const requests = keys.map(
    (key) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  const socket = connect(Number(port), hostname);
  socket.write(requests.join(''));
  const statuses: number[] = [];
  let text = '';
  for await (const data of socket) {
    text += String(data);
    statuses.length = 0;
    for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d+) /g)) statuses.push(Number(status));
    if (statuses.length === keys.length) break;
  }
  return statuses;
}

describe('calling with an API key', () => {
  let service: Service;
  let person: Person;
  before(async () => {
    service = await startService();
    person = await signUp(service, 'Maker');
  });
  after(() => service[Symbol.asyncDispose]());

  const older = (key: string) => service.api.with({ 'x-api-key': key });
  /** Runs `work` while the table of keys is locked against reads. */
  const whileKeysAreLocked = async <T>(
    work: (waiting: () => Promise<number>) => Promise<T>,
  ): Promise<T> => {
    const pool = openPool(service.databaseUrl, { name: 'test', max: 1 });
    try {
      return await transaction(pool, async (tx) => {
        await tx`lock table api_keys in access exclusive mode`;
        return work(async () => {
          const [row] = await tx`
            select count(*)::integer as n from pg_locks
            where relation = 'api_keys'::regclass and not granted`;
          return row!.n;
        });
      });
    } finally {
      await pool.end();
    }
  };

  it('works by either header, with a deprecation notice for the older one', async () => {
    const { key } = await makeKey(person);
    const mine = await service.api.as(key).get('/v1/me');
    assert.deepEqual([mine.status, mine.body.data.id], [200, person.id]);
    assert.equal(mine.headers.get('deprecation'), null);
    assert.equal(mine.headers.get('vary'), 'Authorization, X-API-Key, Accept-Encoding');
    const calls: [string, string, number][] = [
      ['GET', '/v1/me', 200],
      ['GET', '/v1/petitions', 200],
      ['GET', '/v1/petitions/no-such', 404],
      ['GET', '/v1/no-such-path', 404],
      ['GET', '/v1/petitions/%zz', 400],
      ['POST', '/v1/petitions', 422],
      ['DELETE', '/v1/petitions', 405],
      ['GET', '/v1/api-keys', 403],
    ];
    for (const [method, path, status] of calls) {
      const answer = await older(key).send(method, path);
      assert.equal(answer.status, status, path);
      assert.equal(answer.headers.get('deprecation'), '@1767225600');
      assert.match(answer.headers.get('link')!, /\/docs>; rel="deprecation"/);
    }
    const refused = await older('svc_test_x').get('/v1/me');
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('deprecation'), '@1767225600');
    const list = await older(key).get(`/v1/users/${person.slug}/petitions`);
    assert.match(list.headers.get('link')!, /rel="successor-version", <.*rel="deprecation"/);
  });

  it('reads the older header even if the same URL was just read anonymously', async () => {
    const path = `/v1/petitions/${(await createPublished(person)).id}`;
    for (let n = 0; n < 3; n++) assert.equal((await service.api.get(path)).status, 200);
    assert.equal((await older('svc_test_x').get(path)).status, 401);
    const { key } = await makeKey(person);
    const { status, headers } = await older(key).get(path);
    assert.deepEqual([status, headers.get('x-ratelimit-limit')], [200, '100']);
    assert.ok(headers.has('deprecation'));
  });

  it('prefers Authorization if both headers are sent', async () => {
    const { key } = await makeKey(await signUp(service));
    const both = person.api.with({ 'x-api-key': key });
    const { body, headers } = await both.get('/v1/me');
    assert.equal(body.data.id, person.id);
    assert.equal(headers.get('deprecation'), null);
    const bad = service.api.as('not.a.token').with({ 'x-api-key': key });
    assert.equal((await bad.get('/v1/me')).status, 401);
  });

  it('works from pages of other origins', async () => {
    const { status, headers } = await service.api.send('OPTIONS', '/v1/me', undefined, {
      headers: {
        origin: 'https://elsewhere.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-api-key',
      },
    });
    assert.equal(status, 204);
    assert.match(headers.get('access-control-allow-headers')!, /x-api-key/);
  });

  it('detects typing errors without a query', async () => {
    const { key } = await makeKey(person);
    const place = key.length - 20;
    const typos = [
      key.slice(0, -1),
      `${key}x`,
      key.slice(0, place) + (key[place] === 'a' ? 'b' : 'a') + key.slice(place + 1),
      key.slice(0, place) + key[place + 1] + key[place] + key.slice(place + 2),
      key.replace('svc_', 'SVC_'),
      'svc_test_',
      'svc_other_1234',
    ].filter((typo) => typo !== key);
    await whileKeysAreLocked(async () => {
      for (const typo of typos) {
        const { status, body } = await service.api.as(typo).get('/v1/me');
        assert.equal(status, 401);
        assert.match(body.message, /malformed/, typo);
      }
      for (const text of ['', 'letmein', person.accessToken]) {
        const { status, body } = await older(text).get('/v1/me');
        assert.equal(status, 401);
        assert.match(body.message, /malformed/);
      }
    });
  });

  it('looks a key up once for concurrent requests', async () => {
    const unknown = newKeyText('test');
    const statuses = await whileKeysAreLocked(async (waiting) => {
      const answers = sendAtOnce(service, '/v1/me', Array(100).fill(unknown));
      // They arrive in one write, so if one waits, all were received.
      await eventually(async () => (await waiting()) > 0);
      assert.equal(await waiting(), 1);
      return { answers };
    });
    assert.deepEqual(await statuses.answers, Array(100).fill(401));
  });

  it('acts outside production whatever it is for, and in production only if it is live', async () => {
    const make = async (environment?: string) => {
      const { status, body } = await person.api.post('/v1/api-keys', { name: 'Any', environment });
      assert.equal(status, 201);
      return body.data;
    };
    const [live, test] = [await make(), await make('test')];
    assert.deepEqual([live.environment, live.key.slice(0, 9)], ['live', 'svc_live_']);
    assert.deepEqual([test.environment, test.key.slice(0, 9)], ['test', 'svc_test_']);
    const rotated = (await person.api.post(`/v1/api-keys/${test.id}/rotate`)).body.data;
    assert.deepEqual([rotated.environment, rotated.key.slice(0, 9)], ['test', 'svc_test_']);
    for (const { key } of [live, test, rotated]) {
      assert.equal((await service.api.as(key).get('/v1/me')).body.data.id, person.id);
    }
    const env = { NODE_ENV: 'production', MAIL: 'files', BASE_URL: 'http://localhost:3000' };
    await using production = await startService({ beside: service, env });
    assert.equal((await production.api.as(live.key).get('/v1/me')).body.data.id, person.id);
    for (const { key } of [test, rotated]) {
      const { status, body } = await production.api.as(key).get('/v1/me');
      assert.equal(status, 401);
      assert.match(body.message, /test key, which does not work here/);
    }
    const owner = production.api.as(person.accessToken);
    const refused = await owner.post('/v1/api-keys', { name: 'Any', environment: 'test' });
    assert.deepEqual([refused.status, refused.body.code], [501, 'test_mode_off']);
    const made = await owner.post('/v1/api-keys', { name: 'Any' });
    assert.equal(made.body.data.environment, 'live');
  });

  it('is live where it was made by an earlier version, whatever its prefix', async () => {
    const { id, key } = await makeKey(person);
    const formerText = newKeyText('test');
    await service.ctx.db`
      update api_keys set key_hash = ${service.ctx.keys.hash('api-key', formerText)}, prefix = 'svc_test_older'
      where id = ${id}`;
    const env = { NODE_ENV: 'production', MAIL: 'files', BASE_URL: 'http://localhost:3000' };
    await using production = await startService({ beside: service, env });
    assert.equal((await production.api.as(formerText).get('/v1/me')).status, 200);
    assert.equal((await production.api.as(key).get('/v1/me')).status, 401);
  });

  it('ends within a second on every process when a key is deleted or the grace period is over', async () => {
    await using second = await startService({ beside: service });
    const there = async (key: string) => (await second.api.as(key).get('/v1/me')).status;
    const [deleted, rotated] = [await makeKey(person), await makeKey(person)];
    assert.deepEqual([await there(deleted.key), await there(rotated.key)], [200, 200]);
    await person.api.delete(`/v1/api-keys/${deleted.id}`);
    await eventually(async () => (await there(deleted.key)) === 401, 1000);
    await person.api.post(`/v1/api-keys/${rotated.id}/rotate`);
    await service.ctx.db`
      update replaced_api_keys set expires_at = now() where key_id = ${rotated.id}`;
    await eventually(async () => (await there(rotated.key)) === 401, 1000);
  });

  it('is refused with 403 while the account is suspended', async () => {
    const user = await signUp(service);
    const { key } = await makeKey(user);
    const call = () => service.api.as(key).get('/v1/petitions');
    assert.equal((await call()).status, 200);
    const suspend = (at: Date | null) =>
      service.ctx.db`update users set suspended_at = ${at} where id = ${user.id}`;
    await suspend(new Date());
    await eventually(async () => (await call()).status === 403, 1000);
    assert.equal((await call()).body.code, 'account_suspended');
    await suspend(null);
    await eventually(async () => (await call()).status === 200, 1000);
  });

  it('is treated as anonymous by public operations that need a higher scope', async () => {
    const { id } = await createDraft(person);
    const [reader, full] = [await makeKey(person), await makeKey(person, ['full'])];
    const check = async ({ key }: { key: string }) =>
      (await service.api.as(key).post(`/v1/petitions/${id}/access`, { accessCode: 'x' })).status;
    assert.deepEqual([await check(reader), await check(full)], [404, 200]);
    assert.equal((await service.api.as(reader.key).get(`/v1/petitions/${id}`)).status, 200);
  });

  it('is the actor of events, except for anonymous signatures', async () => {
    const { id: keyId, key } = await makeKey(person, ['full']);
    const api = service.api.as(key);
    const { id } = (await api.post('/v1/petitions', petitionInput)).body.data;
    const path = `/v1/petitions/${id}`;
    await api.post(`${path}/publish`);
    for (const is_anonymous of [false, true]) {
      assert.equal((await api.post(`${path}/signatures`, { is_anonymous })).status, 201);
      assert.equal((await api.delete(`${path}/signatures/me`)).status, 204);
    }
    await person.api.post(`${path}/close`);
    const events = await service.ctx.db`
      select type, actor_type, actor_id from events where petition_id = ${id}
      order by transaction, position`;
    assert.deepEqual(
      events.map((event) => [event.type, event.actor_type, event.actor_id]),
      [
        ['petition.created', 'api_key', keyId],
        ['petition.published', 'api_key', keyId],
        ['signature.created', 'api_key', keyId],
        ['signature.removed', 'api_key', keyId],
        ['signature.created', 'api_key', null],
        ['signature.removed', 'api_key', null],
        ['petition.closed', 'user', person.id],
      ],
    );
  });

  it('shows the last use at once on its process, and on others after it is stored', async () => {
    const { id, key } = await makeKey(person);
    const lastUse = async (where: Service) =>
      (await where.api.as(person.accessToken).get(`/v1/api-keys/${id}`)).body.data.last_used_at;
    const start = new Date().toISOString();
    {
      await using second = await startService({ beside: service });
      await second.api.as(key).get('/v1/me');
      assert.ok((await lastUse(second)) >= start);
      assert.equal(await lastUse(service), null);
    }
    const written = await lastUse(service);
    assert.ok(written >= start);
    await service.api.as(key).get('/v1/me');
    assert.ok((await lastUse(service)) > written);
  });

  it('stores the latest uses periodically, and skips deleted keys', async () => {
    const [kept, gone] = [await makeKey(person), await makeKey(person)];
    await person.api.delete(`/v1/api-keys/${gone.id}`);
    const uses = new LastUses(service.ctx, 20);
    uses.writer.start();
    const stored = async () => {
      const [row] = await service.ctx.db`
        select last_used_at from api_keys where id = ${kept.id}`;
      return row!.last_used_at?.toISOString() as string | undefined;
    };
    try {
      const [earlier, later] = ['2030-01-01T00:00:00.000Z', '2030-01-01T00:00:01.000Z'];
      uses.record(gone.id, new Date(later));
      uses.record(kept.id, new Date(later));
      await eventually(async () => (await stored()) === later);
      uses.record(kept.id, new Date(earlier));
      await eventually(() => uses.unwritten(kept.id) === undefined);
      assert.equal(await stored(), later);
    } finally {
      await uses.writer.stop();
    }
  });
});

describe('limits of API keys', () => {
  it('allow each key 100 a second, which a rotated key shares with the replaced one', async () => {
    await using service = await startService({ env: { RATE_LIMITS: 'on' } });
    const person = await signUp(service);
    const first = await makeKey(person);
    const second = await makeKey(person);
    const rotated = (await person.api.post(`/v1/api-keys/${first.id}/rotate`)).body.data.key;
    const keys = Array.from({ length: 240 }, (_, n) => (n % 2 ? first.key : rotated));
    const statuses = await sendAtOnce(service, '/v1/categories', keys);
    const passed = statuses.filter((status) => status === 200).length;
    const refused = statuses.filter((status) => status === 429).length;
    assert.ok(passed >= 100 && refused > 0 && passed + refused === 240, `${passed} passed`);
    const other = await service.api.as(second.key).get('/v1/categories');
    assert.equal(other.status, 200);
    assert.equal(other.headers.get('x-ratelimit-limit'), '100');
    assert.equal(other.headers.get('x-ratelimit-remaining'), '99');
  });
});
