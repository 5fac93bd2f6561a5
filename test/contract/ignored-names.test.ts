import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Route } from '../../src/platform/http/route.ts';
import { logInAsAdmin, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { bodyFor, encode, fill, newcomer, paramsFor, takes } from './fixtures.ts';

const service = await startService();
const admin = await logInAsAdmin(service);
after(() => service[Symbol.asyncDispose]());

/** Whether answers have a `meta`, which can name what was ignored. */
const hasMeta = ({ path, page, returns }: Route): boolean =>
  !page && path.startsWith('/v1/') && (returns.kind === 'one' || returns.kind === 'many');

/** These need what fixtures do not make, or read a form as it arrives. */
const exempt = new Set(['verifyPhone', 'renewAccessCode', 'uploadMedia']);

describe('an unknown parameter and an unknown field', () => {
  for (const route of service.app.routes.filter(hasMeta).filter(({ id }) => !exempt.has(id))) {
    it(`warn in ${route.id}`, async () => {
      const owner = await newcomer(service, route);
      const { access } = route.auth;
      const caller = access === 'moderator' || access === 'admin' ? admin : owner;
      const params = await paramsFor(route, service, owner);
      const body = bodyFor(route, caller);
      const hasFields = route.body?.schema !== undefined && takes(route, 'application/json');
      const sent = hasFields ? { ...(body as object | undefined), unheard_of: 1 } : body;
      const path = fill(route.path, params);
      const { status, body: answer } = await caller.api.send(
        route.method,
        `${path}${path.includes('?') ? '&' : '?'}unheard_of=1`,
        ...encode(route, sent),
      );
      assert.ok(status < 300, `${status} ${JSON.stringify(answer)}`);
      const places = (answer.meta.warnings as { in: string; field: string }[])
        .filter(({ field }) => field === 'unheard_of')
        .map((one) => one.in);
      assert.deepEqual(new Set(places), new Set(hasFields ? ['query', 'body'] : ['query']));
    });
  }
});

describe('a person', () => {
  it('is not warned of what trackers add to links', async () => {
    const person = await signUp(service);
    const { body } = await person.api.get('/v1/users/me?utm_source=mail&ref=abc');
    assert.equal(body.meta.warnings, undefined);
  });
});
