import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Route } from '../../src/platform/http/route.ts';
import { generalFailures } from './failures/general.ts';
import { impossible } from './failures/impossible.ts';
import { scenarios } from './failures/scenarios.ts';
import { send, startWorld, type Scenario } from './failures/world.ts';

const world = await startWorld();
const routes = world.service.app.routes.filter(({ page }) => !page);
after(() => world[Symbol.asyncDispose]());

/** Statuses of failures in the description of the operation. */
function describedFailures({ method, path }: Route): number[] {
  const { paths } = world.service.contract.description;
  const { responses } = paths[path]![method.toLowerCase()]!;
  return Object.keys(responses)
    .map(Number)
    .filter((status) => status >= 400);
}

/** What produces the failure: a scenario of the operation, else the first general one that applies. */
const scenarioOf = (route: Route, status: number): Scenario | undefined =>
  scenarios[`${route.id} ${status}`] ??
  generalFailures.find((one) => one.status === status && one.appliesTo(route))?.scenario;

/** Whether the failure is named as one that no scenario produces. */
const isExempt = (name: string, status: number): boolean =>
  name in impossible || status in impossible;

/** Produces every failure that the description names, so that clients handle none that cannot happen. */
describe('described failures', () => {
  for (const route of routes) {
    it(route.id, async (t) => {
      for (const status of describedFailures(route)) {
        const name = `${route.id} ${status}`;
        const scenario = scenarioOf(route, status);
        const exempt = isExempt(name, status);
        if (exempt && !scenario) continue;
        await t.test(String(status), async () => {
          assert.ok(scenario, `add a scenario of ${name}, or say why there can be none`);
          const { status: answered } = await send(world, route, await scenario(world, route));
          if (exempt) assert.notEqual(answered, status, `${name} is named as not produced`);
          else assert.equal(answered, status);
        });
      }
    });
  }

  it('are all that scenarios and exemptions name', () => {
    const described = new Set(
      routes.flatMap((route) =>
        describedFailures(route).flatMap((status) => [`${route.id} ${status}`, String(status)]),
      ),
    );
    const named = [...Object.keys(scenarios), ...Object.keys(impossible)];
    assert.deepEqual(
      named.filter((name) => !described.has(name)),
      [],
    );
  });
});

describe('a wrong method', () => {
  for (const [path, declared] of Map.groupBy(routes, (route) => route.path)) {
    it(`of ${path} is answered with those that it has`, async () => {
      const has = new Set<string>(declared.map(({ method }) => method));
      const wrong = ['DELETE', 'PUT', 'PATCH'].find((method) => !has.has(method))!;
      const { status, headers } = await world.service.api.send(
        wrong,
        path.replaceAll(/\{\w+\}/g, 'any'),
      );
      assert.equal(status, 405);
      const allowed = headers.get('allow')!.split(', ');
      assert.deepEqual(
        [...has].filter((method) => !allowed.includes(method)),
        [],
      );
      assert.ok(!allowed.includes(wrong));
    });
  }
});
