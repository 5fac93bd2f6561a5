import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Route } from '../src/platform/http/route.ts';
import { moduleNames, type ModuleName } from '../src/platform/site/profile.ts';
import type { Browser } from './support/browser.ts';
import { allPages, type PageState } from './support/every-page.ts';
import { eventually } from './support/eventually.ts';
import { browsersOf } from './support/first-loads.ts';
import { registerClient } from './support/oauth.ts';
import { makePageWorld, type PageWorld, type Role } from './support/page-world.ts';
import { addMember, createOrganization, createPublished } from './support/people.ts';
import { startService, type Service } from './support/service.ts';

const unknownId = '01a1fe8f-1e78-7684-98f3-5a33b1554d4b';

describe('a module that is off', () => {
  let service: Service;
  let world: PageWorld;
  let browsers: Map<Role | undefined, Browser>;
  let routes: readonly Route[];
  /** With the modules into which they link while all are on. */
  const pages: {
    state: PageState;
    module: ModuleName | undefined;
    linked: Set<ModuleName | undefined>;
  }[] = [];
  before(async () => {
    service = await startService({ worker: true });
    world = await makePageWorld(service);
    await service.ctx.db`
      update petitions set promoted_until = now() + interval '1 day' where id = ${world.petitionId}`;
    browsers = await browsersOf({ api: service.api.with({ accept: 'text/html' }) }, world.people);
    ({ routes } = service.app);
    for (const [route, states] of Object.entries(allPages(world))) {
      const { module } = routeOf(routes, 'GET', route) ?? {};
      for (const state of states.filter(isOpened)) {
        pages.push({ state, module, linked: await modulesLinkedBy(state) });
      }
    }
  });
  after(() => service[Symbol.asyncDispose]());

  const setModules = async (modules: Partial<Record<ModuleName, boolean>>) => {
    const { status } = await world.people.admin.api.patch('/v1/admin/site', { modules });
    assert.equal(status, 200);
  };
  const routesOf = (module: ModuleName) => routes.filter((route) => route.module === module);

  /** The modules into which a page links. */
  const modulesLinkedBy = async ({ as, path }: PageState): Promise<Set<ModuleName | undefined>> => {
    const { body } = await browsers.get(as)!.open(path);
    return new Set(targetsIn(String(body)).map((target) => routeOf(routes, ...target)?.module));
  };

  for (const module of moduleNames) {
    describe(module, () => {
      before(() => setModules({ [module]: false }));
      after(() => setModules({ [module]: true }));

      it('has no links into it on other pages', async () => {
        const linking = pages.filter(({ linked }) => linked.has(module));
        // Maps are drawn on pages, and their places are on no page of their own.
        assert.ok(linking.length > 0 || module === 'map', 'there are links while it is on');
        for (const { state } of linking.filter((page) => page.module !== module)) {
          // Pages for visitors without a cookie are cached for a second.
          await eventually(async () => !(await modulesLinkedBy(state)).has(module), 5000).catch(
            () => assert.fail(`${state.path} has a link for ${state.as ?? 'visitors'}`),
          );
        }
      });

      it('answers 501 to its operations, and 404 to its pages', async () => {
        for (const { method, path, page, auth } of routesOf(module)) {
          const address = path.replaceAll(/\{\w+\}/g, unknownId);
          const { api } = world.people.creator;
          const { status, body } = await api.send(method, address);
          assert.equal(status, page ? 404 : 501, `${method} ${path}`);
          if (page) continue;
          assert.equal(body.code, 'module_off');
          const anonymous = await service.api.send(method, address);
          assert.equal(anonymous.status, auth.access === 'anyone' ? 501 : 401, `${method} ${path}`);
        }
        const { body } = await service.api.get('/openapi.json');
        const described = new Set(
          Object.values(body.paths as Record<string, object>).flatMap((operations) =>
            Object.values(operations).map(({ operationId }) => operationId),
          ),
        );
        for (const { id } of routesOf(module)) assert.ok(!described.has(id), id);
      });
    });
  }

  it('keeps its data, which people can still delete', async () => {
    const { creator, newcomer } = world.people;
    const data = async (path: string, input: object) =>
      (await creator.api.post(path, input)).body.data;
    const key = await data('/v1/api-keys', { name: 'Mine', scopes: ['read'] });
    const hook = await data('/v1/webhooks', {
      url: 'https://example.org/',
      events: ['petition.victory'],
    });
    const client = await registerClient(creator);
    const organization = await createOrganization(creator, { name: 'Short-lived' });
    const membership = await addMember(creator, organization, newcomer);
    const petition = await createPublished(creator, { title: 'Discussed', orgId: organization.id });
    const comment = await data(`/v1/petitions/${petition.id}/comments`, { body: 'Mine' });
    const other = await data(`/v1/petitions/${petition.id}/comments`, { body: 'Kept' });
    await setModules(Object.fromEntries(moduleNames.map((name) => [name, false])));
    const withKey = service.api.with({ authorization: `Bearer ${key.key}` });
    assert.equal((await withKey.get('/v1/users/me')).status, 200);
    assert.equal((await creator.api.get('/v1/oauth/grants')).status, 200);
    assert.equal((await creator.api.get('/v1/users/me/export')).status, 200);
    const { admin } = world.people;
    for (const act of ['hide', 'unhide']) {
      assert.equal((await admin.api.post(`/v1/admin/comments/${other.id}/${act}`)).status, 200);
    }
    const own = `/v1/organizations/${organization.id}`;
    for (const [person, path] of [
      [creator, `/v1/api-keys/${key.id}`],
      [creator, `/v1/webhooks/${hook.id}`],
      [creator, `/v1/oauth/clients/${client.id}`],
      [creator, `/v1/comments/${comment.id}`],
      [newcomer, `${own}/members/${membership.id}`],
      [creator, own],
    ] as const) {
      assert.equal((await person.api.delete(path)).status, 204, path);
    }
    await setModules(Object.fromEntries(moduleNames.map((name) => [name, true])));
    const { body } = await service.api.get(`/v1/petitions/${petition.id}/comments`);
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      [other.id],
    );
  });

  it('moves no petition to the front of a list, where it is promotion', async () => {
    const isPromoted = async () => {
      const { body } = await service.api.get(`/v1/petitions/${world.petitionId}`);
      const list = await service.api.get('/v1/petitions?sort=trending');
      return body.data.promoted && list.body.data[0].promoted;
    };
    assert.equal(await isPromoted(), true);
    await setModules({ promotion: false });
    await eventually(async () => (await isPromoted()) === false);
    await setModules({ promotion: true });
  });

  it('leaves organizations out of the sitemap, where they are off', async () => {
    const sitemap = async () => String((await service.api.get('/sitemap/pages.xml')).body);
    assert.match(await sitemap(), new RegExp(`/o/${world.organization}<`));
    await setModules({ organizations: false });
    assert.doesNotMatch(await sitemap(), /\/o\/|\/organizations/);
    await setModules({ organizations: true });
  });
});

/** Whether a page is shown without a form being sent. */
const isOpened = ({ send, outcome }: PageState) => !send && !outcome;

type Target = [method: string, path: string];

/** Where links, forms and files of a page lead within the service. */
function targetsIn(html: string): Target[] {
  return [...html.matchAll(/<(\w+)([^>]*)>/g)].flatMap(([, tag, attributes]): Target[] => {
    const [, address] = /\b(?:href|src|action)="([^"]*)"/.exec(attributes!) ?? [];
    const url = URL.parse((address ?? '').replaceAll('&amp;', '&'), 'http://petitions.test/');
    if (address === undefined || url?.host !== 'petitions.test') return [];
    const isPost = tag === 'form' && attributes!.includes('method="post"');
    return [[isPost ? 'POST' : 'GET', url.pathname]];
  });
}

const parametersIn = ({ path }: Route) => path.split('{').length;

/** The route that answers a path: of those that match, the one with the fewest parameters. */
function routeOf(routes: readonly Route[], method: string, path: string): Route | undefined {
  return routes
    .filter((route) => route.method === method && patternOf(route).test(path))
    .toSorted((a, b) => parametersIn(a) - parametersIn(b))[0];
}

const patterns = new Map<string, RegExp>();

function patternOf({ path }: Route): RegExp {
  const known = patterns.get(path);
  if (known) return known;
  const escaped = path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  const pattern = new RegExp(`^${escaped.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  patterns.set(path, pattern);
  return pattern;
}
