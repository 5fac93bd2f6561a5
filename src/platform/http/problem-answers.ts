import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { isDatabaseUnavailable, isMissingUser } from '../db.ts';
import {
  invalidRequest,
  notFound,
  Problem,
  rateLimited,
  unauthorized,
  unavailable,
  unsupportedMediaType,
} from '../problems.ts';
import { countRequest } from './admission.ts';
import { addHeaders, failureHeaders } from './headers.ts';
import { InvalidInput, inputProblem } from './input.ts';
import { failurePage, pagesFor, wantsPage, type FailurePages } from './pages.ts';
import { observed, type Observe } from './request-metrics.ts';
import type { BodyType, Call } from './route.ts';
import { callOf } from './call.ts';

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

/** Answers an error of the framework or of a handler. */
export function sendFailure(
  failures: Failures,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): void {
  const { route } = request.routeOptions.config;
  const problem =
    route && error instanceof InvalidInput
      ? inputProblem(route, request)
      : toProblem(error, route?.body?.types);
  sendProblem(failures, request, reply, problem, error);
}

/** Answers what the framework refuses before its hooks run, such as a malformed URL: counted and observed here. */
export async function refuseRequest(
  failures: Failures & { fixed: Record<string, string>; observe: Observe },
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { ctx, fixed, observe } = failures;
  request.startedAt = performance.now();
  request.limit = await countRequest(ctx, request);
  const { allowed, retryAfterSeconds } = request.limit.verdict;
  addHeaders(ctx, fixed, request, reply);
  sendProblem(
    failures,
    request,
    reply,
    allowed ? toProblem(error) : rateLimited(retryAfterSeconds),
  );
  observe(observed(request), reply.statusCode);
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
    const header: Call['header'] = (name, value) => void reply.header(name, value);
    const body = format.write(problem, { ctx, header, headers: request.headers });
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
