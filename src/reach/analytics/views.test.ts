import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { phoneUserAgent } from '../../../test/support/signing.ts';
import { addViews } from './view-queries.ts';

describe('views', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const browser = (headers: Record<string, string> = {}) =>
    service.api.with({ 'user-agent': phoneUserAgent, ...headers });
  const viewsOf = async ({ id }: { id: string }) => {
    const rows = await service.ctx.db`
      select source, sum(views)::int as views from petition_views where petition_id = ${id}
      group by source`;
    return Object.fromEntries(rows.map(({ source, views }) => [source, views]));
  };
  const waitForViews = (petition: { id: string }, count: number) =>
    eventually(async () => {
      const [row] = await service.ctx.db`
        select sum(views)::int as n from petition_views where petition_id = ${petition.id}`;
      return row!.n >= count;
    }, 15_000);

  it('count reads by others than the creator, by source', async () => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}`;
    const other = await signUp(service);
    const reads: [string, Record<string, string>][] = [
      [path, {}],
      // From the second request on, the hot read cache answers.
      [path, { referer: 'https://www.News.example/story?id=1' }],
      [path, { referer: 'https://news.example/' }],
      [`${path}?utm_source=Newsletter`, { referer: 'https://mail.example/' }],
      [path, { referer: `${service.ctx.config.baseUrl}/p/other` }],
      [path, { authorization: `Bearer ${other.accessToken}` }],
      [`/p/${petition.slug}?utm_source=leaflet`, {}],
    ];
    for (const [url, headers] of reads) {
      const { status } = await browser(headers).get(url);
      assert.equal(status, 200);
    }
    // None of these is a view.
    await creator.api.get(path, { headers: { 'user-agent': phoneUserAgent } });
    await browser({ 'user-agent': 'Googlebot/2.1' }).get(path);
    await browser().send('HEAD', path);
    await browser().get(`${path}/signatures`);
    const cookie = `outcome=${encodeURIComponent(`/p/${petition.slug}?done=signed`)}`;
    await browser({ cookie }).get(`/p/${petition.slug}`);
    await waitForViews(petition, 7);
    assert.deepEqual(await viewsOf(petition), {
      direct: 3,
      'news.example': 2,
      newsletter: 1,
      leaflet: 1,
    });
    const { data } = (await creator.api.get(`${path}/analytics`)).body;
    assert.equal(data.totals.views, 7);
    assert.equal(data.totals.conversion_rate, 0);
    assert.deepEqual(data.traffic_sources[0], { source: 'direct', views: 3, signatures: 0 });

    await other.api.post(`${path}/signatures`);
    await using worker = await startService({ beside: service, worker: true });
    await eventually(
      async () =>
        (await worker.api.as(creator.accessToken).get(`${path}/analytics`)).body.data.totals
          .signatures === 1,
      15_000,
    );
    const { totals } = (await creator.api.get(`${path}/analytics`)).body.data;
    assert.ok(Math.abs(totals.conversion_rate - 1 / 7) < 1e-9);
  });

  it('count people and their programs, not bots', async () => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}`;
    const from = (...userAgents: string[]) =>
      userAgents.map((userAgent) => ({ 'user-agent': userAgent }));
    const readers = [
      {},
      ...from(
        phoneUserAgent,
        'okhttp/4.12.0',
        'curl/8.14.1',
        'axios/1.13.2',
        'python-requests/2.32.3',
      ),
      ...from(
        'Go-http-client/1.1',
        'Petitions/7 CFNetwork/1490 Darwin/23.2.0',
        'petition-app/0.1',
        '',
      ),
    ];
    const bots = [
      ...from('Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'),
      ...from(
        'Baiduspider',
        'facebookexternalhit/1.1',
        'WhatsApp/2.23',
        'Iframely/1.3 (+https://a.b)',
      ),
      ...from('Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)'),
      { 'user-agent': phoneUserAgent, 'sec-purpose': 'prefetch;prerender' },
    ];
    for (const headers of [...bots, ...readers]) {
      assert.equal((await service.api.get(path, { headers })).status, 200);
    }
    await waitForViews(petition, readers.length);
    assert.deepEqual(await viewsOf(petition), { direct: readers.length });
  });

  it('are stored when the process stops', async () => {
    const petition = await createPublished(creator);
    {
      await using short = await startService({ beside: service });
      await short.api.with({ 'user-agent': phoneUserAgent }).get(`/v1/petitions/${petition.id}`);
    }
    assert.deepEqual(await viewsOf(petition), { direct: 1 });
  });

  it('are counted together beyond 100 sources', async () => {
    const petition = await createPublished(creator);
    const { db } = service.ctx;
    const limits = { maxSources: 100, direct: 'direct', other: 'other' };
    const from = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, n) => ({
        petition_id: petition.id,
        source: `site-${first + n}`,
        views: 1,
      }));
    const day = '2026-06-01';
    await addViews(service.ctx.pools.main, day, from(1, 70), limits);
    await addViews(
      service.ctx.pools.main,
      day,
      [...from(61, 130), { petition_id: petition.id, source: 'direct', views: 5 }],
      limits,
    );
    const views = await viewsOf(petition);
    assert.equal(Object.keys(views).length, 102);
    assert.deepEqual([views['site-65'], views.direct, views.other], [2, 5, 30]);
    // Skips a petition that does not exist.
    await addViews(
      service.ctx.pools.main,
      day,
      [{ petition_id: creator.id, source: 'direct', views: 1 }],
      limits,
    );
    const [row] = await db`
      select count(*)::int as n from petition_views where petition_id = ${creator.id}`;
    assert.equal(row!.n, 0);
  });
});
