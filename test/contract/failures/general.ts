import assert from 'node:assert/strict';
import { newId } from '../../../src/platform/ids.ts';
import { maxBodyBytes } from '../../../src/platform/http/body-limits.ts';
import { streamedBodyType } from '../../../src/platform/http/bodies.ts';
import { takesIdempotencyKey, takesIfMatch } from '../../../src/platform/http/openapi-responses.ts';
import type { Route } from '../../../src/platform/http/route.ts';
import { bodyFor, fill, proof, takes, type Params } from '../fixtures.ts';
import { callerOf, ownedCall, send, withSetting, type Scenario } from './world.ts';

/** A failure that all operations of a kind can have, and a scenario that produces it for any of them. */
interface GeneralFailure {
  status: number;
  /** The operations that can have it. */
  appliesTo(route: Route): boolean;
  scenario: Scenario;
}

const unknownId = '01a1fe8f-1e78-7684-98f3-5a33b1554d4b';
const json = { 'content-type': 'application/json' };

const readsBody = (route: Route) =>
  route.body?.schema !== undefined && streamedBodyType(route) === undefined;
const takesJson = (route: Route) => readsBody(route) && takes(route, 'application/json');
const readsCredentials = ({ auth }: Route) => !auth.ignoresCredentials;
const hasParams = ({ params }: Route) => params !== undefined;

/** Well-formed parameters that name nothing. */
function unknownParams({ path }: Route): Params {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  return Object.fromEntries(names.map((name) => [name, unknownId]));
}

/** Requests that fail before the thing in the path is looked for. */
const early =
  (request: { body?: unknown; headers?: Record<string, string>; query?: Params }): Scenario =>
  (world, route) => ({
    api: callerOf(route, world).api,
    params: { ...unknownParams(route), ...request.query },
    body: bodyFor(route, world.user),
    ...request,
  });

const withCredentials =
  (authorization: string): Scenario =>
  ({ service }, route) => ({
    api: service.api.with({ authorization }),
    params: unknownParams(route),
    body: bodyFor(route, undefined),
  });

/** Cursors are read after the thing whose list is asked for. */
const unknownCursor: Scenario = async (world, route) => {
  const { caller, params } = await ownedCall(world, route);
  return { api: caller.api, params: { ...params, cursor: 'bm90IG91cnM' } };
};

const malformedPath: Scenario = (world, route) => ({
  api: callerOf(route, world).api,
  path: route.path.replaceAll(/\{\w+\}/g, '%zz'),
  body: bodyFor(route, world.user),
});

/** Sends a key that an earlier request with another body had. */
const reusedKey: Scenario = async (world, route) => {
  const { caller, params } = await ownedCall(world, route);
  const headers = { 'idempotency-key': newId() };
  const first = { api: caller.api, params, body: {}, headers };
  const { status } = await send(world, route, first);
  assert.ok(status < 300, `the first request: ${status}`);
  return { ...first, body: { other: true } };
};

/** Locks the key as a request that is still under way does. */
const keyInUse: Scenario = async (world, route) => {
  const { caller, params } = await ownedCall(world, route);
  const key = newId();
  const operation = `POST ${fill(route.path, params)}`;
  const keyHash = world.service.ctx.keys.hash('idempotency', caller.id, operation, key);
  await world.lock(keyHash.readBigInt64BE());
  const headers = { 'idempotency-key': key };
  return { api: caller.api, params, body: bodyFor(route, caller), headers };
};

const staleRevision: Scenario = async (world, route) => {
  const { caller, params } = await ownedCall(world, route);
  const headers = { 'if-match': '"stale"' };
  return { api: caller.api, params, body: bodyFor(route, caller), headers };
};

/** A value that no parameter of the query accepts. */
function wrongQuery({ query }: Route): Params {
  const name = Object.keys(query!.properties).find((one) => one !== 'cursor');
  return { [name!]: '\u0000'.repeat(5000) };
}

const unavailable: Scenario = async (world, route) => {
  const { caller, params } = await ownedCall(world, route);
  const api = world.disconnected.as(caller.accessToken);
  return { api, params, body: bodyFor(route, caller) };
};

/** The part of the service that the operation belongs to is off for the request. */
const switchedOff: Scenario = async (world, route) => {
  const modules = (isOn: boolean) => ({ modules: { [route.module!]: isOn } });
  const request = await early({})(world, route);
  return { ...request, ...(await withSetting(world, modules(false), modules(true))) };
};

/** In the order in which they are tried: the first that applies to an operation produces its failure. */
export const generalFailures: GeneralFailure[] = [
  {
    status: 400,
    appliesTo: takesJson,
    scenario: early({ body: '{"a":', headers: json }),
  },
  {
    status: 400,
    appliesTo: ({ query }) => query?.properties.cursor !== undefined,
    scenario: unknownCursor,
  },
  {
    status: 400,
    appliesTo: takesIdempotencyKey,
    scenario: early({ headers: { 'idempotency-key': ' ' } }),
  },
  {
    status: 400,
    appliesTo: ({ failures }) => failures?.badQueryIs400 === true,
    scenario: (world, route) => ({ params: wrongQuery(route) }),
  },
  { status: 400, appliesTo: hasParams, scenario: malformedPath },
  { status: 401, appliesTo: readsCredentials, scenario: withCredentials('Bearer wrong') },
  {
    status: 403,
    appliesTo: readsCredentials,
    scenario: (world, route) =>
      withCredentials(`Bearer ${world.suspended.accessToken}`)(world, route),
  },
  { status: 404, appliesTo: hasParams, scenario: early({}) },
  { status: 409, appliesTo: takesIdempotencyKey, scenario: keyInUse },
  { status: 412, appliesTo: takesIfMatch, scenario: staleRevision },
  {
    status: 413,
    appliesTo: readsBody,
    scenario: (world, route) =>
      early({ body: `"${'x'.repeat(maxBodyBytes(route)!)}"`, headers: json })(world, route),
  },
  {
    status: 415,
    appliesTo: readsBody,
    scenario: early({ body: 'text', headers: { 'content-type': 'text/plain' } }),
  },
  {
    status: 422,
    appliesTo: takesJson,
    scenario: (world, route) =>
      early({ body: '[]', headers: { ...json, ...proof(route, '[]') } })(world, route),
  },
  {
    status: 422,
    appliesTo: readsBody,
    scenario: early({ body: {} }),
  },
  {
    status: 422,
    appliesTo: ({ query }) => query !== undefined,
    scenario: (world, route) => early({ query: wrongQuery(route) })(world, route),
  },
  { status: 422, appliesTo: takesIdempotencyKey, scenario: reusedKey },
  {
    status: 429,
    appliesTo: () => true,
    scenario: ({ exhausted }, route) => ({
      api: exhausted,
      params: unknownParams(route),
      body: bodyFor(route, undefined),
    }),
  },
  { status: 501, appliesTo: ({ module }) => module !== undefined, scenario: switchedOff },
  { status: 503, appliesTo: () => true, scenario: unavailable },
];
