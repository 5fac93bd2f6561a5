import { openPool } from '../../../src/platform/db.ts';
import type { Route } from '../../../src/platform/http/route.ts';
import type { Answer, Client } from '../../support/client.ts';
import { createUsers, logInAsAdmin, type Person } from '../../support/people.ts';
import { startService, type Service } from '../../support/service.ts';
import { startTcpProxy, type Target } from '../../support/tcp-proxy.ts';
import { encode, fill, newcomer, paramsFor, type Params } from '../fixtures.ts';

/** A request of one operation. */
export interface Request {
  /** Without credentials by default. */
  api?: Client;
  /** Instead of the path that `params` fill in. */
  path?: string;
  /** Of path and query. */
  params?: Params;
  /** Encoded as the operation takes it, unless the headers name a type. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Called after the answer. */
  afterwards?(): Promise<unknown>;
}

/** Prepares what makes an operation fail, and returns the request that fails. */
export type Scenario = (world: World, route: Route) => Promise<Request> | Request;

/** The processes and callers of scenarios. */
export interface World extends AsyncDisposable {
  service: Service;
  /** Has used up its requests of this second, which does not end. */
  exhausted: Client;
  /** Cannot reach the database of `service`. */
  disconnected: Client;
  admin: Person;
  user: Person;
  suspended: Person;
  /** Starts another process with these settings. Returns a client without credentials. */
  startBeside(env: Record<string, string>): Promise<Client>;
  /** Takes an advisory lock of the database, until the end. */
  lock(id: bigint): Promise<void>;
}

/** Starts three processes of a service: one that works, one without requests left, one without its database. */
export async function startWorld(): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startService());
  const exhausted = stack.use(await startExhausted(service));
  const disconnected = stack.use(await startDisconnected(service));
  const admin = await logInAsAdmin(service);
  admin.id = (await admin.api.get('/v1/me')).body.data.id;
  const [user, suspended] = (await createUsers(service, 2)).map((one): Person => ({
    ...one,
    password: 'none',
    refreshToken: 'none',
    slug: one.id,
    accessToken: one.token,
  }));
  await admin.api.post(`/v1/admin/users/${suspended!.id}/suspend`, { reason: 'Spam' });
  // Locks belong to a session, so all are taken on one connection.
  const locks = openPool(service.databaseUrl, { name: 'test', max: 1 });
  stack.defer(() => locks.end());
  const owned = stack.move();
  return {
    service,
    exhausted: exhausted.api,
    disconnected: disconnected.api,
    admin,
    user: user!,
    suspended: suspended!,
    startBeside: async (env) =>
      owned.use(await startService({ beside: service, env, log: [] })).api,
    lock: async (id) => void (await locks`select pg_advisory_lock(${String(id)}::bigint)`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Its clock stands still, so that no requests are given back. */
async function startExhausted(service: Service): Promise<Service> {
  const startedAt = new Date();
  const exhausted = await startService({
    beside: service,
    env: { RATE_LIMITS: '' },
    parts: { now: () => startedAt },
  });
  let status: number;
  do ({ status } = await exhausted.api.get('/health'));
  while (status !== 429);
  return exhausted;
}

/** Its log is dropped: each of its failures is one line. */
async function startDisconnected(service: Service): Promise<Service> {
  const database = new URL(service.databaseUrl);
  const target: Target = { host: database.hostname, port: Number(database.port) };
  const proxy = await startTcpProxy(target);
  database.hostname = '127.0.0.1';
  database.port = String(proxy.port);
  const disconnected = await startService({ databaseUrl: database.href, log: [] });
  await proxy.refuse();
  return disconnected;
}

/** A caller who may call the operation, and the parameters of a thing that they own. */
export async function ownedCall(
  { service, admin }: World,
  route: Route,
): Promise<{ caller: Person; params: Params }> {
  const owner = await newcomer(service, route);
  return {
    caller: callerOf(route, { admin, user: owner }),
    params: await paramsFor(route, service, owner),
  };
}

/** The one of them who may call the operation, as far as its role decides. */
export const callerOf = ({ auth }: Route, { admin, user }: Pick<World, 'admin' | 'user'>): Person =>
  auth.access === 'admin' || auth.access === 'moderator' ? admin : user;

/** Changes a setting of the site for one request. */
export async function withSetting(
  { admin }: World,
  setting: Record<string, unknown>,
  before: Record<string, unknown>,
): Promise<Pick<Request, 'afterwards'>> {
  await admin.api.patch('/v1/admin/site', setting);
  return { afterwards: () => admin.api.patch('/v1/admin/site', before) };
}

/** Sends a request of an operation. */
export async function send({ service }: World, route: Route, request: Request): Promise<Answer> {
  const { api = service.api, params, headers = {} } = request;
  const path = request.path ?? fill(route.path, params ?? {});
  const isEncoded = headers['content-type'] !== undefined;
  const [body, encoded] = isEncoded ? [request.body] : encode(route, request.body);
  try {
    return await api.send(route.method, path, body, {
      headers: { ...encoded?.headers, ...headers },
    });
  } finally {
    await request.afterwards?.();
  }
}
