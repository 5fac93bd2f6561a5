import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Context } from '../context.ts';
import { withDeadline } from '../db.ts';
import { selectFields } from './answer.ts';
import { streamedBodyType } from './bodies.ts';
import { callOf } from './call.ts';
import type { HotReadCache } from './hot-read-cache.ts';
import { isPersonal } from './headers.ts';
import { runIdempotent } from './idempotency.ts';
import { pagesFor } from './pages.ts';
import { present, sendRaw, serializeAnswer, warningsFor } from './present.ts';
import { RenderedPage } from './rendered-page.ts';
import { Rendered, type Call, type Route } from './route.ts';

/** How long a request may wait for the database, authentication included. */
const requestTimeoutMs = 5000;
/** What the handler has at least, if the body arrived slowly. */
const minTimeoutMs = 1000;
/** The same for forms with a file, from the end of their upload: pictures are converted and stored elsewhere. */
const formTimeoutMs = 30_000;

/** Runs the handler of a route within the request's deadline, once per Idempotency-Key, and presents its result. */
export const handleRoute =
  (ctx: Context, route: Route, hotReads: HotReadCache): RouteHandlerMethod =>
  async (request, reply) => {
    const key = idempotencyKeyOf(route, request);
    if (key !== undefined) return handleOnce(ctx, route, key, request, reply);
    const headers: OutgoingHttpHeaders = {};
    const call = callOf(ctx, request, headers);
    const { result, page } = await withDeadline(timeoutOf(route, request), async () => {
      await route.beforeTransaction?.(call);
      const handled = await route.handle(call);
      return { result: handled, page: await pagesFor(request)?.show(call, handled) };
    });
    void reply.headers(headers);
    if (page) return sendRaw(request, reply, { status: route.returns.status, ...page });
    const { url, params, query } = request;
    const warnings = warningsFor(route, request);
    if (isHot(route, request, result)) {
      hotReads.remember(url, { route, params: params as Call['params'], query, warnings });
    }
    return present(ctx, request, reply, {
      route,
      result: selectFields(route, query, result),
      warnings,
    });
  };

function timeoutOf(route: Route, { startedAt }: FastifyRequest): number {
  const streamed = streamedBodyType(route);
  // Their handlers wait for the client.
  if (streamed === '*/*') return Infinity;
  if (streamed) return formTimeoutMs;
  return Math.max(requestTimeoutMs - (performance.now() - startedAt), minTimeoutMs);
}

/** The Idempotency-Key of a request, where it counts. */
function idempotencyKeyOf({ method }: Route, { caller, headers }: FastifyRequest) {
  const key = headers['idempotency-key'];
  return method === 'POST' && caller && typeof key === 'string' ? key : undefined;
}

async function handleOnce(
  ctx: Context,
  route: Route,
  key: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { beforeTransaction } = route;
  const keyed = {
    userId: request.caller!.userId,
    requestId: request.id,
    operation: `POST ${request.url.split('?', 1)[0]}`,
    key,
    body: request.body,
    beforeTransaction: beforeTransaction && (() => beforeTransaction(callOf(ctx, request, {}))),
  };
  const answer = await withDeadline(timeoutOf(route, request), () =>
    runIdempotent(ctx, keyed, async (within) => {
      const headers: Record<string, string> = {};
      const result = await route.handle(callOf(within, request, headers));
      const meta = { requestId: request.id, now: ctx.now(), warnings: warningsFor(route, request) };
      return serializeAnswer(route.returns, result, headers, meta);
    }),
  );
  void reply.code(answer.status).headers(answer.headers);
  return reply.send(answer.body || undefined);
}

/** Whether all anonymous callers get this result for the URL, and these URLs are not too many. */
function isHot(
  route: Route,
  { headers, url, caller, query }: FastifyRequest,
  result: unknown,
): boolean {
  // Each shared link of a page has a query of its own.
  if (result instanceof RenderedPage) return !isPersonal(headers) && !url.includes('?');
  if (!route.cache?.etag || !(result instanceof Rendered) || caller) return false;
  return !route.cache.trackingParams?.some((name) => name in (query as object));
}
