import { STATUS_CODES } from 'node:http';
import type { TObject } from 'typebox';
import { problemKinds, type ProblemKind } from '../problems.ts';
import { keyLevelFor, type Returns, type Route } from './route.ts';
import { Meta, Pagination, ProblemBody, schemaName } from './schema.ts';

type Json = Record<string, unknown>;

interface Api {
  baseUrl: string;
  routes: Route[];
  /** OAuth scopes with what each allows. */
  scopes: Record<string, string>;
}

/** Builds the OpenAPI 3.1 description of all routes from their declarations. */
export function describeApi({ baseUrl, routes: declared, scopes }: Api): Json {
  const routes = declared.filter(({ page }) => !page);
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = operation(route, schemas);
  }
  refer(ProblemBody, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Open Petitions',
      version: '1.0.0',
      description:
        'Petitions, signatures and what comes of them. Answers are JSON in `{data, meta}`; failures are RFC 9457 problem details.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'The access_token of POST /v1/auth/login or POST /oauth/token, or an API key. How much an API key must be good for is said by x-api-key-scope of each call.',
        },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'Deprecated: send the key as a bearer token.',
        },
        oauth2: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: `${baseUrl}/oauth/authorize`,
              tokenUrl: `${baseUrl}/oauth/token`,
              refreshUrl: `${baseUrl}/oauth/token`,
              scopes,
            },
            clientCredentials: { tokenUrl: `${baseUrl}/oauth/token`, scopes },
          },
        },
      },
      schemas,
      responses: problemResponses(routes),
      headers: headerComponents,
    },
  };
}

function operation(route: Route, schemas: Json): Json {
  return {
    operationId: route.id,
    summary: route.summary,
    ...(route.description && { description: route.description }),
    tags: [route.tag],
    ...(route.deprecated && { deprecated: true }),
    'x-access': route.access,
    ...((route.scope || route.access !== 'anyone' || route.rejectInsufficientScope) && {
      'x-api-key-scope': keyLevelFor(route),
    }),
    security: securityOf(route),
    parameters: [
      ...parameters(route.params, 'path', schemas),
      ...parameters(route.query, 'query', schemas),
      ...(takesIdempotencyKey(route) ? [idempotencyKey] : []),
      ...(route.etag ? [ifNoneMatch] : []),
    ],
    ...(route.body && {
      requestBody: {
        required: !route.bodyOptional,
        content: Object.fromEntries(
          (route.takes ?? ['application/json']).map((type) => [
            type,
            {
              schema: refer(route.body, schemas),
              ...(route.example !== undefined && { example: route.example }),
            },
          ]),
        ),
      },
    }),
    responses: {
      [route.returns.status]: success(route, schemas),
      ...(route.etag && { 304: { description: 'Not changed since the entity tag was given' } }),
      ...(route.mayRedirect && { 302: redirection }),
      ...Object.fromEntries(problemsOf(route).map((kind) => failure(route, kind, schemas))),
    },
  };
}

/** The status of a failure and its response. */
function failure({ failures, pages }: Route, kind: ProblemKind, schemas: Json): [number, Json] {
  const { status, about } = problemKinds[kind];
  if (pages)
    return [status, { description: about, content: { ...problemContent, ...pageContent } }];
  if (!failures) return [status, { $ref: `#/components/responses/${kind}` }];
  const { mediaType, schema } = failures;
  const content = { [mediaType.split(';')[0]!]: schema ? { schema: refer(schema, schemas) } : {} };
  return [failures.statusOf(kind), { description: about, content }];
}

const problemContent = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
};
const pageContent = { 'text/html': {} };

/** The credentials that a call accepts; any one is enough. */
function securityOf({ ignoresCredentials, access, scope }: Route): Json[] {
  if (ignoresCredentials) return [];
  return [
    ...(access === 'anyone' ? [{}] : []),
    { bearer: [] },
    { apiKey: [] },
    ...(scope ? [{ oauth2: [scope] }] : []),
  ];
}

const takesIdempotencyKey = (route: Route) => route.method === 'POST' && route.access !== 'anyone';

/** Every kind of failure that a call can have. */
function problemsOf(route: Route): ProblemKind[] {
  const kinds = new Set<ProblemKind>(route.problems);
  // Credentials that are sent are checked; those of a suspended account are forbidden.
  if (!route.ignoresCredentials) kinds.add('unauthorized').add('forbidden');
  if (route.body) kinds.add('payload-too-large').add('unsupported-media-type');
  if (route.query && route.badQueryIs400) kinds.add('invalid-request');
  if (route.body || route.params || route.query?.properties.cursor) kinds.add('invalid-request');
  if (route.body || (route.query && !route.badQueryIs400)) kinds.add('validation-failed');
  if (takesIdempotencyKey(route))
    kinds.add('conflict').add('validation-failed').add('invalid-request');
  return [...kinds.add('rate-limited').add('internal-error').add('unavailable')].toSorted(
    (a, b) => problemKinds[a].status - problemKinds[b].status,
  );
}

function success({ returns, etag, pages }: Route, schemas: Json): Json {
  const description = STATUS_CODES[returns.status]!;
  const headers = Object.fromEntries(
    [...limitHeaders, ...(etag ? ['ETag'] : [])].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );
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
      'application/json': { schema: enveloped(returns, schemas) },
      ...(returns.kind === 'streamed' && anyOf(returns.mediaTypes)),
      ...(pages && pageContent),
    },
  };
}

const anyOf = (mediaTypes: string[]): Json =>
  Object.fromEntries(mediaTypes.map((type) => [type, {}]));

function enveloped(returns: Exclude<Returns, { kind: 'raw' | 'nothing' }>, schemas: Json): Json {
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
      data: { type: 'array', items: data },
      pagination,
      ...(refer(beside, schemas) as Json),
      meta,
    },
  };
}

function parameters(schema: TObject | undefined, where: 'path' | 'query', schemas: Json): Json[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = refer(property, schemas) as Json;
    return {
      name,
      in: where,
      required: where === 'path' || (schema!.required ?? []).includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

/** Returns the schema with every named schema inside it moved to components and referred to. */
function refer(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((one) => refer(one, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { [schemaName]: name, ...rest } = schema as Json;
  const plain = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      // A format of our own: its description says that it is an http or https address.
      key === 'format' && value === 'web-url' ? 'uri' : refer(value, schemas),
    ]),
  );
  if (typeof name !== 'string') return plain;
  schemas[name] = plain;
  return { $ref: `#/components/schemas/${name}` };
}

function problemResponses(routes: Route[]): Json {
  const used = new Set(routes.filter(({ failures }) => !failures).flatMap(problemsOf));
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

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'The same key and body within 24 hours give the same answer, with nothing done twice.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'An ETag that you hold: 304 where nothing has changed.',
  schema: { type: 'string' },
};

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
];

const headerComponents: Json = {
  ETag: { description: 'Send it as If-None-Match.', schema: { type: 'string' } },
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
