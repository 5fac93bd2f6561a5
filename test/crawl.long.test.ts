import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fillWorld } from '../bench/support/world.ts';
import { crawl } from './support/crawl.ts';
import { eventually } from './support/eventually.ts';
import { freePort } from './support/process.ts';
import { robotsRules } from './support/robots.ts';
import { startService, type Service } from './support/service.ts';

/** CRAWLED_PETITIONS=10000 measures a larger site. */
const petitions = Number(process.env.CRAWLED_PETITIONS ?? 500);
const timeout = 100_000 + petitions * 200;

/** A site with petitions of three years, their creators, signers and organizations. */
async function makeSite({ ctx, app, databaseUrl }: Service): Promise<void> {
  const db = ctx.pools.main;
  const size = { petitions, signatures: petitions * 3, creators: Math.ceil(petitions / 10) };
  await fillWorld(db, { ...size, onePetition: petitions });
  await db`update users set show_signatures = true where right(id::text, 1) < '4'`;
  await db`
    insert into organizations (id, name, slug, description)
    select uuid_v7(), 'Organization ' || n, 'organization-' || n, 'We care for the river.'
    from generate_series(1, ${Math.ceil(petitions / 50)}) n`;
  const worker = await app.startWorker(databaseUrl);
  await eventually(async () => !(await db.exists`select from search_changes`), 600_000);
  await worker.stop();
}

/** Numbers of public petitions, users, organizations and categories. */
async function countEntities({ ctx: { db } }: Service) {
  const [counts] = await db<
    { petitions: number; users: number; organizations: number; categories: number }[]
  >`
    select (select count(*)::integer from petitions where listed) as petitions,
      (select count(*)::integer from users) as users,
      (select count(*)::integer from organizations) as organizations,
      (select count(*)::integer from categories) as categories`;
  return counts!;
}

describe('a crawl of the whole site', () => {
  it(
    'ends soon if it obeys robots.txt and nofollow, and finds every petition',
    { timeout },
    async (t) => {
      await using service = await startService({ port: await freePort() });
      await makeSite(service);
      const counts = await countEntities(service);
      const entities = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const { read, seconds } = await crawl(service.origin, {
        isObedient: true,
        maxPages: Infinity,
      });

      const failed = [...read].filter(([, status]) => status >= 400);
      assert.deepEqual(failed, []);
      const slugs = await service.ctx.db.column<string>`select slug from petitions where listed`;
      assert.deepEqual(
        slugs.filter((slug) => !read.has(`/p/${slug}`)),
        [],
      );
      // A petition has a page of its updates or its victory, and a user one of signatures.
      assert.ok(read.size < 1.5 * entities + 50, `${read.size} pages for ${entities} entities`);
      t.diagnostic(
        `${read.size} pages in ${seconds.toFixed(0)} s for ${JSON.stringify(counts)}: ${(read.size / counts.petitions).toFixed(2)} for each petition`,
      );

      // What it is kept out of, which has no end.
      const maxPages = 2 * petitions;
      const all = await crawl(service.origin, { isObedient: false, maxPages });
      const isAllowed = robotsRules((await service.api.get('/robots.txt')).body);
      const closed = [...all.read.keys()].filter((path) => !isAllowed(path)).length;
      assert.ok(all.waiting > petitions, `${all.waiting} are left`);
      t.diagnostic(
        `without robots.txt and nofollow: ${all.read.size} pages in ${all.seconds.toFixed(0)} s, ${closed} of them closed to crawlers, ${all.waiting} more addresses found`,
      );
    },
  );
});
