import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { keyLevels, type KeyLevel, type Route } from '../../src/platform/http/route.ts';
import { logInAsAdmin, signUp, verifyAddress, type Person } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { bodyFor, encode, fill, paramsFor } from './fixtures.ts';

const service = await startService();
const { routes } = service.app;
const { paths } = service.app.describe() as {
  paths: Record<string, Record<string, { 'x-api-key-scope'?: KeyLevel; 'x-access': string }>>;
};
const admin = await logInAsAdmin(service);
const user = await signUp(service);

/** Calls every operation with keys of every level, and checks the documented level. */
describe('access of API keys by level', () => {
  after(() => service[Symbol.asyncDispose]());

  const keysOf = async (person: Person) => {
    const keys = [];
    for (const level of keyLevels) {
      const input = { name: level, scopes: [level] };
      const { body } = await person.api.post('/v1/api-keys', input);
      keys.push({ level, api: service.api.as(body.data.key) });
    }
    return keys;
  };
  const holders = {
    user: { person: user, keys: keysOf(user) },
    admin: { person: admin, keys: keysOf(admin) },
  };

  const endsAccess = new Set([
    'eraseOwnAccount',
    'endOtherSessions',
    'changePassword',
    'removePassword',
    'changeEmail',
  ]);
  /** A person who may make the call, with keys. */
  const holderFor = async ({ id, auth: { access } }: Route) => {
    if (!endsAccess.has(id)) {
      return access === 'admin' || access === 'moderator' ? holders.admin : holders.user;
    }
    const person = await signUp(service);
    await verifyAddress(service, person);
    return { person, keys: keysOf(person) };
  };

  // Verifying a phone needs a code: 422 shows that the key was accepted.
  const passes = ({ id }: Route, status: number) =>
    status < 400 || [409, 410, 426].includes(status) || (id === 'verifyPhone' && status === 422);

  for (const route of routes.filter(({ auth }) => !auth.ignoresCredentials)) {
    const described = paths[route.path]![route.method.toLowerCase()]!;
    const open = described['x-access'] === 'anyone' && !route.auth.rejectInsufficientScope;
    const needed = described['x-api-key-scope'] ?? 'read';
    it(`${route.id}: ${open ? 'open' : needed}`, async () => {
      const { person, keys } = await holderFor(route);
      for (const { level, api } of await keys) {
        const path = fill(route.path, await paramsFor(route, service, person));
        const { status, body } = await api.send(
          route.method,
          path,
          ...encode(route, bodyFor(route, person)),
        );
        if (open || keyLevels.indexOf(level) >= keyLevels.indexOf(needed)) {
          assert.ok(passes(route, status), `${level}: ${status} ${JSON.stringify(body)}`);
        } else {
          assert.deepEqual([status, body.code], [403, 'insufficient_scope'], level);
        }
      }
    });
  }

  it('follows docs/specification/access.md, Key levels', () => {
    const expected: Record<string, KeyLevel | undefined> = {
      listPetitions: 'read',
      createPetition: 'read_write',
      updatePetition: 'read_write',
      publishPetition: 'read_write',
      closePetition: 'full',
      declareVictory: 'full',
      deletePetition: 'full',
      signPetition: 'read_write',
      withdrawSignature: 'full',
      getOwnAccount: 'read',
      eraseOwnAccount: 'full',
      listApiKeys: 'full',
      listSessions: 'full',
      addCategory: 'full',
      login: undefined,
    };
    for (const [id, level] of Object.entries(expected)) {
      const { path, method } = routes.find((route) => route.id === id)!;
      assert.equal(paths[path]![method.toLowerCase()]!['x-api-key-scope'], level, id);
    }
  });
});
