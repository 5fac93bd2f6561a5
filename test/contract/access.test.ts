import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Access, Route } from '../../src/platform/http/route.ts';
import { logInAsAdmin, signUp, type Person } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { bodyFor, encode, fill, newcomer, paramsFor } from './fixtures.ts';

const service = await startService();
const routes = service.app.routes.filter(({ page }) => !page);
const admin = await logInAsAdmin(service);
const moderator = await signUp(service, 'Moderator');
await service.ctx.pools.main`update users set role = 'moderator' where id = ${moderator.id}`;
await service.app.sessions.revocations.refresh();
after(() => service[Symbol.asyncDispose]());

/** Calls every operation as every kind of caller, and checks its declared access. */
describe('who may call what', () => {
  /** Calls the operation as this person. Returns the status. */
  const call = async (route: Route, owner: Person, person: Person | undefined) => {
    const params = await paramsFor(route, service, owner);
    const { status } = await (person?.api ?? service.api).send(
      route.method,
      fill(route.path, params),
      ...encode(route, bodyFor(route, person ?? owner)),
    );
    return status;
  };

  for (const route of routes) {
    it(`${route.id}: ${route.auth.access}`, async () => {
      assert.ok(accesses.has(route.auth.access), `${route.id} does not declare who may call it`);
      const owner = await newcomer(service, route);
      const stranger = await newcomer(service, route);
      // A WebSocket answers 426 to an ordinary request.
      const passes = (status: number) => status < 400 || [409, 410, 426].includes(status);

      const asAnonymous = await call(route, await newcomer(service, route), undefined);
      if (needsCookie.has(route.id)) {
        assert.equal(asAnonymous, 403, 'without its cookie');
        return;
      }
      if (route.auth.access === 'anyone')
        assert.ok(passes(asAnonymous), `anonymous: ${asAnonymous}`);
      else assert.equal(asAnonymous, 401, 'anonymous');

      const asStranger = await call(route, owner, stranger);
      const open = route.auth.access === 'anyone' || route.auth.access === 'user';
      const own = new Set([
        'changeOwnSignature',
        'withdrawSignature',
        'getOwnReceipt',
        'verifyPhone',
        'getEarlierAccount',
        'keepEarlierAccount',
        'deleteEarlierAccount',
      ]);
      if (own.has(route.id)) assert.ok([404, 422].includes(asStranger), `${asStranger}`);
      // The stranger has not signed, or has proven no address.
      else if (signersOnly.has(route.id) || route.id === 'changeEmail')
        assert.equal(asStranger, 403, 'another user');
      else if (open) assert.ok(passes(asStranger), `another user: ${asStranger}`);
      else assert.ok([403, 404].includes(asStranger), `another user: ${asStranger}`);

      if (route.auth.access === 'moderator' || route.auth.access === 'admin') {
        const asModerator = await call(route, owner, moderator);
        if (route.auth.access === 'moderator') assert.ok(passes(asModerator), `${asModerator}`);
        else assert.equal(asModerator, 403, 'a moderator');
        const asAdmin = await call(route, owner, admin);
        assert.ok(passes(asAdmin), `an administrator: ${asAdmin}`);
      } else if (route.id !== 'verifyPhone') {
        const asOwner = await call(route, owner, owner);
        assert.ok(passes(asOwner), `the owner: ${asOwner}`);
      }
    });
  }
});

describe('lists of a petition', () => {
  const lists = routes.filter(
    ({ method, path, returns }) =>
      method === 'GET' && path.startsWith('/v1/petitions/{') && returns.kind === 'many',
  );
  for (const route of lists) {
    it(`${route.id} has an entity tag`, async () => {
      const owner = await newcomer(service, route);
      const path = fill(route.path, await paramsFor(route, service, owner));
      const first = await owner.api.get(path);
      assert.equal(first.status, 200);
      const headers = { 'if-none-match': first.headers.get('etag')! };
      assert.equal((await owner.api.get(path, { headers })).status, 304);
    });
  }
});

/** For those who have signed the petition, which the owner has. */
const signersOnly = new Set(['giveOpinion']);

/** Forms of pages, which need a browser's cookie; the slice tests them. */
const needsCookie = new Set(['logInToAuthorize']);

const accesses = new Set<Access>(['anyone', 'user', 'owner', 'moderator', 'admin']);
