import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { invalidRequest, validationFailed } from '../problems.ts';
import { requireRole } from './admission.ts';
import { envelope, matchesEtag, render, renderPage } from './answer.ts';
import { once, type KeptAnswer } from './idempotency.ts';
import { Rendered, type Call, type RawAnswer, type Route } from './route.ts';
import { checkParams, compileValidator } from './validation.ts';

/** Makes the handler that serves one declared route. */
export function serve(ctx: Context, route: Route) {
  const check = inputChecks(route);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    check(request);
    requireRole(route.access, request.caller);
    if (dependsOnCaller(route)) reply.header('vary', 'Authorization');
    const key = request.headers['idempotency-key'];
    if (route.method === 'POST' && request.caller && typeof key === 'string' && key !== '') {
      const answer = await once(
        ctx,
        {
          userId: request.caller.userId,
          operation: `${request.method} ${request.url}`,
          key,
          body: request.body,
        },
        (inTransaction) => keep(inTransaction, route, request),
      );
      return reply
        .code(answer.status)
        .headers(answer.headers)
        .send(answer.body || undefined);
    }
    return answerInto(reply, ctx, route, request);
  };
}

const dependsOnCaller = (route: Route) => route.method === 'GET' && route.path.startsWith('/v1/');

function inputChecks(route: Route): (request: FastifyRequest) => void {
  const params = route.params && compileValidator(route.params, 'params');
  const query = route.query && compileValidator(route.query, 'query');
  const body = route.body && compileValidator(route.body, 'body');
  return (request) => {
    const errors = [];
    if (query) errors.push(...query(request.query));
    if (errors.length > 0 && route.badQueryIs400) {
      throw invalidRequest(errors.map((error) => `${error.field}: ${error.message}`).join(' '));
    }
    if (body) {
      if (request.body !== undefined) errors.push(...body(request.body));
      else if (route.bodyOptional) request.body = {};
      else errors.push({ field: '', message: 'A JSON body is needed.', code: 'required' as const });
    }
    if (errors.length > 0) throw validationFailed(...errors);
    if (params) checkParams(params, request.params);
  };
}

async function run(ctx: Context, route: Route, request: FastifyRequest, headers: object) {
  const call: Call = {
    ctx,
    caller: request.caller,
    params: request.params as Record<string, string>,
    query: request.query,
    body: request.body,
    ip: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    header: (name, value) => Object.assign(headers, { [name]: value }),
  };
  return route.handle(call as never);
}

const json = 'application/json; charset=utf-8';

async function answerInto(
  reply: FastifyReply,
  ctx: Context,
  route: Route,
  request: FastifyRequest,
) {
  const { returns } = route;
  const headers: Record<string, string> = {};
  let result = await run(ctx, route, request, headers);
  if (returns.kind === 'raw') {
    const { status = 200, mediaType, body } = result as RawAnswer;
    reply.code(status).header('content-type', mediaType).headers(headers);
    return reply.send(body instanceof Readable ? body : Buffer.from(body));
  }
  reply.code(returns.status).headers(headers);
  if (returns.kind === 'nothing') return reply.send();
  if (route.etag) {
    if (!(result instanceof Rendered)) {
      result = returns.kind === 'many' ? renderPage(result as never) : render(result);
    }
    const { etag } = result as Rendered;
    reply.headers({ etag, 'cache-control': 'private, no-cache' });
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  }
  reply.header('content-type', json);
  return reply.send(envelope(returns, result, request.id, ctx.now()));
}

/** The whole answer as text, so that it can be given again. */
async function keep(ctx: Context, route: Route, request: FastifyRequest): Promise<KeptAnswer> {
  const headers: Record<string, string> = { 'content-type': json };
  const result = await run(ctx, route, request, headers);
  const { returns } = route;
  if (returns.kind === 'nothing') return { status: returns.status, headers: {}, body: '' };
  return {
    status: returns.status,
    headers,
    body: envelope(returns, result, request.id, ctx.now()),
  };
}
