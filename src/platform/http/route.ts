import type { IncomingHttpHeaders } from 'node:http';
import type { Static, TObject, TSchema } from 'typebox';
import type { Context } from '../context.ts';
import type { Problem, ProblemKind } from '../problems.ts';
import type { Access, Caller, KeyLevel, OAuthScope } from './credentials.ts';
import type { FailureForm, RawAnswer, Result, Returns, SetHeader } from './results.ts';

// Slices import all they need to declare endpoints from here.
export * from './credentials.ts';
export * from './results.ts';

/**
 * Media types of a body. A form's fields reach the handler as texts, and its files as FormFile. A body of
 * any type reaches it unread, as a stream: see bodies.ts.
 */
export type BodyType =
  | 'application/json'
  | 'application/x-www-form-urlencoded'
  | 'multipart/form-data'
  | '*/*';

/** How a call that serves programs by JSON serves people: by pages, and from forms. */
export interface Pages<T = unknown> {
  show(call: Call, result: T): RawAnswer;
  /** The body of the call is as it was sent, and may be anything; none where it was not read. */
  showFailure(call: Call, problem: Problem): RawAnswer | Promise<RawAnswer>;
}

/** One request, as a handler sees it. */
export interface Call<P = Record<string, string>, Q = unknown, B = unknown, C = Caller | null> {
  /** With `db` bound to the transaction of an idempotent request, if it is one. */
  ctx: Context;
  /** Which may be HEAD where the route is of GET. */
  method: string;
  /** Path and query, as they were asked for. */
  url: string;
  caller: C;
  params: P;
  query: Q;
  body: B;
  headers: IncomingHttpHeaders;
  /** Address of the caller; behind a trusted proxy, the one it tells. */
  ip: string;
  header: SetHeader;
}

/** A method, and so comparable whatever its input is: each Definition is a Route. */
interface Step<C> {
  run(call: C): Promise<void>;
}

interface Definition<
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  R extends Returns,
  A extends Access,
> {
  /** operationId of the description; also the name in logs and metrics. */
  id: string;
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** As in OpenAPI: /v1/petitions/{id} */
  path: string;
  summary: string;
  description?: string;
  tag: string;
  access: A;
  /**
   * OAuth scope that opens the call, where it is not open to anyone. Without one it takes a login token
   * or a full API key.
   */
  scope?: OAuthScope;
  /** Of API keys only full ones may call, though the method alone would not ask for it. */
  fullKeysOnly?: boolean;
  /** Keys that act for an organization may not call: what it is about is their maker's own. */
  denyOrganizationKeys?: boolean;
  /**
   * Though anyone may call, credentials that do not go so far are refused: what was done with them would
   * be taken for done by nobody.
   */
  rejectInsufficientScope?: boolean;
  params?: P;
  query?: Q;
  /**
   * Members of the query that change nothing of the answer, such as by whose link somebody came. Their
   * URLs are so many that none is remembered as a hot one.
   */
  trackingParams?: readonly string[];
  body?: B;
  /** Media types that the body may have: JSON alone unless said. */
  takes?: readonly BodyType[];
  /** Largest file in a form, in bytes. */
  largestFile?: number;
  /** The body may be left out. */
  bodyOptional?: boolean;
  /**
   * Finds out from a JSON body's text, as it came, and the headers whether it comes from where it must.
   * Asked before the shape is looked at.
   * @throws {Problem} unauthorized where it does not
   */
  verifyBody?(body: string, headers: IncomingHttpHeaders): void;
  returns: R;
  /** It may answer with 302 and a Location instead. */
  mayRedirect?: boolean;
  /** Pages, for whoever does not ask for JSON. Its status and headers are those of the JSON. */
  pages?: Pages<Result<R>>;
  /** Failures beyond those that every call of its kind can have. */
  problems?: ProblemKind[];
  /** It is a page for people, and no part of the API. */
  page?: boolean;
  /** How failures are told: as problem details unless said. */
  failures?: FailureForm;
  /** Answers carry an entity tag and If-None-Match is honoured. */
  etag?: boolean;
  /**
   * Credentials are not looked at: a stale one that a client always sends must not keep it from
   * getting a new one.
   */
  ignoresCredentials?: boolean;
  /** A bad query is 400 instead of 422. */
  badQueryIs400?: boolean;
  /** It will go in the next version; the handler's headers say what to use instead. */
  deprecated?: boolean;
  /** Example of the body, for the description. */
  example?: unknown;
  /**
   * What must be settled before `handle` by asking others over the network, where no transaction may wait
   * for them. With an Idempotency-Key it is done once, since they may answer otherwise the second time.
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

/** All about one endpoint: its contract, who may call it, what it answers, and what it does. */
export type Route = Omit<
  Definition<TObject, TObject, TSchema, Returns, Access>,
  'beforeTransaction' | 'handle' | 'pages'
> & {
  beforeTransaction?: Step<AnyCall>['run'] | undefined;
  handle(call: AnyCall): unknown;
  pages?: Pages;
};

/** Declares an endpoint; the types of the handler's input and result follow from its schemas. */
export function route<
  R extends Returns,
  A extends Access,
  P extends TObject = TObject<{}>,
  Q extends TObject = TObject<{}>,
  B extends TSchema = TSchema,
>(definition: Definition<P, Q, B, R, A>): Route {
  return definition;
}

/** /v1/petitions/{id} -> /v1/petitions/:id */
export const fastifyPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** What a call asks of credentials. */
export type Demands = Pick<
  Route,
  | 'access'
  | 'method'
  | 'scope'
  | 'fullKeysOnly'
  | 'denyOrganizationKeys'
  | 'rejectInsufficientScope'
>;

/** The least level that an API key must have for the call: docs/specification/access.md, Key levels. */
export function keyLevelFor({
  method,
  scope,
  fullKeysOnly,
}: Pick<Demands, 'method' | 'scope' | 'fullKeysOnly'>): KeyLevel {
  if (!scope || fullKeysOnly || method === 'DELETE') return 'full';
  return method === 'GET' ? 'read' : 'read_write';
}
