import type { IncomingHttpHeaders } from 'node:http';
import type { Static, TObject, TSchema } from 'typebox';
import type { Context } from '../context.ts';
import type { Problem, ProblemKind } from '../problems.ts';
import type { ModuleName } from '../site/profile.ts';
import type { Access, Auth, Caller } from './credentials.ts';
import { withFields } from './fields.ts';
import { slashesKeyword } from './schema.ts';
import type { FailureFormat, RawAnswer, Result, Returns, SetHeader } from './results.ts';

// Slices import all they need to declare endpoints from here.
export * from './credentials.ts';
export * from './results.ts';

/**
 * Media types of a body. Handlers get the fields of a form as texts and its files as FormFile, and a body of any other
 * type as a stream: see bodies.ts.
 */
export type BodyType =
  | 'application/json'
  | 'application/x-www-form-urlencoded'
  | 'multipart/form-data'
  | '*/*';

/** Pages and forms of a call that also serves JSON. */
export interface Pages<T = unknown> {
  show(call: Call, result: T): RawAnswer | Promise<RawAnswer>;
  /** The body of the call may be invalid, or undefined if it was not read. */
  showFailure(call: Call, problem: Problem): RawAnswer | Promise<RawAnswer>;
}

/** One request, as a handler sees it. */
export interface Call<P = Record<string, string>, Q = unknown, B = unknown, C = Caller | null> {
  /** For idempotent requests, `db` is their transaction. */
  ctx: Context;
  /** HEAD or GET for routes of GET. */
  method: string;
  /** Path and query as requested. */
  url: string;
  caller: C;
  params: P;
  query: Q;
  body: B;
  headers: IncomingHttpHeaders;
  /** Address of the caller; behind a trusted proxy, the address that it forwards. */
  ip: string;
  header: SetHeader;
}

/** The body of a call. */
interface Body<B extends TSchema> {
  /** Without a schema, the body is ignored. */
  schema?: B;
  /** Media types that the body can have; JSON by default. */
  types?: readonly BodyType[];
  isOptional?: boolean;
  example?: unknown;
  /** Of the file in a form. */
  maxFileBytes?: number;
  /**
   * Verifies the sender by the text of a JSON body and the headers, before the body is validated.
   * @throws {Problem} unauthorized
   */
  verify?(text: string, headers: IncomingHttpHeaders): void;
}

/** How answers are cached. */
interface CacheOptions {
  /** Answers have an entity tag, and If-None-Match is honoured. */
  etag?: boolean;
  /**
   * Members of the query that do not change the answer, such as the share link. URLs with them are too many to be
   * remembered as hot.
   */
  trackingParams?: readonly string[];
}

/** How failures are answered. */
interface Failures {
  /** Problem details by default. */
  format?: FailureFormat;
  /** An invalid query is 400 instead of 422. */
  badQueryIs400?: boolean;
}

/** A method, and so comparable whatever its input is: each Endpoint is a Route. */
interface Step<C> {
  run(call: C): Promise<void>;
}

interface Endpoint<
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  R extends Returns,
  A extends Access,
> {
  /** operationId of the description; also the name in logs and metrics. */
  id: string;
  summary: string;
  description?: string;
  /** Of a part that operators can switch off. Then, after 401, the call answers 501, and a page is 404. */
  module?: ModuleName | undefined;
  /** Removed in the next version; the handler's headers name the successor. */
  deprecated?: boolean;
  auth: Auth<A>;
  params?: P;
  query?: Q;
  body?: Body<B>;
  returns: R;
  /** The call can also answer 302 with a Location. */
  mayRedirect?: boolean;
  /** Failures beyond those that every call of its kind can have. */
  problems?: ProblemKind[];
  failures?: Failures;
  /** Answers as usual while the database is away, so 503 is not among its failures. */
  worksWithoutDatabase?: true;
  cache?: CacheOptions;
  /**
   * The revision of what an editor can change, of the data of an answer. The entity tag of a read begins with it. PATCH
   * and DELETE take If-Match: the handler judges it by `preconditionOf`. Answers to PATCH carry the new entity tag.
   */
  revision?(data: never): string;
  /** Pages for clients that do not ask for JSON; they have its status and headers. */
  pages?: Pages<Result<R>>;
  /** A page for people, which is not part of the API. */
  page?: boolean;
  /** Crawlers are kept out of the page, or of its addresses with one of these query parameters: see robots.ts. */
  closedToCrawlers?: true | readonly string[] | undefined;
  /**
   * Asks other services before `handle`, since no transaction may wait for the network. With an Idempotency-Key it runs
   * once, since they may answer differently the second time.
   */
  beforeTransaction?:
    | Step<
        Call<Static<P>, Static<Q>, Static<B>, A extends 'anyone' ? Caller | null : Caller>
      >['run']
    | undefined;
  handle(
    call: Call<Static<P>, Static<Q>, Static<B>, A extends 'anyone' ? Caller | null : Caller>,
  ): Promise<Result<R>> | Result<R>;
}

/** One request, as the platform sees it: only the route knows the types of its input. */
export type AnyCall = Call<unknown>;

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** All about one endpoint: its contract, who may call it, what it answers, and what it does. */
export type Route = Omit<
  Endpoint<TObject, TObject, TSchema, Returns, Access>,
  'beforeTransaction' | 'handle' | 'pages'
> & {
  method: Method;
  /** With parameters in braces: /v1/petitions/{id} */
  path: string;
  /** Groups calls in the description. */
  tag: string;
  beforeTransaction?: Step<AnyCall>['run'] | undefined;
  handle(call: AnyCall): unknown;
  pages?: Pages;
};

/**
 * Returns functions that declare endpoints of a group, by method. The types of a handler's input and result follow
 * from the schemas.
 */
export function routes(tag: string) {
  const declare =
    (method: Method) =>
    <
      R extends Returns,
      A extends Access,
      P extends TObject = TObject<{}>,
      Q extends TObject = TObject<{}>,
      B extends TSchema = TSchema,
    >(
      path: string,
      endpoint: Endpoint<P, Q, B, R, A>,
    ): Route => {
      const { returns } = endpoint as { returns: Returns };
      const isRead = method === 'GET' && path.startsWith('/v1/');
      const hasFields = isRead && (returns.kind === 'one' || returns.kind === 'many');
      const route = { method, path, tag, ...endpoint };
      return hasFields ? { ...route, query: withFields(endpoint.query, returns.schema) } : route;
    };
  return {
    get: declare('GET'),
    post: declare('POST'),
    patch: declare('PATCH'),
    put: declare('PUT'),
    delete: declare('DELETE'),
  };
}

/**
 * Marks the routes of a part that operators can switch off. These go on: deleting and what moderators and administrators
 * do, and the routes with the ids `goingOn`.
 */
export const ofModule = (
  module: ModuleName,
  routesOfModule: readonly Route[],
  goingOn: readonly string[] = [],
): Route[] =>
  routesOfModule.map((route) =>
    route.method === 'DELETE' || isForStaff(route) || goingOn.includes(route.id)
      ? route
      : { ...route, module },
  );

const isForStaff = ({ auth }: Route): boolean =>
  auth.access === 'moderator' || auth.access === 'admin';

/** /v1/petitions/{id} -> /v1/petitions/:id; a last parameter whose value may have slashes becomes a wildcard. */
export function fastifyPath(route: Pick<Route, 'path' | 'params'>): string {
  const path = wildcardOf(route) === undefined ? route.path : route.path.replace(/\{\w+\}$/, '*');
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** The name of the last parameter of the path, if its value may have slashes. */
export function wildcardOf({ path, params }: Pick<Route, 'path' | 'params'>): string | undefined {
  const [, name] = /\{(\w+)\}$/.exec(path) ?? [];
  const schema = name === undefined ? undefined : params?.properties[name];
  return schema && slashesKeyword in schema ? name : undefined;
}

/** Whether a route answers with a stream of events, whose head does not end. */
export const isEventStream = ({ returns }: Pick<Route, 'returns'>): boolean =>
  returns.kind === 'raw' && returns.mediaTypes.includes('text/event-stream');
