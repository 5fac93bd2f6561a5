import type { FastifyRequest, FastifySchemaCompiler, preValidationHookHandler } from 'fastify';
import type { TSchema } from 'typebox';
import {
  invalidRequest,
  notFound,
  unsupportedMediaType,
  validationFailed,
  type Problem,
} from '../problems.ts';
import { streamedBodyType } from './bodies.ts';
import { formType } from './headers.ts';
import type { Route } from './route.ts';
import { compileValidator } from './validation.ts';

/** Bodies larger than this get their first error only. */
const maxBytesForAllErrors = 65_536;

/** A request does not match its route's schemas; `inputProblem` says why. */
export class InvalidInput extends Error {}

/** Compiles the schemas of routes for Fastify. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const errorsOf = compileValidator(schema, httpPart === 'body' ? 'body' : 'text');
  return (value) => errorsOf(value, true).length === 0 || { error: new InvalidInput() };
};

/** Checks what the schema of a body cannot say, before Fastify validates the body. */
export const checkBody =
  (route: Route): preValidationHookHandler =>
  (request, _reply, done) => {
    if (!isBodyTypeTaken(route, request)) throw new InvalidInput();
    route.body?.verify?.(request.bodyText, request.headers);
    if (request.body === undefined) {
      if (!route.body?.isOptional) throw new InvalidInput();
      request.body = {};
    }
    if (isForm(request)) readBooleans(route, request.body as Record<string, unknown>);
    done();
  };

/** Fields of a form are texts: reads `true` and `false` where the schema has a boolean. */
function readBooleans({ body }: Route, fields: Record<string, unknown>): void {
  const { properties = {} } = (body?.schema ?? {}) as { properties?: Record<string, TSchema> };
  for (const [name, schema] of Object.entries(properties)) {
    const text = fields[name];
    if ('type' in schema && schema.type === 'boolean' && (text === 'true' || text === 'false')) {
      fields[name] = text === 'true';
    }
  }
}

/**
 * Returns why a request does not match its route's schemas. Fastify stops at the first part that does not match, and
 * begins with the path. Clients get the errors of query and body together, and 404 for a malformed id only if both
 * are valid.
 */
export function inputProblem(route: Route, request: FastifyRequest): Problem {
  const errors = route.query ? compileValidator(route.query, 'text')(request.query) : [];
  const cursor = errors.find(({ field }) => field === 'cursor');
  if (cursor) {
    return invalidRequest(`The cursor was not issued by this service. ${cursor.message}`);
  }
  if (errors.length > 0 && route.failures?.badQueryIs400) {
    return invalidRequest(errors.map((error) => `${error.field}: ${error.message}`).join(' '));
  }
  if (route.body) {
    if (!isBodyTypeTaken(route, request)) return unsupportedMediaType(takenTypes(route));
    errors.push(...bodyErrors(route, request));
  }
  return errors.length > 0 ? validationFailed(...errors) : notFound('resource');
}

function bodyErrors(route: Route, { body, headers }: FastifyRequest) {
  if (body === undefined) {
    return [{ field: '', message: 'A body is needed.', code: 'required' as const }];
  }
  const schema = validatedBody(route);
  if (!schema) return [];
  const isLarge = !(Number(headers['content-length']) <= maxBytesForAllErrors);
  return compileValidator(schema, 'body')(body, isLarge);
}

/** The schema of the body, unless the handler reads it as a stream. */
export const validatedBody = (route: Route): TSchema | undefined =>
  streamedBodyType(route) === '*/*' ? undefined : route.body?.schema;

const takenTypes = ({ body }: Route) => body?.types ?? ['application/json'];

/** False if other routes take such a body, but not this one. Fastify refuses what no route takes. */
function isBodyTypeTaken(route: Route, request: FastifyRequest): boolean {
  if (streamedBodyType(route)) return true;
  return takenTypes(route).includes(isForm(request) ? formType : 'application/json');
}

const isForm = ({ headers }: FastifyRequest): boolean =>
  headers['content-type']?.toLowerCase().startsWith(formType) ?? false;
