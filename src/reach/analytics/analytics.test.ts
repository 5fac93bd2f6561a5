import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from '../../../test/support/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createOrganization,
  addMember,
  logInAsAdmin,
  createUsers,
  createPublished,
  createDraft,
  signUp,
  type Person,
  type TestUser,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { invalidateBy, phoneUserAgent, signFrom, undo } from '../../../test/support/signing.ts';
import { assertSums, untilSumsSettled } from '../../../test/support/sums.ts';
import { transaction } from '../../platform/db.ts';
import { rebuildOverallSums, rebuildSums } from './rebuilding.ts';
import type { GeoCell } from './schema.ts';
import { deleteOldSums } from './sums.ts';

const hourMs = 3_600_000;

describe('analytics', () => {
  let service: Service;
  let creator: Person;
  let admin: Person;
  before(async () => {
    service = await startService({ worker: true, env: { TRUST_PROXY: '127.0.0.1' } });
    creator = await signUp(service);
    admin = await logInAsAdmin(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const signAt = async (petition: { id: string }, places: (string | null)[], more: object = {}) => {
    const people = await createUsers(service, places.length);
    for (const [index, { api }] of people.entries()) {
      const location = places[index];
      const input = { ...(location && { display_location: location }), ...more };
      const { status } = await api.post(`/v1/petitions/${petition.id}/signatures`, input);
      assert.equal(status, 201);
    }
    await untilSumsSettled(service);
    return people;
  };
  const times = <T>(count: number, value: T): T[] => Array(count).fill(value) as T[];
  const withdraw = async (petition: { id: string }, person: TestUser) => {
    const { status } = await person.api.delete(`/v1/petitions/${petition.id}/signatures/me`);
    assert.equal(status, 204);
  };
  const analyticsOf = async (petition: { id: string }, query = '', api = creator.api) =>
    (await api.get(`/v1/petitions/${petition.id}/analytics${query}`)).body.data;
  const today = () => service.ctx.now().toISOString().slice(0, 10);
  /** Moves the petition and its signatures into the past. */
  const backdate = async (petition: { id: string }, days: number) => {
    const { db } = service.ctx;
    await db`update petitions set published_at = published_at - ${days} * interval '1 day'
      where id = ${petition.id}`;
    await db`update signatures set created_at = created_at - ${days} * interval '1 day'
      where petition_id = ${petition.id}`;
  };

  it('show where a petition is signed, without identifying single signers', async () => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}/signatures/geo`;
    await signAt(petition, [
      ...times(4, 'Leeds, GB'),
      ...times(2, 'York, GB'),
      'Bath, GB',
      ...times(2, 'Cardiff, GB'),
      'Glasgow, GB',
      ...times(2, 'Lyon, FR'),
      null,
    ]);
    const { body } = await service.api.get(path);
    const cells = body.data.map(({ city, region, country, country_name, count }: GeoCell) => ({
      city,
      region,
      country,
      country_name,
      count,
    }));
    const gb = { country: 'GB', country_name: 'United Kingdom' };
    assert.deepEqual(cells, [
      { city: '', region: '', ...gb, count: 3 },
      { city: '', region: 'England', ...gb, count: 3 },
      { city: 'Leeds', region: 'England', ...gb, count: 4 },
    ]);
    assert.deepEqual([body.data[2].lat, body.data[2].lng], [53.7965, -1.5479]);
    const pages = [];
    let cursor = '';
    do {
      const page = await service.api.get(`${path}?limit=1${cursor && `&cursor=${cursor}`}`);
      pages.push(...page.body.data);
      cursor = page.body.pagination.next_cursor ?? '';
    } while (cursor);
    assert.deepEqual(pages, body.data);
    // All petitions together.
    const all = await service.api.get('/v1/petitions/global/signatures/geo?limit=100');
    const leeds = all.body.data.find(({ city }: { city: string }) => city === 'Leeds');
    assert.equal(leeds.count, 4);
    assert.equal((await service.api.get(`${path}?hours=169`)).status, 422);
    assert.equal((await service.api.get(`${path}?hours=0`)).status, 422);
    assert.equal((await service.api.get('/v1/petitions/none/signatures/geo')).status, 404);
  });

  it('show on the map at least as many hours as were asked for', async () => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}/signatures/geo`;
    const start = service.ctx.now().getTime();
    await signAt(petition, times(3, 'Leeds, GB'));
    await using later = await startService({ beside: service });
    const count = async (hours: number) =>
      (await later.api.get(`${path}?hours=${hours}`)).body.data[0]?.count ?? 0;
    // One minute into the next hour.
    const next = (Math.floor(start / hourMs) + 1) * hourMs;
    later.advanceClock(next + 60_000 - Date.now());
    assert.equal(await count(1), 3);
    later.advanceClock(167 * hourMs);
    await deleteOldSums(later.ctx);
    assert.equal(await count(168), 3);
  });

  it('are readable by those who can read the petition, or act for it', async () => {
    const hidden = await createPublished(creator, {
      visibility: 'private',
      signaturePrivacy: 'count_only',
    });
    await signAt(hidden, [], {});
    const { access_code: code } = (await creator.api.get(`/v1/petitions/${hidden.id}`)).body.data;
    const base = `/v1/petitions/${hidden.id}`;
    for (const path of [`${base}/signatures/geo`, `${base}/history`]) {
      assert.equal((await service.api.get(path)).status, 403);
      assert.equal((await service.api.get(`${path}?access_code=${code}`)).status, 200);
      assert.equal((await creator.api.get(path)).status, 200);
    }
    assert.equal(
      (await service.api.get(`/v1/analytics/stats?petition_id=${hidden.id}`)).status,
      403,
    );

    const [owner, member, boss] = await Promise.all(
      ['Owner', 'Member', 'Boss'].map((name) => signUp(service, name)),
    );
    const organization = await createOrganization(owner!);
    await addMember(owner!, organization, member!);
    await addMember(owner!, organization, boss!, 'admin');
    const petition = await createPublished(member!, { orgId: organization.id });
    const path = `/v1/petitions/${petition.id}/analytics`;
    for (const person of [member!, owner!, boss!, admin]) {
      assert.equal((await person.api.get(path)).status, 200);
    }
    assert.equal((await creator.api.get(path)).status, 403);
    const mine = await createDraft(creator);
    assert.equal((await owner!.api.get(`/v1/petitions/${mine.id}/analytics`)).status, 404);
    assert.equal((await creator.api.get(`/v1/petitions/${mine.id}/analytics`)).status, 200);
    const unseen = `/v1/analytics/stats?petition_id=${mine.id}`;
    assert.equal((await service.api.get(unseen)).status, 404);
  });

  it('show growth without gaps, on top of imported signatures', async () => {
    const petition = await createPublished(creator);
    await signAt(petition, times(3, 'Leeds, GB'));
    await backdate(petition, 3);
    await signAt(petition, times(2, null));
    const { db } = service.ctx;
    await db`update petitions set imported_signature_count = 100, signature_count = 105
      where id = ${petition.id}`;
    await transaction(db, (tx) => rebuildSums(tx, [petition.id], service.ctx.now()));
    await transaction(db, rebuildOverallSums);

    const ago = (days: number) =>
      new Date(Date.now() - days * 24 * hourMs).toISOString().slice(0, 10);
    const { signature_growth: growth } = await analyticsOf(petition);
    assert.deepEqual(growth, [
      { date: ago(3), count: 3, cumulative: 103 },
      { date: ago(2), count: 0, cumulative: 103 },
      { date: ago(1), count: 0, cumulative: 103 },
      { date: ago(0), count: 2, cumulative: 105 },
    ]);
    const part = await analyticsOf(petition, `?start_date=${ago(1)}&end_date=2099-01-01`);
    assert.deepEqual(part.signature_growth, growth.slice(2));
    assert.equal(part.totals.signatures, 2);
    const months = await analyticsOf(petition, '?granularity=month');
    assert.equal(months.signature_growth.at(-1).cumulative, 105);
    assert.match(months.signature_growth[0].date, /-01$/);
    const weeks = await analyticsOf(petition, '?granularity=week');
    assert.equal(new Date(weeks.signature_growth[0].date).getUTCDay(), 1);
    for (const empty of [
      '?end_date=2001-01-01',
      '?start_date=2099-01-01',
      '?end_date=0000-01-01',
    ]) {
      assert.deepEqual((await analyticsOf(petition, empty)).signature_growth, [], empty);
    }
    for (const bad of [
      '?start_date=2026-02-30',
      '?granularity=hour',
      '?start_date=2026-02-02&end_date=2026-02-01',
    ]) {
      const { status } = await creator.api.get(`/v1/petitions/${petition.id}/analytics${bad}`);
      assert.equal(status, 422, bad);
    }

    const history = await service.api.get(`/v1/petitions/${petition.id}/history?limit=1`);
    const next = history.body.pagination.next_cursor;
    const rest = await service.api.get(`/v1/petitions/${petition.id}/history?cursor=${next}`);
    const hours = [...history.body.data, ...rest.body.data];
    assert.deepEqual(
      hours.map(({ count, cumulative }) => [count, cumulative]),
      [
        [3, 103],
        [2, 105],
      ],
    );
    const etag = history.headers.get('etag')!;
    const same = await service.api.get(`/v1/petitions/${petition.id}/history?limit=1`, {
      headers: { 'if-none-match': etag },
    });
    assert.equal(same.status, 304);
  });

  it('show days after the end of a petition on request', async () => {
    const petition = await createPublished(creator);
    const at = `/v1/petitions/${petition.id}`;
    await signAt(petition, times(3, 'Leeds, GB'), { source: 'newsletter' });
    await creator.api.post(`${at}/victory`);
    // It ended three days ago, a day after it was published; people still read and share it.
    await backdate(petition, 4);
    const { db } = service.ctx;
    await db`update petitions set closed_at = closed_at - interval '3 days'
      where id = ${petition.id}`;
    await transaction(db, (tx) => rebuildSums(tx, [petition.id], service.ctx.now()));
    await transaction(db, rebuildOverallSums);
    const [reader] = await createUsers(service, 1);
    const headers = { 'user-agent': phoneUserAgent, referer: 'https://news.example/' };
    await reader!.api.get(at, { headers });
    await reader!.api.post(`${at}/shares`, { channel: 'x' });
    const whole = `?end_date=${today()}`;
    await eventually(async () => (await analyticsOf(petition, whole)).totals.views === 1, 15_000);

    const ago = (days: number) =>
      new Date(Date.now() - days * 24 * hourMs).toISOString().slice(0, 10);
    const datesOf = async (query: string) =>
      (await analyticsOf(petition, query)).signature_growth.map(
        ({ date }: { date: string }) => date,
      );
    const byDefault = await analyticsOf(petition);
    assert.deepEqual(byDefault.signature_growth, [
      { date: ago(4), count: 3, cumulative: 3 },
      { date: ago(3), count: 0, cumulative: 3 },
    ]);
    assert.deepEqual(byDefault.totals, { views: 0, signatures: 3, shares: 0, conversion_rate: 0 });
    const wholePeriod = await analyticsOf(petition, whole);
    assert.deepEqual(wholePeriod.signature_growth.at(-1), {
      date: today(),
      count: 0,
      cumulative: 3,
    });
    assert.equal(wholePeriod.signature_growth.length, 5);
    assert.deepEqual(wholePeriod.geographic_breakdown, byDefault.geographic_breakdown);
    assert.deepEqual(wholePeriod.traffic_sources, [
      { source: 'newsletter', views: 0, signatures: 3 },
      { source: 'news.example', views: 1, signatures: 0 },
    ]);
    assert.deepEqual(wholePeriod.totals, {
      views: 1,
      signatures: 3,
      shares: 1,
      conversion_rate: 1,
    });
    const later = await analyticsOf(petition, `?start_date=${ago(2)}&end_date=2099-01-01`);
    assert.deepEqual(later.totals, { views: 1, signatures: 0, shares: 1, conversion_rate: 0 });
    assert.deepEqual(later.geographic_breakdown, []);
    // A start after the end selects the days from there to today.
    assert.deepEqual(await datesOf(`?start_date=${ago(2)}`), [ago(2), ago(1), ago(0)]);
    assert.deepEqual(await datesOf(`?end_date=${ago(1)}`), [ago(4), ago(3), ago(2), ago(1)]);
  });

  it("break a petition's signatures down by region and source", async () => {
    const petition = await createPublished(creator);
    await signAt(petition, times(3, 'Leeds, GB'), { source: 'https://www.Example.org/a?b' });
    await signAt(petition, [...times(2, 'Lyon, FR'), 'Porto, PT'], { source: 'Newsletter' });
    await signAt(petition, times(1, null), { source: service.ctx.config.baseUrl });
    const { geographic_breakdown: places, ...data } = await analyticsOf(petition);
    assert.deepEqual(places, [
      { country: '', region: '', count: 4 },
      { country: 'GB', region: 'England', count: 3 },
    ]);
    assert.deepEqual(data.traffic_sources, [
      { source: 'example.org', views: 0, signatures: 3 },
      { source: 'newsletter', views: 0, signatures: 3 },
      { source: 'direct', views: 0, signatures: 1 },
    ]);
    assert.deepEqual(data.totals, { views: 0, signatures: 7, shares: 0, conversion_rate: 0 });
  });

  it('follow invalidation and its undoing', async () => {
    const petition = await createPublished(creator);
    const farm = { ip: '203.0.113.9', userAgent: phoneUserAgent };
    for (const { token } of await createUsers(service, 5)) {
      assert.equal((await signFrom(service, token, petition, farm)).status, 201);
    }
    await signAt(petition, times(3, 'Leeds, GB'));
    const counts = async () => {
      await untilSumsSettled(service);
      await assertSums(service);
      return (await analyticsOf(petition)).totals.signatures;
    };
    assert.equal(await counts(), 8);
    const network = await service.ctx.db`
      select left(lpad(to_hex(origin), 16, '0'), 10) as network from signatures
      where petition_id = ${petition.id} group by 1 order by count(*) desc limit 1`;
    const rule = await invalidateBy(admin, petition, { network: network[0]!.network });
    assert.equal(rule.invalidated, 5);
    assert.equal(await counts(), 3);
    await undo(admin, rule);
    assert.equal(await counts(), 8);
  });

  it('include public figures of the platform', async () => {
    const petition = await createPublished(creator);
    await signAt(petition, [...times(3, 'Recife, BR'), ...times(2, 'Quito, EC')]);
    const path = `/v1/analytics/stats?petition_id=${petition.id}&start_date=${today()}`;
    const { body } = await service.api.get(path);
    assert.deepEqual(body.data.daily, [{ date: today(), signatures: 5, petitions: 1 }]);
    assert.deepEqual(body.data.geographic, [{ country: 'BR', count: 3 }]);
    const [trending] = body.data.trending;
    assert.equal(trending.petition_id, petition.id);
    assert.ok(trending.score > 4.9 && trending.score <= 5, `${trending.score}`);

    const all = (await service.api.get('/v1/analytics/stats?limit=3')).body.data;
    assert.equal(all.daily.length, 30);
    assert.equal(all.daily.at(-1).date, today());
    assert.ok(all.daily.at(-1).signatures >= 5 && all.daily.at(-1).petitions >= 1);
    assert.equal(all.trending.length, 3);
    const [row] = await service.ctx.db`
      select count(*)::int as n from signatures where invalidated_by is null
        and created_at >= ${today()}::date`;
    assert.equal(all.daily.at(-1).signatures, row!.n);
    const long = (await service.api.get('/v1/analytics/stats?start_date=1990-01-01')).body.data;
    assert.equal(long.daily[0].date, '2000-01-01');
    assert.deepEqual(long.daily.slice(-30), all.daily);
    for (const [query, status] of [
      ['start_date=2020-01-02&end_date=2020-01-01', 422],
      ['end_date=0000-01-01', 200],
      ['start_date=2020-01-01&end_date=2020-12-31', 200],
    ]) {
      assert.equal(
        (await service.api.get(`/v1/analytics/stats?${query}`)).status,
        status,
        `${query}`,
      );
    }
  });

  it('fail with 500 if the query takes too long, with 503 if the database is unavailable', async () => {
    const { db, pools } = service.ctx;
    // Other test clients reject a 500.
    const api = new Client(service.origin);
    const end = async (how: 'pg_cancel_backend' | 'pg_terminate_backend', limit: number) =>
      pools.main.begin(async (tx) => {
        await tx`lock table all_country_days in access exclusive mode`;
        const answer = api.get(`/v1/analytics/stats?limit=${limit}`);
        await eventually(async () => {
          const ended = await db`
            select ${tx.unsafe(how)}(pid) from pg_stat_activity
            where wait_event_type = 'Lock' and query like '%country as place%'`;
          return ended.length > 0;
        });
        return answer;
      });
    const tooLong = await end('pg_cancel_backend', 11);
    assert.equal(tooLong.status, 500);
    assert.match(tooLong.body.type, /\/errors\/internal-error$/);
    assert.equal((await end('pg_terminate_backend', 12)).status, 503);
    assert.equal((await service.api.get('/v1/analytics/stats?limit=11')).status, 200);
  });

  it('leave no sums of a deleted petition', async () => {
    const person = await signUp(service);
    const petition = await createPublished(person);
    const [signer] = await signAt(petition, ['Leeds, GB']);
    await withdraw(petition, signer!);
    await person.api.delete('/v1/users/me', { password: person.password });
    await untilSumsSettled(service);
    for (const table of [
      'signature_hours',
      'signature_place_hours',
      'signature_region_days',
      'signature_source_days',
      'petition_views',
    ]) {
      const { db } = service.ctx;
      const [row] = await db`
        select count(*)::int as n from ${db(table)} where petition_id = ${petition.id}`;
      assert.equal(row!.n, 0, table);
    }
  });

  it('delete maps of past hours, and count people who sign again', async () => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}/signatures/geo`;
    const people = await signAt(petition, times(4, 'Sapporo, JP'));
    const count = async (hours: number) =>
      (await service.api.get(`${path}?hours=${hours}`)).body.data[0]?.count ?? 0;
    assert.equal(await count(1), 4);
    for (const person of people.slice(0, 2)) await withdraw(petition, person);
    await untilSumsSettled(service);
    assert.equal(await count(2), 0);
    const again = await people[0]!.api.post(`/v1/petitions/${petition.id}/signatures`, {
      display_location: 'Sapporo, JP',
    });
    assert.equal(again.status, 201);
    await untilSumsSettled(service);
    assert.equal(await count(3), 3);
    await assertSums(service);

    await using later = await startService({ beside: service });
    later.advanceClock(30 * hourMs);
    const read = async (hours: number) => (await later.api.get(`${path}?hours=${hours}`)).body.data;
    assert.deepEqual(await read(24), []);
    assert.equal((await read(168))[0].count, 3);
    later.advanceClock(168 * hourMs);
    await deleteOldSums(later.ctx);
    const [kept] = await service.ctx.db`
      select (select count(*)::int from signature_place_hours) as places,
        (select count(*)::int from signature_hours where petition_id = ${petition.id}) as hours`;
    assert.deepEqual({ ...kept }, { places: 0, hours: 1 });
  });
});
