import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Context } from '../context.ts';
import { isDatabaseUnavailable, isMissingUser } from '../db.ts';
import {
  invalidRequest,
  notFound,
  Problem,
  unauthorized,
  unavailable,
  unsupportedMediaType,
} from '../problems.ts';
import { failureHeaders, requestHeaders } from './headers.ts';
import { failurePage, pagesFor, wantsPage, type FailurePages } from './pages.ts';
import { isPage, pageAbove } from './page-addresses.ts';
import { fastifyPath, type BodyType, type Call, type Route } from './route.ts';
import { callOf, isEventStream } from './serve.ts';

/** The problem that a client gets for an error. Unexpected errors reveal no internals. */
export function toProblem(error: unknown, types?: readonly BodyType[]): Problem {
  if (error instanceof Problem) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(types ?? ['application/json']);
    case 'FST_ERR_BAD_URL':
      return invalidRequest('The URL is malformed.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return notFound('resource');
  }
  if (statusCode === 400) return invalidRequest('The body could not be read as JSON.');
  if (statusCode === 413) {
    return new Problem('payload-too-large', 'The body is larger than this endpoint takes.');
  }
  if (isMissingUser(error)) return unauthorized('This account no longer exists.');
  if (isDatabaseUnavailable(error)) {
    return unavailable('The database does not answer at the moment. Try again shortly.', error);
  }
  return new Problem('internal-error', 'Something went wrong on our side. Try again later.', {
    cause: error,
  });
}

/** What failures are answered with. */
export interface Failures {
  ctx: Context;
  /** Shows failures to browsers where no route does. */
  pages: FailurePages | undefined;
}

/**
 * Answers in the format that the route declares, with a page where a browser asks for one, or with problem details. Logs
 * failures of the service with their cause.
 */
export function sendProblem(
  { ctx, pages: sitePages }: Failures,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  cause: unknown = problem.cause,
): void {
  // A format that is not offered is not a fault of the service.
  if (problem.status >= 500 && problem.kind !== 'not-implemented') {
    const operation = request.routeOptions.config.route?.id;
    ctx.log.error({ err: cause, request_id: request.id, operation }, 'a request failed');
  }
  const format = request.routeOptions.config.route?.failures?.format;
  void reply.code(problem.status).headers({ ...failureHeaders, ...problem.headers });
  if (format) {
    const setHeader: Call['header'] = (name, value) => void reply.header(name, value);
    const body = format.write(problem, setHeader, request.headers);
    reply.code(format.statusOf(problem.kind)).header('content-type', format.mediaType).send(body);
    return;
  }
  const pages = pagesFor(request) ?? (wantsPage(request) ? sitePages : undefined);
  if (pages) {
    void sendFailurePage(ctx, request, reply, pages, problem);
    return;
  }
  const path = request.url.split('?', 1)[0]!;
  reply
    .header('content-type', 'application/problem+json')
    .send(JSON.stringify(problem.toBody(ctx.config.baseUrl, path, request.id)));
}

async function sendFailurePage(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  pages: FailurePages,
  problem: Problem,
): Promise<void> {
  const headers: Record<string, string> = {};
  const { mediaType, body } = await failurePage(pages, callOf(ctx, request, headers), problem);
  void reply.headers(headers).header('content-type', mediaType).send(body);
}

/** Answers what is not an HTTP request, for example a malformed or too long head. */
export function refuseConnection(
  ctx: Context,
  fixed: Record<string, string>,
  error: Error & { code?: string },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new Problem('request-header-fields-too-large', 'The header is larger than 16 KiB.')
      : invalidRequest('This is not an HTTP request that can be understood.');
  const timedOut = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && { status: 408 };
  writeProblem(ctx, fixed, socket, problem, { id: randomUUID(), ...timedOut });
}

interface ConnectionAnswer {
  /** Request id. */
  id: string;
  /** Path of the request, if it could be parsed. */
  instance?: string;
  /** How the request counted towards its rate limit, if it was counted. */
  limit?: FastifyRequest['limit'] | undefined;
  /** Instead of the problem's status. */
  status?: number;
}

/** Answers on a connection that Fastify does not serve, and closes it. */
export function writeProblem(
  ctx: Context,
  fixed: Record<string, string>,
  socket: Duplex,
  problem: Problem,
  { id, instance = '', limit = null, status = problem.status }: ConnectionAnswer,
): void {
  const body = JSON.stringify({ ...problem.toBody(ctx.config.baseUrl, instance, id), status });
  const headers = {
    ...fixed,
    ...requestHeaders(id, limit),
    ...failureHeaders,
    ...problem.headers,
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const first = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
  socket.end(`${[first, ...head].join('\r\n')}\r\n\r\n${body}`);
}

const methods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Answers 405 for the methods that a declared path does not have. A GET of a form's path leads to the page above it. */
export function register405s(server: FastifyInstance, routes: Route[]): void {
  for (const [path, declared] of Map.groupBy(routes, (route) => route.path)) {
    const url = fastifyPath(path);
    const allowed = allowedMethods(declared);
    const pageAboveOf = declared.some(isPage) ? pageAbove(routes, path) : undefined;
    server.route({
      method: 'OPTIONS',
      url,
      handler: (_request, reply) => reply.code(204).header('allow', allowed.join(', ')).send(),
    });
    server.route({
      method: methods.filter((method) => !allowed.includes(method)),
      url,
      exposeHeadRoute: false,
      // The method is refused before the type of the body.
      onRequest: async (request, reply) => {
        const address = pageAboveOf?.(request);
        if (address !== undefined) return reply.redirect(address, 303);
        throw methodNotAllowed(allowed);
      },
      handler: async () => undefined,
    });
  }
}

/** Streams of events have no HEAD: their head does not end. */
function allowedMethods(declared: Route[]): HTTPMethods[] {
  const reads = declared.find(({ method }) => method === 'GET');
  const hasHead = reads && !isEventStream(reads);
  return [...declared.map(({ method }) => method), ...(hasHead ? ['HEAD'] : []), 'OPTIONS'];
}

/** Returns what is wrong with a request for which there is no route: its method, which HTTP has and the framework has not, or its path. */
export function noRoute(routes: Route[]): (request: FastifyRequest) => Problem {
  const paths = [...Map.groupBy(routes, (route) => route.path)].map(([path, declared]) => ({
    pattern: new RegExp(`^${RegExp.escape(path).replaceAll(/\\\{\w+\\\}/g, '[^/]+')}$`),
    allowed: allowedMethods(declared),
  }));
  return ({ method, url }) => {
    const known = methods.includes(method) || method === 'OPTIONS';
    const path = url.split('?', 1)[0]!;
    const found = known ? undefined : paths.find(({ pattern }) => pattern.test(path));
    return found
      ? methodNotAllowed(found.allowed)
      : new Problem('not-found', 'No such path. GET /openapi.json describes every one.');
  };
}

function methodNotAllowed(allowed: HTTPMethods[]): Problem {
  const allow = allowed.join(', ');
  return new Problem('method-not-allowed', `This path takes ${allow}.`, { headers: { allow } });
}
