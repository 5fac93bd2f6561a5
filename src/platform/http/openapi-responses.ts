import type { TSchema } from 'typebox';
import { STATUS_CODES } from 'node:http';
import { problemKinds, type ProblemKind } from '../problems.ts';
import { streamedBodyType } from './bodies.ts';
import { refer, type Json } from './openapi-schemas.ts';
import { isProgramPath } from './pages.ts';
import type { Returns } from './results.ts';
import type { Route } from './route.ts';
import { Meta, Pagination } from './schema.ts';

/** A real answer of an operation. */
export interface AnswerExample {
  status: number;
  body: unknown;
}

interface ResponseOptions {
  /** Gets the named schemas. */
  schemas: Json;
  example: AnswerExample | undefined;
}

/** Every response of an operation, by status. */
export const responsesOf = (route: Route, { schemas, example }: ResponseOptions): Json => ({
  [route.returns.status]: success(route, { schemas, example }),
  ...(route.cache?.etag && { 304: { description: 'Not changed since the entity tag was given' } }),
  ...(route.mayRedirect && { 302: redirection }),
  ...(route.returns.kind === 'raw' &&
    route.returns.pending &&
    pending(route.returns.pending, { schemas, example })),
  ...Object.fromEntries(problemsOf(route).map((kind) => failure(route, kind, schemas))),
});

export const takesIdempotencyKey = (route: Route) =>
  route.method === 'POST' && route.auth.access !== 'anyone';

/** Whether a change can be refused with 412. */
export const takesIfMatch = ({ revision, method }: Route) =>
  revision !== undefined && method !== 'GET';

function success(route: Route, { schemas, example }: ResponseOptions): Json {
  const { returns, cache, revision, pages, query } = route;
  const description = STATUS_CODES[returns.status]!;
  const hasEtag = cache?.etag || (revision && returns.kind === 'one');
  const headers = headersNamed([
    ...limitHeaders,
    ...(hasEtag ? ['ETag'] : []),
    ...(query?.properties.cursor ? ['Link'] : []),
  ]);
  if (returns.kind === 'nothing') return { description, headers };
  if (returns.kind === 'raw' && returns.mediaTypes.length === 0) return redirection;
  if (returns.kind === 'raw') {
    return {
      description,
      headers,
      content: anyOf(returns.mediaTypes),
    };
  }
  return {
    description,
    headers,
    content: {
      'application/json': {
        schema: enveloped(returns, { schemas, maxItems: maxItemsOf(route) }),
        ...(example?.status === returns.status && { example: example.body }),
      },
      ...(returns.kind === 'streamed' && anyOf(returns.mediaTypes)),
      ...(pages && pageContent),
    },
  };
}

const headersNamed = (names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const anyOf = (mediaTypes: string[]): Json =>
  Object.fromEntries(mediaTypes.map((type) => [type, {}]));

/** The answer while what is asked for is not there yet. */
const pending = (schema: TSchema, { schemas, example }: ResponseOptions): Json => ({
  202: {
    description: 'Not there yet. Ask again after Retry-After.',
    headers: headersNamed([...limitHeaders, 'Retry-After']),
    content: {
      'application/json': {
        schema: enveloped({ kind: 'one', status: 202, schema }, { schemas, maxItems: undefined }),
        ...(example?.status === 202 && { example: example.body }),
      },
    },
  },
});

/** How many items a page of the list has at most, if the caller chooses how many. */
function maxItemsOf({ query }: Route): number | undefined {
  const limit: { maximum?: number } | undefined = query?.properties.limit;
  return limit?.maximum;
}

function enveloped(
  returns: Exclude<Returns, { kind: 'raw' | 'nothing' }>,
  { schemas, maxItems }: { schemas: Json; maxItems: number | undefined },
): Json {
  const data = refer(returns.schema, schemas) as Json;
  if (returns.kind === 'bare' || (returns.kind === 'streamed' && returns.isBare)) return data;
  const meta = refer(Meta, schemas);
  if (returns.kind === 'one') {
    return { type: 'object', required: ['data', 'meta'], properties: { data, meta } };
  }
  const extras = (returns.kind === 'many' && returns.pagination) || {};
  const pagination =
    Object.keys(extras).length === 0
      ? refer(Pagination, schemas)
      : {
          type: 'object',
          required: [...Object.keys(Pagination.properties), ...Object.keys(extras)],
          properties: refer({ ...Pagination.properties, ...extras }, schemas),
        };
  const beside = (returns.kind === 'many' && returns.beside) || {};
  return {
    type: 'object',
    required: ['data', 'pagination', ...Object.keys(beside), 'meta'],
    properties: {
      data: { type: 'array', items: data, ...(maxItems !== undefined && { maxItems }) },
      pagination,
      ...(refer(beside, schemas) as Json),
      meta,
    },
  };
}

/** The status of a failure and its response. */
function failure(
  { path, params, failures }: Route,
  kind: ProblemKind,
  schemas: Json,
): [number, Json] {
  const { status, about } = problemKinds[kind];
  if (!failures?.format) {
    return isProgramPath(path)
      ? [status, { $ref: `#/components/responses/${kind}` }]
      : [status, { description: about, content: { ...problemContent, ...pageContent } }];
  }
  const { mediaType, schema } = failures.format;
  const content = {
    [mediaType.split(';')[0]!]: schema ? { schema: refer(schema, schemas) } : {},
    // A malformed path is refused before its route is found.
    ...(kind === 'invalid-request' && params && problemContent),
  };
  return [failures.format.statusOf(kind), { description: about, content }];
}

const problemContent = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
};
const pageContent = { 'text/html': {} };

/** Every kind of failure that a call can have. */
function problemsOf(route: Route): ProblemKind[] {
  const kinds = new Set<ProblemKind>(route.problems);
  // Credentials that are sent are checked; those of a suspended account are forbidden.
  if (!route.auth.ignoresCredentials) kinds.add('unauthorized').add('forbidden');
  if (route.body?.schema) kinds.add('payload-too-large').add('unsupported-media-type');
  if (route.query && route.failures?.badQueryIs400) kinds.add('invalid-request');
  if (readsBodyFormat(route) || route.params || route.query?.properties.cursor)
    kinds.add('invalid-request');
  if (route.body?.schema || (route.query && !route.failures?.badQueryIs400))
    kinds.add('validation-failed');
  if (takesIdempotencyKey(route))
    kinds.add('conflict').add('validation-failed').add('invalid-request');
  if (takesIfMatch(route)) kinds.add('precondition-failed');
  if (route.module !== undefined) kinds.add('not-implemented');
  if (!route.worksWithoutDatabase) kinds.add('unavailable');
  return [...kinds.add('rate-limited').add('internal-error')].toSorted(
    (a, b) => problemKinds[a].status - problemKinds[b].status,
  );
}

/** Whether a body is parsed before the handler has it, and so can be malformed. */
const readsBodyFormat = (route: Route): boolean =>
  route.body?.schema !== undefined && streamedBodyType(route) !== '*/*';

/** The shared responses of failures, as components. */
export function problemResponses(routes: Route[]): Json {
  const used = new Set(routes.filter(({ failures }) => !failures?.format).flatMap(problemsOf));
  return Object.fromEntries(
    [...used].map((kind) => [
      kind,
      {
        description: problemKinds[kind].about,
        ...(['rate-limited', 'unavailable'].includes(kind) && {
          headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
        }),
        content: problemContent,
      },
    ]),
  );
}

const redirection = {
  description: 'Go on at Location',
  headers: { Location: { schema: { type: 'string' } } },
};

const limitHeaders = [
  'X-API-Version',
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
];

/** The headers of responses, as components. */
export const headerComponents: Json = {
  ETag: {
    description: 'Send it as If-None-Match, and as If-Match where a change takes that.',
    schema: { type: 'string' },
  },
  Link: {
    description: 'The next page, if there is one (RFC 8288, `rel="next"`).',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'Requests that may be sent at once (`r`), and seconds until the whole burst is there again (`t`), by draft-ietf-httpapi-ratelimit-headers-10.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'Size of a burst (`q`), and seconds in which it comes back (`w`).',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
  'X-API-Version': { schema: { type: 'string', const: '1' } },
  'X-Request-Id': { schema: { type: 'string' } },
  'X-RateLimit-Limit': {
    description: 'Requests a second that can be sustained.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests that may be sent at once.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': {
    description: 'When the whole burst is there again, in seconds since 1970.',
    schema: { type: 'integer' },
  },
};
