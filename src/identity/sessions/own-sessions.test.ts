import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { logIn, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const firefox = 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0';
const safari =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
const german = '193.99.144.80';
const french = '195.83.1.1';
const path = '/v1/users/me/sessions';

describe('the sessions of an account', () => {
  let service: Service;
  before(async () => {
    service = await startService({ env: { TRUST_PROXY: '127.0.0.1' }, worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  /** Calls with this browser from this address. */
  const from = (ip: string, userAgent: string) =>
    service.api.with({ 'x-forwarded-for': ip, 'user-agent': userAgent });
  /** Logs in once more. */
  const logInFrom = (person: Person, ip: string, userAgent: string) =>
    logIn({ ...service, api: from(ip, userAgent) }, person);
  const list = async ({ api }: Pick<Person, 'api'>) => (await api.get(path)).body.data;

  it('are listed with device and country, newest first', async () => {
    const person = await signUp(service);
    const phone = await logInFrom(person, german, firefox);
    const [second, first, ...others] = await list(phone);
    assert.equal(others.length, 0);
    const { device, country, current, created_at, last_seen_at } = second;
    assert.deepEqual(
      { device, country, current },
      {
        device: 'Firefox on Android',
        country: 'DE',
        current: true,
      },
    );
    assert.equal(last_seen_at, created_at);
    assert.deepEqual([first.device, first.country, first.current], [null, null, false]);
    assert.deepEqual(
      (await list(person)).map((session: { current: boolean }) => session.current),
      [false, true],
    );
  });

  it('are paged by cursor', async () => {
    const person = await signUp(service);
    await logIn(service, person);
    await logIn(service, person);
    const whole = await list(person);
    const first = await person.api.get(`${path}?limit=2`);
    const { next_cursor: cursor, has_more } = first.body.pagination;
    assert.equal(has_more, true);
    const second = await person.api.get(`${path}?limit=2&cursor=${cursor}`);
    assert.deepEqual([...first.body.data, ...second.body.data], whole);
    assert.equal(second.body.pagination.next_cursor, null);
  });

  it('leave out those that have ended or expired', async () => {
    const person = await signUp(service);
    const [ended, expired] = [await logIn(service, person), await logIn(service, person)];
    await service.api.post('/v1/auth/logout', { refresh_token: ended.refreshToken });
    const [{ id }] = await list(expired);
    await service.ctx.db`
      update refresh_tokens set expires_at = now() - interval '1 second' where session_id = ${id}`;
    assert.equal((await list(person)).length, 1);
    assert.equal((await person.api.delete(`${path}/${id}`)).status, 404);
  });

  it('end one by one, also the current one, and other processes refuse it within a second', async () => {
    await using second = await startService({ beside: service });
    const person = await signUp(service);
    const other = await logIn(service, person);
    const [{ id: otherId }, { id: ownId }] = await list(person);
    assert.equal(await statusAt(second, other), 200);
    assert.equal((await person.api.delete(`${path}/${otherId}`)).status, 204);
    assert.equal(await statusAt(service, other), 401);
    await eventually(async () => (await statusAt(second, other)) === 401, 1000);
    const refreshed = await service.api.post('/v1/auth/refresh', {
      refresh_token: other.refreshToken,
    });
    assert.equal(refreshed.status, 401);
    assert.equal((await person.api.delete(`${path}/${otherId}`)).status, 404);
    assert.equal((await person.api.delete(`${path}/${ownId}`)).status, 204);
    assert.equal(await statusAt(service, person), 401);
  });

  it('end all but the current one', async () => {
    const person = await signUp(service);
    const others = [await logIn(service, person), await logIn(service, person)];
    assert.equal((await person.api.delete(path)).status, 204);
    for (const other of others) assert.equal(await statusAt(service, other), 401);
    assert.equal(await statusAt(service, person), 200);
    assert.equal((await list(person)).length, 1);
  });

  it('are not those of others', async () => {
    const [person, stranger] = [await signUp(service), await signUp(service)];
    const [{ id }] = await list(person);
    assert.equal((await stranger.api.delete(`${path}/${id}`)).status, 404);
    assert.equal(await statusAt(service, person), 200);
  });

  it('are none of an API key, which can end them all', async () => {
    const person = await signUp(service);
    const { body } = await person.api.post('/v1/api-keys', { name: 'Key', scopes: ['full'] });
    const keyHolder = { api: service.api.as(body.data.key) };
    const [session] = await list(keyHolder);
    assert.equal(session.current, false);
    assert.equal((await keyHolder.api.delete(path)).status, 204);
    assert.equal(await statusAt(service, person), 401);
    assert.deepEqual(await list(keyHolder), []);
  });

  it('show where a refresh token was last used', async () => {
    const person = await signUp(service);
    await service.ctx.db`
      update sessions set created_at = created_at - interval '1 hour', last_seen_at = null
      where user_id = ${person.id}`;
    const [earlier] = await list(person);
    assert.equal(earlier.last_seen_at, earlier.created_at);
    await from(french, safari).post('/v1/auth/refresh', { refresh_token: person.refreshToken });
    const [later] = await list(person);
    assert.deepEqual([later.device, later.country], ['Safari on macOS', 'FR']);
    assert.ok(Date.parse(later.last_seen_at) - Date.parse(earlier.last_seen_at) > 3_500_000);
  });

  it('show when a browser was last used, to ten minutes', async () => {
    const person = await signUp(service);
    const browser = new Browser(from(german, firefox));
    const { email, password } = person;
    await browser.submit(await browser.open('/login'), { email, password }, '/login');
    const seenAfter = async (minutes: number) => {
      await service.ctx.db`
        update sessions set last_seen_at = last_seen_at - ${minutes} * interval '1 minute'
        where user_id = ${person.id}`;
      await browser.open('/');
      const [session] = await list(person);
      assert.equal(session.device, 'Firefox on Android');
      return Date.now() - Date.parse(session.last_seen_at);
    };
    assert.ok((await seenAfter(5)) > 250_000);
    assert.ok((await seenAfter(6)) < 60_000);
  });
});

describe('ended sessions', () => {
  it('are kept for 90 days, where no later one has the same device and country', async () => {
    await using service = await startService({ worker: true });
    const person = await signUp(service);
    for (let n = 0; n < 4; n++) await logIn(service, person);
    const ids = await service.ctx.db.column<string>`
      select id from sessions where user_id = ${person.id} order by id`;
    // The first is too old, the second like the third, the fourth recent, and the last in force.
    const stored = [
      ['A', 95],
      ['B', 20],
      ['B', 10],
      ['C', 80],
      ['D', 0],
    ] as const;
    for (const [index, [device, days]] of stored.entries()) {
      await service.ctx.db`
        update sessions set device = ${device}, created_at = now() - ${days} * interval '1 day',
          last_seen_at = now() - ${days} * interval '1 day',
          ended_at = case when ${days > 0} then now() end
        where id = ${ids[index]!}`;
    }
    await service.ctx.db`
      delete from refresh_tokens where session_id = any(${ids.slice(0, 4)}::uuid[])`;
    await service.ctx.db`select graphile_worker.add_job('forget-expired-credentials')`;
    const left = () =>
      service.ctx.db.column<string>`
        select device from sessions where user_id = ${person.id} order by id`;
    await eventually(async () => (await left()).length === 3, 15_000);
    assert.deepEqual(await left(), ['B', 'C', 'D']);
  });
});

const statusAt = async ({ api }: Pick<Service, 'api'>, { accessToken }: Person) =>
  (await api.as(accessToken).get('/v1/users/me')).status;
