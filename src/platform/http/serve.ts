import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { withDeadline } from '../db.ts';
import { invalidRequest, unsupportedMediaType, validationFailed } from '../problems.ts';
import { callerWithin, requireRole } from './admission.ts';
import { complete, envelope, matchesEtag, renderResult } from './answer.ts';
import { specialBody } from './bodies.ts';
import type { HotReadCache } from './hot-read-cache.ts';
import {
  credentialHeaders,
  formType,
  identifies,
  jsonType,
  sharedAnswerHeaders,
} from './headers.ts';
import { runIdempotent, type IdempotentRequest, type StoredAnswer } from './idempotency.ts';
import { pagesFor } from './pages.ts';
import { Rendered, type Call, type RawAnswer, type Route, type StreamedAnswer } from './route.ts';
import { sendStreamed } from './streaming.ts';
import { WrittenPage } from './written-page.ts';
import { checkParams, compileValidator, type Validator } from './validation.ts';

/** Longest time that a request waits for the database, finding out who calls included. */
const requestTimeoutMs = 5000;
/** What is left for the handler at least, where the body came slowly. */
const leastTimeoutMs = 1000;

/** Makes the handler that serves one declared route. */
export function serve(ctx: Context, route: Route, hotReads: HotReadCache) {
  const check = inputChecks(route);
  // Files arrive slowly, and their handlers wait for them.
  const timeoutOf = ({ startedAt }: FastifyRequest) =>
    specialBody(route)
      ? Infinity
      : Math.max(requestTimeoutMs - (performance.now() - startedAt), leastTimeoutMs);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    check(request);
    request.caller = callerWithin(route, request.caller);
    requireRole(route.access, request.caller);
    const key = request.headers['idempotency-key'];
    if (route.method === 'POST' && request.caller && typeof key === 'string' && key !== '') {
      const [path] = request.url.split('?', 1);
      const { caller, body } = request;
      const keyed: IdempotentRequest = {
        userId: caller.userId,
        operation: `POST ${path}`,
        key,
        body,
        beforeTransaction:
          route.beforeTransaction &&
          (() => route.beforeTransaction!(callOf(ctx, request, {}) as never)),
      };
      const answer = await withDeadline(timeoutOf(request), () =>
        runIdempotent(ctx, keyed, (within) => runAndSerialize(within, route, request)),
      );
      void reply.code(answer.status).headers(answer.headers);
      return reply.send(answer.body || undefined);
    }
    const headers: Record<string, string> = {};
    const call = callOf(ctx, request, headers);
    const result = await withDeadline(timeoutOf(request), async () => {
      await route.beforeTransaction?.(call as never);
      return route.handle(call as never);
    });
    const page = pagesFor(request)?.show(call, result as never);
    void reply.headers(headers);
    if (page) return sendRaw(request, reply, { status: route.returns.status, ...page });
    if (result instanceof WrittenPage) {
      const { url, params, query } = request;
      // With a query they are too many to be hot ones: each link that is shared has its own.
      if (!identifies(request.headers) && !url.includes('?')) {
        hotReads.remember(url, { route, params: params as Call['params'], query });
      }
      return sendWritten(request, reply, result);
    }
    if (route.etag && route.returns.kind !== 'raw') {
      const { url, params, query } = request;
      if (result instanceof Rendered && !request.caller && !hasTrail(route, query)) {
        hotReads.remember(url, { route, params: params as Call['params'], query });
      }
      return sendRendered(ctx, request, reply, renderResult(route.returns, result));
    }
    if (dependsOnCaller(route)) void reply.header('vary', credentialHeaders);
    if (route.returns.kind === 'streamed') {
      return sendStreamed(ctx, request, reply, result as StreamedAnswer);
    }
    return send(ctx, route, request, reply, result);
  };
}

const hasTrail = ({ trackingParams }: Route, query: unknown) =>
  trackingParams?.some((name) => name in (query as object)) ?? false;

const dependsOnCaller = (route: Route) => route.method === 'GET' && route.path.startsWith('/v1/');

function inputChecks(route: Route): (request: FastifyRequest) => void {
  const params = route.params && compileValidator(route.params, 'params');
  const query = route.query && compileValidator(route.query, 'query');
  // A body that streams is looked at by its handler.
  const body =
    specialBody(route) === '*/*' ? noErrors : route.body && compileValidator(route.body, 'body');
  return (request) => {
    const errors = [];
    if (query) errors.push(...query(request.query));
    const cursor = errors.find(({ field }) => field === 'cursor');
    if (cursor)
      throw invalidRequest(`The cursor was not issued by this service. ${cursor.message}`);
    if (errors.length > 0 && route.badQueryIs400) {
      throw invalidRequest(errors.map((error) => `${error.field}: ${error.message}`).join(' '));
    }
    if (body) {
      requireBodyType(route, request);
      route.verifyBody?.(request.bodyText, request.headers);
      const large = !(Number(request.headers['content-length']) <= 65_536);
      if (request.body !== undefined) errors.push(...body(request.body, large));
      else if (route.bodyOptional) request.body = {};
      else errors.push({ field: '', message: 'A body is needed.', code: 'required' as const });
    }
    if (errors.length > 0) throw validationFailed(...errors);
    if (params) checkParams(params, request.params);
  };
}

const noErrors: Validator = () => [];

/** @throws {Problem} unsupported-media-type where another route takes such a body, but not this one */
function requireBodyType(route: Route, request: FastifyRequest): void {
  if (specialBody(route)) return;
  const { takes = ['application/json'] } = route;
  const isForm = request.headers['content-type']?.toLowerCase().startsWith(formType) ?? false;
  const type = isForm ? formType : 'application/json';
  if (!takes.includes(type)) throw unsupportedMediaType(takes);
}

/** The request, as handlers see it. Headers of the answer are gathered in `headers`. */
export function callOf(
  ctx: Context,
  request: FastifyRequest,
  headers: Record<string, string>,
): Call {
  return {
    ctx,
    method: request.method,
    url: request.url,
    caller: request.caller,
    params: request.params as Record<string, string>,
    query: request.query,
    body: request.body,
    headers: request.headers,
    get ip() {
      return request.ip;
    },
    header: (name, value) => {
      headers[name] = value;
    },
  };
}

function send(
  ctx: Context,
  { returns }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  result: unknown,
): FastifyReply {
  if (returns.kind === 'raw') return sendRaw(request, reply, result as RawAnswer);
  void reply.code(returns.status);
  if (returns.kind === 'nothing') return reply.send();
  return reply
    .header('content-type', jsonType)
    .send(envelope(returns, result, request.id, ctx.now()));
}

function sendRaw(
  request: FastifyRequest,
  reply: FastifyReply,
  { status = 200, mediaType, body, etag }: RawAnswer,
): FastifyReply {
  if (etag) {
    void reply.header('etag', etag);
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  }
  void reply.code(status).header('content-type', mediaType);
  if (!(body instanceof Readable)) return reply.send(Buffer.from(body));
  if (request.method !== 'HEAD') return reply.send(body);
  // Fastify would read it to its end.
  body.destroy();
  return reply.send(Readable.from([]));
}

/** Sends what is written out already, or only says that the caller holds it. */
function sendRendered(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  rendered: Rendered,
): FastifyReply {
  void reply.headers({ ...sharedAnswerHeaders, etag: rendered.etag });
  if (matchesEtag(request.headers['if-none-match'], rendered.etag)) return reply.code(304).send();
  return reply.send(Buffer.from(complete(rendered, request.id, ctx.now()), 'latin1'));
}

/** Sends a page that is written out already, or only says that the browser holds it. */
function sendWritten(
  request: FastifyRequest,
  reply: FastifyReply,
  page: WrittenPage,
): FastifyReply {
  const { headers, body } = page.for(request.headers);
  void reply.headers(headers);
  if (matchesEtag(request.headers['if-none-match'], headers.etag!)) return reply.code(304).send();
  return reply.send(Buffer.from(body, 'latin1'));
}

/** The whole answer as text, so that it can be given again. */
async function runAndSerialize(
  ctx: Context,
  route: Route,
  request: FastifyRequest,
): Promise<StoredAnswer> {
  const headers: Record<string, string> = { 'content-type': jsonType };
  const result = await route.handle(callOf(ctx, request, headers) as never);
  const { returns } = route;
  if (returns.kind === 'nothing') return { status: returns.status, headers: {}, body: '' };
  return {
    status: returns.status,
    headers,
    body: envelope(returns, result, request.id, ctx.now()),
  };
}
