import {
  headerComponents,
  problemResponses,
  responsesOf,
  type AnswerExample,
  takesIdempotencyKey,
  takesIfMatch,
} from './openapi-responses.ts';
import { parametersOf } from './openapi-parameters.ts';
import { refer, type Json } from './openapi-schemas.ts';
import { describeWebhooks, type Webhook } from './openapi-webhooks.ts';
import { keyLevelFor, type Auth } from './credentials.ts';
import type { Route } from './route.ts';
import { ProblemBody } from './schema.ts';
import type { Modules } from '../site/profile.ts';

interface Api {
  /** The name of the site. */
  title: string;
  /** Operations of parts that are switched off are left out. */
  modules: Modules;
  baseUrl: string;
  routes: Route[];
  webhooks: Record<string, Webhook>;
  /** Answers of operations, by their ids. */
  examples: Partial<Record<string, AnswerExample>>;
  /** OAuth scopes with what each allows. */
  scopes: Record<string, string>;
  /** What each group of operations is for. */
  tags: Record<string, string>;
}

/** Builds the OpenAPI 3.1 description of all routes and webhooks from their declarations. */
export function describeApi(api: Api): Json {
  const { baseUrl, routes: declared, scopes, tags, modules } = api;
  const routes = declared.filter(
    ({ page, module }) => !page && (module === undefined || modules[module]),
  );
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = operation(route, {
      schemas,
      example: api.examples[route.id],
    });
  }
  const webhooks = describeWebhooks(api.webhooks, schemas);
  refer(ProblemBody, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: '1.0.0',
      description:
        'Petitions, signatures and what comes of them. Answers are JSON in `{data, meta}`; failures are RFC 9457 problem details.',
      contact: { name: 'Those who run this site', url: baseUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({
      name,
      ...(tags[name] && { description: tags[name] }),
    })),
    paths,
    webhooks,
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

function operation(
  route: Route,
  { schemas, example }: { schemas: Json; example: AnswerExample | undefined },
): Json {
  const { auth, body } = route;
  return {
    operationId: route.id,
    summary: route.summary,
    ...(route.description && { description: route.description }),
    tags: [route.tag],
    ...(route.deprecated && { deprecated: true }),
    'x-access': auth.access,
    ...((auth.scope || auth.access !== 'anyone' || auth.rejectInsufficientScope) && {
      'x-api-key-scope': keyLevelFor(route),
    }),
    security: securityOf(auth),
    parameters: [
      ...parametersOf(route.params, 'path', schemas),
      ...parametersOf(route.query, 'query', schemas),
      ...(takesIdempotencyKey(route) ? [idempotencyKey] : []),
      ...(route.cache?.etag ? [ifNoneMatch] : []),
      ...(takesIfMatch(route) ? [ifMatch] : []),
    ],
    ...(body?.schema && {
      requestBody: {
        required: !body.isOptional,
        content: Object.fromEntries(
          (body.types ?? ['application/json']).map((type) => [
            type,
            {
              schema: refer(body.schema, schemas),
              ...(body.example !== undefined && { example: body.example }),
            },
          ]),
        ),
      },
    }),
    responses: responsesOf(route, { schemas, example }),
  };
}

/** The credentials that a call accepts; any one is enough. */
function securityOf({ ignoresCredentials, access, scope }: Auth): Json[] {
  if (ignoresCredentials) return [];
  return [
    ...(access === 'anyone' ? [{}] : []),
    { bearer: [] },
    { apiKey: [] },
    ...(scope ? [{ oauth2: [scope] }] : []),
  ];
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

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The ETag of what you have read: 412 where somebody has changed it since. Signatures and comments do not count.',
  schema: { type: 'string' },
};
