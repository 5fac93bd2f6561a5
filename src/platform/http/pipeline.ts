import type { RequestListener } from 'node:http';
import type {
  FastifyInstance,
  FastifyRequest,
  preValidationHookHandler,
  RouteOptions,
} from 'fastify';
import type { Context } from '../context.ts';
import { Problem } from '../problems.ts';
import { admit, authorize, type Authenticate } from './admission.ts';
import { acceptStreamedBody, streamedBodyType } from './bodies.ts';
import { maxBodyBytes } from './body-limits.ts';
import { handleRoute } from './handle.ts';
import { addHeaders, answerPreflight, isPreflight } from './headers.ts';
import { arrivalTimes, type HotReadCache } from './hot-read-cache.ts';
import { checkBody, validatedBody, validatorCompiler } from './input.ts';
import { pageAddresses } from './page-addresses.ts';
import { sendFailure, sendProblem, type Failures } from './problem-answers.ts';
import { observed, type Observe } from './request-metrics.ts';
import { fastifyPath, isEventStream, wildcardOf, type Route } from './route.ts';
import type { Shutdown } from './shutdown.ts';
import { noRoute, register405s } from './unknown-routes.ts';

export interface Stages {
  ctx: Context;
  shutdown: Shutdown;
  hotReads: HotReadCache;
  authenticate: Authenticate;
  /** Headers of every answer. */
  fixed: Record<string, string>;
  failures: Failures;
  observe: Observe;
}

/** The stages before the framework: drain, then hot reads. */
export const beforeFramework = (
  { shutdown, hotReads }: Stages,
  framework: RequestListener,
): RequestListener => shutdown.before(hotReads.wrap(framework));

/**
 * The stages of every request that reaches the framework (docs/architecture.md, One request): admit, leave early, then
 * those of its route, then the headers of every answer, then observe.
 */
export async function addStages(
  server: FastifyInstance,
  stages: Stages,
  routes: Route[],
): Promise<void> {
  const { ctx, shutdown, authenticate, fixed, failures, observe } = stages;

  const warnOfProxy = unknownProxyWarning(ctx);
  server.addHook('onRequest', function admitCaller(request, _reply, done) {
    request.startedAt = arrivalTimes.get(request.raw) ?? performance.now();
    warnOfProxy(request);
    const admitted = admit(ctx, authenticate, request);
    if (!(admitted instanceof Promise)) done(admitted);
    else void admitted.then(done, done);
  });

  const pageAddressOf = pageAddresses(routes);
  server.addHook('onRequest', function leaveEarly(request, reply, done) {
    if (isPreflight(request)) void answerPreflight(request, reply);
    else if (shutdown.draining && isReadinessCheck(request)) {
      void shutdown.refuseReadiness(request, reply);
    } else if (isUnknownExpectation(request)) done(expectationFailed());
    else {
      const address = pageAddressOf(request);
      if (address === undefined) done();
      else void reply.code(308).headers({ 'cache-control': 'no-store', location: address }).send();
    }
  });

  server.addHook('onSend', function finishAnswer(request, reply, _body, done) {
    addHeaders(ctx, fixed, request, reply);
    // Also after failures: the request may have held up events of others.
    if (request.method !== 'GET') ctx.eventNotifier.notify();
    observe(observed(request), reply.statusCode);
    done();
  });

  server.setValidatorCompiler(validatorCompiler);
  server.setErrorHandler((error, request, reply) => sendFailure(failures, request, reply, error));
  const problemWithoutRoute = noRoute(routes);
  server.setNotFoundHandler((request, reply) =>
    sendProblem(failures, request, reply, problemWithoutRoute(request)),
  );
  for (const route of routes) await addRoute(server, stages, route);
  register405s(server, routes);
}

/**
 * The stages of a declared route: validate, authorise, handle and present. Fastify gets no response schemas: answers are
 * serialized by JSON.stringify, as rendered ones are, and tests hold each against the description.
 */
async function addRoute(server: FastifyInstance, { ctx, hotReads }: Stages, route: Route) {
  const body = validatedBody(route);
  const bodyLimit = maxBodyBytes(route);
  const declared: RouteOptions = {
    method: route.method,
    url: fastifyPath(route),
    exposeHeadRoute: !isEventStream(route),
    config: { route },
    ...(bodyLimit !== undefined && { bodyLimit }),
    schema: {
      ...(route.params && { params: route.params }),
      ...(route.query && { querystring: route.query }),
      ...(body && { body }),
    },
    preValidation: [...nameWildcard(route), ...(route.body ? [checkBody(route)] : [])],
    preHandler: authorize(route),
    handler: handleRoute(ctx, route, hotReads),
  };
  if (!streamedBodyType(route)) {
    server.route(declared);
    return;
  }
  await server.register(async (scope) => {
    await acceptStreamedBody(scope, route);
    scope.route(declared);
  });
}

/** Gives the part of the path that the framework calls `*` the name that the route gives it. */
function nameWildcard(route: Route): preValidationHookHandler[] {
  const name = wildcardOf(route);
  if (name === undefined) return [];
  return [
    (request, _reply, done) => {
      const { '*': value, ...others } = request.params as Record<string, string>;
      request.params = { ...others, [name]: value };
      done();
    },
  ];
}

/** Returns what says once that a proxy stands before the service whose word is not believed. */
function unknownProxyWarning({ config, log }: Context): (request: FastifyRequest) => void {
  let isSaid = !config.production || config.trustProxy !== undefined;
  return ({ headers }) => {
    if (isSaid || headers['x-forwarded-for'] === undefined) return;
    isSaid = true;
    log.warn(
      'X-Forwarded-For arrives, and TRUST_PROXY is not set: all visitors count as one address. Set it to the address of the proxy (docs/operating.md, Production).',
    );
  };
}

const isReadinessCheck = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.route?.id === 'getReadiness';

const isUnknownExpectation = ({ headers: { expect } }: FastifyRequest): boolean =>
  expect !== undefined && expect.toLowerCase() !== '100-continue';

const expectationFailed = () =>
  new Problem('expectation-failed', 'Leave out the Expect header, or send 100-continue.');
