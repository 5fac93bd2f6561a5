import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from 'typebox';
import type { Context } from '../context.ts';
import type { Page } from '../cursor.ts';
import type { Problem, ProblemKind } from '../problems.ts';
import type { Access, Caller, KeyLevel, OAuthScope } from './credentials.ts';
import type { WrittenPage } from './written-page.ts';

export * from './credentials.ts';

/**
 * Media types of a body. A form's fields reach the handler as texts, and its files as FormFile. A body of
 * any type reaches it unread, as a stream: see bodies.ts.
 */
export type BodyType =
  | 'application/json'
  | 'application/x-www-form-urlencoded'
  | 'multipart/form-data'
  | '*/*';

/** What a call answers when all went well, and how it is wrapped. */
export type Returns =
  | { kind: 'one'; status: number; schema: TSchema }
  | {
      kind: 'many';
      status: number;
      schema: TSchema;
      pagination?: Record<string, TSchema>;
      beside?: Record<string, TSchema>;
    }
  | { kind: 'bare'; status: number; schema: TSchema }
  | { kind: 'nothing'; status: number }
  | { kind: 'raw'; status: number; mediaTypes: string[] }
  | { kind: 'streamed'; status: number; schema: TSchema; mediaTypes: string[]; isBare?: true };

/** `{data, meta}` */
export const one = <T extends TSchema>(schema: T, status = 200) =>
  ({ kind: 'one', status, schema }) as const;
/**
 * `{data: [], pagination, meta}`, with more members of pagination where named, and more beside it, which
 * the page has as `beside`.
 */
export const many = <
  T extends TSchema,
  P extends Record<string, TSchema> = {},
  B extends Record<string, TSchema> = {},
>(
  schema: T,
  pagination: P = {} as P,
  beside: B = {} as B,
) => ({ kind: 'many', status: 200, schema, pagination, beside }) as const;
/** The object itself, without an envelope. */
export const bare = <T extends TSchema>(schema: T, status = 200) =>
  ({ kind: 'bare', status, schema }) as const;
/** 204 */
export const nothing = () => ({ kind: 'nothing', status: 204 }) as const;
/** A list that is written while it is read: as `many`, or in another of these media types. */
export const streamed = <T extends TSchema>(schema: T, ...mediaTypes: string[]) =>
  ({ kind: 'streamed', status: 200, schema, mediaTypes }) as const;
/** The object itself, without an envelope, that is written while it is read. */
export const streamedObject = <T extends TSchema>(schema: T) =>
  ({ kind: 'streamed', status: 200, schema, mediaTypes: [] as string[], isBare: true }) as const;
/** Something that is not JSON, or JSON that streams without an envelope. */
export const raw = (...mediaTypes: string[]) => ({ kind: 'raw', status: 200, mediaTypes }) as const;

/** An empty answer that sends the browser on; the handler gives it by `redirectTo`. */
export const redirect = (status: 302 | 303) => ({ kind: 'raw' as const, status, mediaTypes: [] });

/** An answer that is written out already, all but its `meta`, so that a hot one is written once. */
export class Rendered {
  /**
   * The answer up to the request id, in UTF-8, with a character for each byte: Node then sends headers
   * and body as one piece, and turns no text into bytes anew for each answer.
   */
  readonly head: string;
  /** Weak, since request id and time differ from answer to answer; quoted. */
  readonly etag: string;
  constructor(head: string, etag: string) {
    this.head = head;
    this.etag = etag;
  }
}

export interface RawAnswer {
  status?: number;
  mediaType: string;
  body: string | Buffer | Readable;
  /** Of a route that has entity tags, quoted. */
  etag?: string;
}

/** What a streamed answer is written from. */
export interface StreamedAnswer {
  /** The text piece by piece; of a list in JSON, what stands between the brackets of `data`. */
  pieces: AsyncIterable<string>;
  /** JSON unless said. */
  mediaType?: string;
  /** Of a list. */
  nextCursor?: string | null;
}

/** Sends a browser on to another address. Where it comes from and goes is kept by nobody. */
export function redirectTo(
  header: Call['header'],
  location: string,
  status: 302 | 303 = 302,
): RawAnswer {
  header('location', location);
  header('cache-control', 'no-store');
  header('referrer-policy', 'no-referrer');
  return { status, mediaType: 'text/plain', body: '' };
}

/** How a route tells its failures, where its callers do not expect problem details. */
export interface FailureForm {
  mediaType: string;
  /** Of the body, where that is JSON. */
  schema?: TSchema;
  /** The status that such a failure has in this form. */
  statusOf(kind: ProblemKind): number;
  /** `headers` are those of the request. */
  write(problem: Problem, header: Call['header'], headers: IncomingHttpHeaders): string;
}

/** How a call that serves programs by JSON serves people: by pages, and from forms. */
export interface Pages<T = unknown> {
  show(call: Call, result: T): RawAnswer;
  /** The body of the call is as it was sent, and may be anything; none where it was not read. */
  showFailure(call: Call, problem: Problem): RawAnswer | Promise<RawAnswer>;
}

type Listed<R extends Returns> = R extends {
  kind: 'many';
  schema: infer T;
  pagination?: infer P;
  beside?: infer B;
}
  ? Page<Static<T & TSchema>> &
      Members<P> &
      (keyof B extends never ? unknown : { beside: Members<B> })
  : never;

type Members<P> = { [K in keyof P]: Static<P[K] & TSchema> };

export type Result<R extends Returns> = R extends { kind: 'one'; schema: infer T }
  ? Static<T & TSchema> | Rendered
  : R extends { kind: 'many' }
    ? Listed<R> | Rendered
    : R extends { kind: 'bare'; schema: infer T }
      ? Static<T & TSchema>
      : R extends { kind: 'raw' }
        ? RawAnswer | WrittenPage
        : R extends { kind: 'streamed' }
          ? StreamedAnswer
          : void;

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
  /** Sets a header of the answer. */
  header: (name: string, value: string) => void;
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
  /** As in the specification: /v1/petitions/{id} */
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

/**
 * Says of an answer that its call will go, since when (RFC 9745), and what to use instead.
 */
export function deprecate(
  header: Call['header'],
  { since, successor }: { since: string; successor: string },
): void {
  header('deprecation', `@${Date.parse(since) / 1000}`);
  header('link', `<${successor}>; rel="successor-version"`);
}

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

/** The least level that an API key must have for the call: decisions.md section 4. */
export function keyLevelFor({
  method,
  scope,
  fullKeysOnly,
}: Pick<Demands, 'method' | 'scope' | 'fullKeysOnly'>): KeyLevel {
  if (!scope || fullKeysOnly || method === 'DELETE') return 'full';
  return method === 'GET' ? 'read' : 'read_write';
}
