import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allPages, notPages, type PageState } from './support/every-page.ts';
import { makePageWorld, type PageWorld } from './support/page-world.ts';
import { linksOf, robotsRules } from './support/robots.ts';
import { startService, type Service } from './support/service.ts';

const accept = { accept: 'text/html' };

describe('what crawlers may read', () => {
  let service: Service;
  let world: PageWorld;
  let isAllowed: (path: string) => boolean;
  /** Pages as visitors without an account see them, by the path of their route. */
  let states: [route: string, state: PageState][];
  before(async () => {
    service = await startService({ worker: true });
    world = await makePageWorld(service);
    isAllowed = robotsRules((await service.api.get('/robots.txt')).body);
    states = Object.entries(allPages(world)).flatMap(([route, all]) =>
      all
        .filter(({ as, send, status = 200 }) => !as && !send && status === 200)
        // There are none in production.
        .filter(({ path }) => !path.startsWith('/dev/'))
        .map((state): [string, PageState] => [route, state]),
    );
  });
  after(() => service[Symbol.asyncDispose]());

  const open = async (path: string) => {
    const { status, headers, body } = await service.api.get(path, { headers: accept });
    const isIndexed =
      !/noindex/.test(headers.get('x-robots-tag') ?? '') &&
      !/<meta name="robots" content="noindex">/.test(body);
    return { status, body: String(body), isIndexed };
  };

  it('are petitions, people, organizations, categories and plain pages', () => {
    const path = `/p/${world.petition}`;
    const paths = [
      '/',
      '/petitions',
      '/organizations',
      '/start',
      '/about',
      '/docs',
      '/contact',
      path,
      `${path}?ref=abc`,
      `${path}?utm_source=mail&fbclid=1`,
      `${path}/updates`,
      `/p/${world.victory}/victory`,
      `/u/${world.person}`,
      `/u/${world.person}/signatures`,
      `/o/${world.organization}`,
      '/petitions?category=health',
      '/terms?language=de',
      '/feeds/new.atom',
      '/feeds/new.atom?lang=de',
      '/sitemap.xml',
      '/sitemap/pages.xml',
      '/assets/site.css',
      '/media/picture.webp',
      '/robots.txt',
      '/icons/icon.png',
      // Parameters whose names begin or end like closed ones.
      '/petitions?category=a&tagged=1',
      '/petitions?resort=1',
      '/petitions?category=q',
    ];
    assert.deepEqual(
      paths.filter((one) => !isAllowed(one)),
      [],
    );
  });

  it('are no searches, filters, orders, further pages, forms or private pages', () => {
    const path = `/p/${world.petition}`;
    const closed = [
      '/petitions?q=river',
      '/petitions?sort=recent',
      '/petitions?status=victory',
      '/petitions?country=GB',
      '/petitions?tag=river',
      '/petitions?cursor=abc',
      '/petitions?category=health&sort=recent',
      '/petitions?category=a&status=closed&tag=b',
      '/organizations?verified=true',
      '/organizations?cursor=a',
      `/u/${world.person}?cursor=a`,
      `/o/${world.organization}?cursor=a`,
      `${path}/updates?cursor=a`,
      '/terms?version=1',
      '/login',
      '/login?next=%2F',
      '/register',
      '/forgot-password',
      '/near',
      '/settings',
      `${path}/share/mastodon`,
      `${path}/report`,
      `${path}/report?comment=a`,
      `${path}/versions`,
      `${path}/versions?from=1&to=2`,
      `${path}/confirm?token=a`,
      `${path}/comments`,
      `${path}/comments/a`,
      `/u/${world.person}/report`,
      `/embed/p/${world.petition}`,
      '/start/a',
      '/start?organization=a',
      '/dashboard/keys',
      '/moderation/users',
      '/admin/site',
      '/v1/petitions',
      '/oauth/authorize',
      '/respond/a',
      '/unsubscribe/a',
      '/mail/stop/a',
      '/receipts/a',
      '/complaints/a',
      '/reports/a',
    ];
    assert.deepEqual(closed.filter(isAllowed), []);
  });

  it('are the same in robots.txt and in what routes declare', () => {
    const pathOf = new Map(states.map(([route, { path }]) => [route, path]));
    const routes = service.app.routes.filter(
      ({ method, path }) => method === 'GET' && (pathOf.has(path) || notPages.includes(path)),
    );
    assert.ok(routes.length > 50);
    for (const { path, closedToCrawlers } of routes) {
      if (path === '/oauth/authorize') continue;
      const [bare] = (pathOf.get(path) ?? path).split('?', 1);
      assert.equal(isAllowed(bare!), closedToCrawlers !== true, path);
    }
  });

  it('is what pages link to, unless the link has rel=nofollow', async () => {
    const wrong = new Set<string>();
    let count = 0;
    const pages = states.filter(([, { path }]) => isAllowed(path));
    assert.ok(pages.length > 20);
    for (const [route, { path }] of pages) {
      const { body } = await open(path);
      const links = linksOf(body, new URL(path, 'http://petitions.test'));
      count += links.length;
      for (const link of links) {
        // Programs read it, for links that somebody posts elsewhere.
        if (link.path.startsWith('/v1/oembed?')) continue;
        if (link.isFollowable && !isAllowed(link.path)) wrong.add(`${route}: ${link.path}`);
      }
    }
    assert.ok(count > 500, `${count} links`);
    assert.deepEqual([...wrong], []);
  });

  it('leaves the other pages out of indexes', async () => {
    const closed = [
      ...states.map(([, { path }]) => path).filter((path) => !isAllowed(path)),
      '/petitions?sort=recent',
      '/petitions?status=active',
      '/petitions?tag=river',
      '/petitions?category=health&country=GB',
      '/organizations?verified=true',
    ];
    assert.ok(closed.length > 30);
    for (const path of closed) assert.equal((await open(path)).isIndexed, false, path);
    for (const path of ['/', '/petitions', '/petitions?category=health', `/p/${world.petition}`]) {
      assert.equal((await open(path)).isIndexed, true, path);
    }
  });
});
