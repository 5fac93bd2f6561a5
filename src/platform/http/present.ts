import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { complete, envelope, matchesEtag, renderResult, type AnswerMeta } from './answer.ts';
import { streamedBodyType } from './bodies.ts';
import { compressedHead } from './compressed-json.ts';
import {
  codingFor,
  compress,
  isCompressible,
  minCompressedBytes,
  varyBy,
  type ContentCoding,
} from './compression.ts';
import { jsonType, sharedAnswerHeaders, varyOfReads } from './headers.ts';
import type { StoredAnswer } from './idempotency.ts';
import { nextCursorOf, nextLink, withLink } from './links.ts';
import {
  Pending,
  type Rendered,
  type RawAnswer,
  type Returns,
  type Route,
  type StreamedAnswer,
} from './route.ts';
import { sendStreamed } from './streaming.ts';
import { RenderedPage } from './rendered-page.ts';
import { secretKeyword, type RequestWarning } from './schema.ts';
import { warningsOf } from './warnings.ts';

const dependsOnCaller = (route: Route) => route.method === 'GET' && route.path.startsWith('/v1/');

/** What was ignored of a request. Pages, files and streamed bodies have no `meta` that could name it. */
export const warningsFor = (route: Route, request: FastifyRequest): RequestWarning[] =>
  route.page || route.returns.kind === 'raw' || streamedBodyType(route)
    ? []
    : warningsOf(route, request);

interface Presented {
  route: Route;
  result: unknown;
  warnings: readonly RequestWarning[];
}

/** Sends the result of a handler as its route declares: envelope, entity tag, Link, compression. */
export function present(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { route, result, warnings }: Presented,
): FastifyReply | Promise<FastifyReply> {
  const { returns } = route;
  if (result instanceof RenderedPage) return sendWritten(request, reply, result);
  if (result instanceof Pending)
    return sendPending(reply, result, { requestId: request.id, now: ctx.now(), warnings });
  const meta: AnswerMeta = { requestId: request.id, now: ctx.now(), warnings };
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

function sendPending(
  reply: FastifyReply,
  pending: Pending<unknown>,
  meta: AnswerMeta,
): FastifyReply {
  return reply
    .code(202)
    .headers({
      'cache-control': 'no-store',
      'retry-after': String(pending.retryAfterSeconds),
      vary: varyOfReads,
    })
    .send(envelope({ kind: 'one', status: 202, schema: {} }, pending.data, meta));
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

/** Sends a page, a file or a text, compressed where that is worth it. */
export async function sendRaw(
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
export const serializeAnswer = (
  returns: Returns,
  result: unknown,
  headers: Record<string, string>,
  meta: AnswerMeta,
): StoredAnswer =>
  returns.kind === 'nothing'
    ? { status: returns.status, headers: {}, body: '' }
    : {
        status: returns.status,
        headers: { 'content-type': jsonType, ...headers },
        body: JSON.stringify(envelope(returns, result, meta)),
      };
