import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Route } from '../src/platform/http/route.ts';
import { allPages, notPages } from './support/every-page.ts';
import { measureFirstLoads, maxFirstLoadBytes } from './support/first-loads.ts';
import { makePageWorld, type PageWorld } from './support/page-world.ts';
import { startService, type Service } from './support/service.ts';

describe('every page', () => {
  let service: Service;
  let world: PageWorld;
  before(async () => {
    service = await startService({ worker: true });
    world = await makePageWorld(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const isPage = ({ method, returns, pages }: Route) =>
    method === 'GET' &&
    (pages !== undefined || (returns.kind === 'raw' && returns.mediaTypes.includes('text/html')));

  it('is listed in every-page.ts', () => {
    const known = new Set([...Object.keys(allPages(world)), ...notPages]);
    const missing = service.app.routes.filter(isPage).filter(({ path }) => !known.has(path));
    assert.deepEqual(
      missing.map(({ path }) => path),
      [],
      'test/support/every-page.ts lists all pages',
    );
  });

  it('has its status, no code in its texts, no id twice, and at most 60,000 bytes on the wire without pictures', async () => {
    const loads = await measureFirstLoads(service, world, Object.values(allPages(world)).flat());
    const wrong = loads.filter(
      ({ state: { status = 200 }, ...load }) =>
        load.status !== status ||
        load.templateMistakes.length > 0 ||
        load.repeatedIds.length > 0 ||
        load.wireBytes > maxFirstLoadBytes,
    );
    assert.deepEqual(wrong, []);
  });
});
