import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest, preHandlerHookHandler, RouteOptions } from 'fastify';
import type { Context } from '../context.ts';
import { withDeadline } from '../db.ts';
import { callerWithin, requireRole } from './admission.ts';
import {
  complete,
  envelope,
  matchesEtag,
  renderResult,
  selectFields,
  type AnswerMeta,
} from './answer.ts';
import { streamedBodyType } from './bodies.ts';
import { maxBodyBytes } from './body-limits.ts';
import { compressedHead } from './compressed-json.ts';
import {
  codingFor,
  compress,
  isCompressible,
  minCompressedBytes,
  varyBy,
  type ContentCoding,
} from './compression.ts';
import type { HotReadCache } from './hot-read-cache.ts';
import { isPersonal, jsonType, sharedAnswerHeaders, varyOfReads } from './headers.ts';
import { runIdempotent, type IdempotentRequest, type StoredAnswer } from './idempotency.ts';
import { checkBody, validatedBody } from './input.ts';
import { nextCursorOf, nextLink, withLink } from './links.ts';
import { pagesFor } from './pages.ts';
import {
  fastifyPath,
  Rendered,
  type Call,
  type RawAnswer,
  type Route,
  type StreamedAnswer,
} from './route.ts';
import { sendStreamed } from './streaming.ts';
import { RenderedPage } from './rendered-page.ts';
import { secretKeyword, type RequestWarning } from './schema.ts';
import { warningsOf } from './warnings.ts';

/** How long a request may wait for the database, authentication included. */
const requestTimeoutMs = 5000;
/** What the handler has at least, if the body arrived slowly. */
const minTimeoutMs = 1000;

/**
 * Fastify's options for a declared route. Fastify validates by the route's schemas (see input.ts). It gets no
 * response schemas: answers are serialized by JSON.stringify, as rendered ones are, and tests hold each against the
 * description.
 */
export function fastifyOptions(ctx: Context, route: Route, hotReads: HotReadCache): RouteOptions {
  const { params, query } = route;
  const body = validatedBody(route);
  const bodyLimit = maxBodyBytes(route);
  return {
    method: route.method,
    url: fastifyPath(route.path),
    // A stream of events has no head that ends.
    exposeHeadRoute: !isEventStream(route),
    config: { route },
    ...(bodyLimit !== undefined && { bodyLimit }),
    schema: {
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
    },
    ...(route.body && { preValidation: checkBody(route) }),
    preHandler: checkAccess(route),
    handler: handlerOf(ctx, route, hotReads),
  };
}

export const isEventStream = ({ returns }: Route) =>
  returns.kind === 'raw' && returns.mediaTypes.includes('text/event-stream');

function handlerOf(ctx: Context, route: Route, hotReads: HotReadCache) {
  // Handlers of streamed bodies wait for the client.
  const timeoutOf = ({ startedAt }: FastifyRequest) =>
    streamedBodyType(route)
      ? Infinity
      : Math.max(requestTimeoutMs - (performance.now() - startedAt), minTimeoutMs);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const keyed = idempotentRequest(ctx, route, request);
    if (keyed) {
      const answer = await withDeadline(timeoutOf(request), () =>
        runIdempotent(ctx, keyed, (within) => runAndSerialize(within, route, request)),
      );
      void reply.code(answer.status).headers(answer.headers);
      return reply.send(answer.body || undefined);
    }
    const headers: OutgoingHttpHeaders = {};
    const call = callOf(ctx, request, headers);
    const result = await withDeadline(timeoutOf(request), async () => {
      await route.beforeTransaction?.(call);
      return route.handle(call);
    });
    const page = pagesFor(request)?.show(call, result);
    void reply.headers(headers);
    if (page) return sendRaw(request, reply, { status: route.returns.status, ...page });
    const { url, params, query } = request;
    if (isShared(route, request, result)) {
      const warnings = warningsFor(route, request);
      hotReads.remember(url, { route, params: params as Call['params'], query, warnings });
    }
    return send(ctx, route, request, reply, selectFields(route, query, result));
  };
}

/** The request, if it has an Idempotency-Key that counts. */
function idempotentRequest(
  ctx: Context,
  route: Route,
  request: FastifyRequest,
): IdempotentRequest | undefined {
  const { caller, body, headers, url } = request;
  const key = headers['idempotency-key'];
  if (route.method !== 'POST' || !caller || typeof key !== 'string') return undefined;
  return {
    userId: caller.userId,
    requestId: request.id,
    operation: `POST ${url.split('?', 1)[0]}`,
    key,
    body,
    beforeTransaction:
      route.beforeTransaction && (() => route.beforeTransaction!(callOf(ctx, request, {}))),
  };
}

/** Whether all anonymous callers get this result for the URL, and these are not too many. */
function isShared(
  route: Route,
  { headers, url, caller, query }: FastifyRequest,
  result: unknown,
): boolean {
  // Each shared link of a page has a query of its own.
  if (result instanceof RenderedPage) return !isPersonal(headers) && !url.includes('?');
  if (!route.cache?.etag || !(result instanceof Rendered) || caller) return false;
  return !route.cache.trackingParams?.some((name) => name in (query as object));
}

const dependsOnCaller = (route: Route) => route.method === 'GET' && route.path.startsWith('/v1/');

/** Checks whether the caller may call, after validation. */
const checkAccess =
  (route: Route): preHandlerHookHandler =>
  (request, _reply, done) => {
    request.caller = callerWithin(route, request.caller);
    requireRole(route.auth.access, request.caller);
    done();
  };

/** The request as handlers see it. Collects the headers of the answer in `headers`. */
export function callOf(ctx: Context, request: FastifyRequest, headers: OutgoingHttpHeaders): Call {
  return {
    ctx: {
      ...ctx,
      get callerIp() {
        return request.ip;
      },
    },
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
      headers[name] = name === 'set-cookie' ? [headers[name] ?? [], value].flat() : value;
    },
  };
}

const metaOf = (ctx: Context, route: Route, request: FastifyRequest): AnswerMeta => ({
  requestId: request.id,
  now: ctx.now(),
  warnings: warningsFor(route, request),
});

/** Pages, files and streamed bodies have no `meta` that could name what was ignored. */
const warningsFor = (route: Route, request: FastifyRequest): RequestWarning[] =>
  route.page || route.returns.kind === 'raw' || streamedBodyType(route)
    ? []
    : warningsOf(route, request);

function send(
  ctx: Context,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  result: unknown,
): FastifyReply | Promise<FastifyReply> {
  const { returns } = route;
  if (result instanceof RenderedPage) return sendWritten(request, reply, result);
  const meta = metaOf(ctx, route, request);
  const nextCursor = nextCursorOf(returns, result);
  if (nextCursor) {
    const link = nextLink(ctx.config.baseUrl, request.url, nextCursor);
    void reply.header('link', withLink(reply.getHeader('link')?.toString(), link));
  }
  if (route.cache?.etag && returns.kind !== 'raw') {
    return sendRendered(route, request, reply, { rendered: renderResult(route, result), meta });
  }
  if (dependsOnCaller(route)) void reply.header('vary', varyOfReads);
  if (returns.kind === 'streamed') {
    return sendStreamed(ctx, request, reply, result as StreamedAnswer, meta);
  }
  if (returns.kind === 'raw') return sendRaw(request, reply, result as RawAnswer);
  void reply.code(returns.status);
  if (returns.kind === 'nothing') return reply.send();
  if (route.revision) {
    const rendered = renderResult(route, result);
    void reply.headers({ 'content-type': jsonType, etag: rendered.etag });
    return reply.send(Buffer.from(complete(rendered, meta), 'latin1'));
  }
  const body = envelope(returns, result, meta);
  const coding = codingOf(route, request);
  return coding === 'identity' ? reply.send(body) : sendCompressed(reply, body, coding);
}

const routesWithSecrets = new WeakMap<Route, boolean>();

/** Whether answers of a route can contain a secret. */
const hasSecret = (route: Route): boolean =>
  routesWithSecrets.getOrInsertComputed(
    route,
    ({ returns }) => 'schema' in returns && JSON.stringify(returns.schema).includes(secretKeyword),
  );

/**
 * The coding of an answer of the API. What is written may show a new secret, and is not compressed. What is read is, unless
 * it contains a secret of the caller, whose length beside other texts would reveal it (docs/decisions/0033-compression.md).
 */
const codingOf = (route: Route, { headers, caller }: FastifyRequest): ContentCoding =>
  !dependsOnCaller(route) || (caller && hasSecret(route)) ? 'identity' : codingFor(headers);

async function sendCompressed(
  reply: FastifyReply,
  body: unknown,
  coding: Exclude<ContentCoding, 'identity'>,
): Promise<FastifyReply> {
  const bytes = Buffer.from(JSON.stringify(body));
  void reply.header('content-type', jsonType);
  if (bytes.length <= minCompressedBytes) return reply.send(bytes);
  return reply.header('content-encoding', coding).send(await compress(bytes, coding, 'often'));
}

async function sendRaw(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: RawAnswer,
): Promise<FastifyReply> {
  const { status = 200, mediaType, body, etag } = answer;
  if (!(body instanceof Readable)) {
    const bytes = Buffer.from(body);
    const cacheControl = reply.getHeader('cache-control');
    if (isCompressible({ status, mediaType, cacheControl, bytes: bytes.length })) {
      return sendCompressible(request, reply, { mediaType, bytes, etag });
    }
  }
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

interface CompressibleText {
  mediaType: string;
  bytes: Buffer;
  etag: string | undefined;
}

/** Sends a text in the coding that the client prefers, or 304 if the client has it. */
async function sendCompressible(
  request: FastifyRequest,
  reply: FastifyReply,
  { mediaType, bytes, etag }: CompressibleText,
): Promise<FastifyReply> {
  void reply.header('vary', varyBy(reply.getHeader('vary')?.toString(), 'Accept-Encoding'));
  // Weak, since one tag stands for all codings.
  if (etag) void reply.header('etag', etag.startsWith('W/') ? etag : `W/${etag}`);
  if (etag && matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  void reply.header('content-type', mediaType);
  const coding = codingFor(request.headers);
  if (coding === 'identity') return reply.send(bytes);
  return reply.header('content-encoding', coding).send(await compress(bytes, coding, 'often'));
}

/** Sends a rendered answer, or 304 if the client has it. */
async function sendRendered(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { rendered, meta }: { rendered: Rendered; meta: AnswerMeta },
): Promise<FastifyReply> {
  void reply.headers({ ...sharedAnswerHeaders, etag: rendered.etag });
  if (matchesEtag(request.headers['if-none-match'], rendered.etag)) return reply.code(304).send();
  const compressed = await compressedHead(rendered, codingOf(route, request));
  if (compressed) void reply.header('content-encoding', compressed.coding);
  return reply.send(Buffer.from(complete(rendered, meta, compressed), 'latin1'));
}

/** Sends a rendered page, or 304 if the browser has it. */
async function sendWritten(
  request: FastifyRequest,
  reply: FastifyReply,
  page: RenderedPage,
): Promise<FastifyReply> {
  const { headers, body } = await page.for(request.headers);
  void reply.headers(headers);
  if (matchesEtag(request.headers['if-none-match'], headers.etag!)) return reply.code(304).send();
  return reply.send(Buffer.from(body, 'latin1'));
}

/** Returns the whole answer as text, so that it can be stored and repeated. */
async function runAndSerialize(
  ctx: Context,
  route: Route,
  request: FastifyRequest,
): Promise<StoredAnswer> {
  const headers: Record<string, string> = { 'content-type': jsonType };
  const result = await route.handle(callOf(ctx, request, headers));
  const { returns } = route;
  if (returns.kind === 'nothing') return { status: returns.status, headers: {}, body: '' };
  return {
    status: returns.status,
    headers,
    body: JSON.stringify(envelope(returns, result, metaOf(ctx, route, request))),
  };
}
