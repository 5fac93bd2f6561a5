import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { writeLog } from '../../../test/support/log.ts';
import { logIn } from '../../../test/support/people.ts';
import { toReachableUrl } from '../../../test/support/pictures.ts';
import { silent } from '../../../test/support/progress.ts';
import type { SqlValue } from '../../platform/db.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { inspectImage } from '../../campaigns/media/pictures.ts';
import { makeDemoWorld } from './fill.ts';
import { addPictures } from './pictures.ts';
import { demoPassword, emailOf, people } from './people.ts';
import { petitions } from './world.ts';
import { compareAll } from '../rebuild-sums.ts';

describe('demo world', () => {
  let service: Service;
  let made: Awaited<ReturnType<typeof makeDemoWorld>>;
  before(async () => {
    service = await startService();
    // The log has begun before.
    await writeLog(service.ctx);
    made = await makeDemoWorld(service.ctx);
  });
  after(() => service[Symbol.asyncDispose]());

  const query = (texts: TemplateStringsArray, ...values: SqlValue[]) =>
    service.ctx.pools.main(texts, ...values);

  it('is created once', async () => {
    assert.equal(made!.petitions, petitions.length);
    assert.ok(made!.signatures > 5000);
    assert.equal(await makeDemoWorld(service.ctx), undefined);
    const [row] = await query`select count(*)::int as n from petitions`;
    assert.equal(row!.n, petitions.length);
  });

  it('has people who can log in', async () => {
    for (const person of [people[0]!, people[1]!, people[4]!]) {
      const { api } = await logIn(service, { email: emailOf(person), password: demoPassword });
      const { body } = await api.get('/v1/users/me');
      assert.equal(body.data.display_name, person.name);
      assert.equal(body.data.bio, person.bio ?? null);
    }
    const { body } = await service.api.get('/v1/users/ngozi-adeyemi-clarke');
    assert.equal(body.data.petition_count, 2);
  });

  it('shows petitions in every category and most states', async () => {
    const { body } = await service.api.get('/v1/petitions?limit=100');
    const states = new Set(body.data.map((one: { status: string }) => one.status));
    assert.deepEqual(states, new Set(['active', 'closed', 'victory']));
    const categories = new Set(petitions.map(({ category }) => category));
    assert.equal(categories.size, 12);
    const [row] = await query`select count(*)::int as n from petitions where category_id is null`;
    assert.equal(row!.n, 0);
    const slug = 'a-safe-crossing-at-the-school-on-mill-lane';
    const one = (await service.api.get(`/v1/petitions/${slug}`)).body.data;
    assert.match(one.victory_message, /raised crossing/);
    assert.ok(Date.parse(one.created_at) < Date.parse(one.published_at));
    assert.ok(Date.parse(one.published_at) < Date.parse(one.closed_at));
    assert.equal(one.decision_makers[0].title, 'City Council');
    assert.deepEqual(one.tags, ['schools', 'road safety']);
  });

  it('is in the public log', async () => {
    await writeLog(service.ctx);
    const { body } = await service.api.get('/v1/petitions?limit=100');
    for (const { slug, signature_count: count } of body.data) {
      const log = await service.api.get(`/v1/petitions/${slug}/log`);
      assert.equal(log.body.data.signature_count, count, slug);
    }
  });

  it('has pictures of people and petitions', async () => {
    const kinds = ['user_avatar', 'petition_image', 'petition_update_image'] as const;
    const some = kinds.map((kind) => made!.pictures.find(({ type }) => type === kind)!);
    await addPictures(service.ctx, some);
    const [person, petition] = some;
    const shown = await query`
      select avatar_url as url from users where id = ${person!.recordId}
      union all select image_url from petitions where id = ${petition!.recordId}`;
    for (const { url } of shown) {
      const { status, headers } = await fetch(toReachableUrl(service, url));
      assert.deepEqual([status, headers.get('content-type')], [200, 'image/webp']);
    }
    await assert.rejects(async () => inspectImage(petition!.svg), /no JPEG/);
  });

  it('has organizations, updates, answers of decision makers and talk', async () => {
    const slug = 'keep-the-night-tram-running-after-one-oclock';
    const { data: petition } = (await service.api.get(`/v1/petitions/${slug}`)).body;
    assert.ok(petition.org_id);
    const listOf = async (part: string) =>
      (await service.api.get(`/v1/petitions/${slug}/${part}`)).body.data;
    assert.equal((await listOf('updates')).length, 2);
    const [response] = await listOf('responses');
    assert.equal(response.decision_maker.name, 'Mobility Office');
    const threads = await listOf('comments');
    assert.deepEqual(
      threads.map(({ replies }: { replies: unknown[] }) => replies.length),
      [1, 2],
    );
  });

  it('has exact counts and matching milestones', async () => {
    const wrong = await query`
      select slug from petitions p
      where signature_count <> (select count(*) from signatures s where s.petition_id = p.id)
        or (select count(*) from milestones m where m.petition_id = p.id) <> (
          select count(distinct threshold) from unnest(array[100, 500, 1000, 5000, signature_goal])
            as t(threshold) where threshold <= signature_count)
        or exists (
          select from milestones m join signatures s on s.id = m.signature_id
          where m.petition_id = p.id and (s.petition_id <> p.id or reached_at <> s.created_at
            or threshold <> (select count(*) from signatures earlier
              where earlier.petition_id = p.id and earlier.id <= s.id)))`;
    assert.deepEqual([...wrong], []);
  });

  it('has sums that match its signatures', async () => {
    const { petitions: compared, differing } = await compareAll(service.ctx, silent);
    assert.deepEqual(differing, []);
    assert.ok(compared > 15);
    const [row] = await query`
      select count(*)::int as n from signatures where place is null or place not like '__%'`;
    assert.equal(row!.n, 0);
    const { body } = await service.api.get('/v1/analytics/stats');
    assert.ok(body.data.geographic.length > 3);
  });

  it('has the trend that signing would result in', async () => {
    const [petition] = await query`select id, trend from petitions where signature_count = 236`;
    const times = await query`
      select created_at from signatures where petition_id = ${petition!.id} order by id`;
    let trend = 0;
    for (const { created_at } of times) {
      const [row] = await query`select trend_after(${trend}, 1, ${created_at}) as trend`;
      trend = row!.trend;
    }
    assert.ok(Math.abs(trend - petition!.trend) < 1e-6, `${trend} ${petition!.trend}`);
  });

  it('has times in a consistent order', async () => {
    const db = service.ctx.pools.main;
    // The first 48 bits of a UUIDv7. PostgreSQL has a function for it since version 17.
    const timeOf = (id: ReturnType<typeof db>) => db`
      to_timestamp(('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;
    const wrong = await query`
      select s.id from signatures s
      join petitions p on p.id = s.petition_id join users u on u.id = s.user_id
      where s.created_at < p.published_at or s.created_at > coalesce(p.closed_at, now())
        or u.created_at > s.created_at or u.created_at > p.created_at and u.id = p.creator_id
        or ${timeOf(db`s.id`)} <> s.created_at
        or ${timeOf(db`u.id`)} <> u.created_at`;
    assert.deepEqual([...wrong], []);
    const [growth] = await query`
      select count(distinct created_at::date)::int as days from signatures`;
    assert.ok(growth!.days > 200);
  });

  it('is not created in production', async () => {
    const env = {
      ...process.env,
      NODE_ENV: 'production',
      MAIL: 'files',
      BASE_URL: 'https://petitions.example',
      DATABASE_URL: service.databaseUrl,
      SECRET: 'x'.repeat(32),
    };
    const script = fileURLToPath(new URL('../demo.ts', import.meta.url));
    const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile(process.execPath, [script], { env }, (error, _, text) =>
        resolve({ code: error?.code, stderr: text }),
      );
    });
    assert.equal(code, 1);
    assert.match(stderr, /not made in production/);
  });
});
