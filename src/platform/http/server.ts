import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Config } from '../../config.ts';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Context } from '../context.ts';
import { admit, countRequest, type Authenticate } from './admission.ts';
import {
  answerPreflight,
  deprecateKeyHeader,
  fixedHeaders,
  formType,
  isPreflight,
  requestHeaders,
  type TrustProxy,
} from './headers.ts';
import { acceptStreamedBody, streamedBodyType } from './bodies.ts';
import { defaultMaxBytes } from './body-limits.ts';
import { readText } from './body-text.ts';
import { InvalidInput, inputProblem, validatorCompiler } from './input.ts';
import { formProblem, jsonProblem } from './input-limits.ts';
import { normalizeForwardedFor } from './forwarded.ts';
import { arrivalTimes, HotReadCache } from './hot-read-cache.ts';
import {
  noRoute,
  refuseConnection,
  register405s,
  sendProblem,
  toProblem,
  type Failures,
} from './problem-answers.ts';
import { Problem } from '../problems.ts';
import { pageAddresses } from './page-addresses.ts';
import type { FailurePages } from './pages.ts';
import { fastifyOptions } from './serve.ts';
import { isUpgrade, handleUpgrades, type UpgradeHandler } from './upgrades.ts';
import { createObserver, type Observed } from './request-metrics.ts';
import { Shutdown } from './shutdown.ts';
import type { Caller, Route } from './route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    /** The text of the JSON body, for routes that verify it. */
    bodyText: string;
  }
  interface FastifyContextConfig {
    route?: Route;
  }
}

interface ServerOptions {
  ctx: Context;
  routes: Route[];
  authenticate: Authenticate;
  upgrades: Record<string, UpgradeHandler>;
  /** Shows failures to browsers where no route does. */
  failurePages?: FailurePages;
  /** Closes connections that are not requests, such as WebSockets. */
  closeConnections: () => void;
}

/** Builds the HTTP server: hooks for all requests, then each declared route. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { ctx, routes, authenticate } = options;
  // Fastify's messages below warnings are logged by us already, or of no use to operators.
  const level = ctx.log.isLevelEnabled('warn') ? 'warn' : ctx.log.level;
  const loggerInstance: FastifyBaseLogger = ctx.log.child({}, { level });
  const observe = createObserver(ctx);
  const failures: Failures = { ctx, pages: options.failurePages };
  const fixed = fixedHeaders(ctx.config);
  const trustProxy = trustedProxies(ctx.config.trustProxy);
  const shutdown = new Shutdown({ ctx, fixed, closeConnections: options.closeConnections });
  const hotReads = new HotReadCache({ ctx, fixed, trustProxy, observe });
  const server = Fastify({
    // Called for each address of localhost.
    serverFactory: (framework) => {
      // Pictures arrive slowly over weak networks; heads do not.
      const timeouts = {
        headersTimeout: 30_000,
        requestTimeout: 120_000,
        keepAliveTimeout: 72_000,
        shouldUpgradeCallback: (request: IncomingMessage) => isUpgrade(request, options.upgrades),
      };
      const listener = createServer(timeouts, shutdown.before(hotReads.wrap(framework)));
      listener.on('checkExpectation', framework);
      normalizeForwardedFor(listener);
      handleUpgrades(listener, { ctx, handlers: options.upgrades, fixed, trustProxy });
      shutdown.watch(listener);
      return listener;
    },
    clientErrorHandler: (error, socket) => refuseConnection(ctx, fixed, error, socket),
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request would cost more than the rest of this file; log lines have request_id.
    childLoggerFactory: (logger) => logger,
    genReqId: () => randomUUID(),
    bodyLimit: defaultMaxBytes,
    trustProxy,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      void refuse(failures, fixed, error, request, reply);
    },
    routerOptions: { maxParamLength: 500 },
  });
  server.decorateRequest('caller', null);
  server.decorateRequest('bodyText', '');
  server.decorateRequest('limit', null);
  server.decorateRequest('startedAt', 0);
  shutdown.register(server);

  server.addHook('onSend', async (request, reply) => {
    for (const [name, value] of Object.entries(fixed)) {
      if (!reply.hasHeader(name)) void reply.header(name, value);
    }
    void reply.headers(requestHeaders(request.id, request.limit));
    // Also after failures: the request may have held up events of others.
    if (request.method !== 'GET') ctx.eventNotifier.notify();
    deprecateKeyHeader(ctx.config, request, reply);
    observe(observed(request), reply.statusCode);
  });
  server.addHook('onRequest', (request, _reply, done) => {
    request.startedAt = arrivalTimes.get(request.raw) ?? performance.now();
    const admitted = admit(ctx, authenticate, request);
    if (!(admitted instanceof Promise)) done(admitted);
    else void admitted.then(done, done);
  });
  server.addHook('onRequest', (request, reply, done) => {
    if (isPreflight(request)) void answerPreflight(request, reply);
    else if (shutdown.draining && isReadinessCheck(request)) {
      void shutdown.refuseReadiness(request, reply);
    } else done();
  });

  server.addHook('onRequest', (request, _reply, done) => {
    const { expect } = request.headers;
    const isUnknown = expect !== undefined && expect.toLowerCase() !== '100-continue';
    done(
      isUnknown
        ? new Problem('expectation-failed', 'Leave out the Expect header, or send 100-continue.')
        : undefined,
    );
  });

  const pageAddressOf = pageAddresses(routes);
  server.addHook('onRequest', (request, reply, done) => {
    const address = pageAddressOf(request);
    if (address === undefined) done();
    else void reply.code(308).headers({ 'cache-control': 'no-store', location: address }).send();
  });

  acceptJson(server);
  acceptForms(server);
  server.setValidatorCompiler(validatorCompiler);
  server.setErrorHandler((error, request, reply) => {
    const { route } = request.routeOptions.config;
    const problem =
      route && error instanceof InvalidInput
        ? inputProblem(route, request)
        : toProblem(error, route?.body?.types);
    sendProblem(failures, request, reply, problem, error);
  });
  const problemWithoutRoute = noRoute(routes);
  server.setNotFoundHandler((request, reply) => {
    sendProblem(failures, request, reply, problemWithoutRoute(request));
  });
  for (const route of routes) {
    const declared = fastifyOptions(ctx, route, hotReads);
    if (!streamedBodyType(route)) server.route(declared);
    else {
      await server.register(async (scope) => {
        await acceptStreamedBody(scope, route);
        scope.route(declared);
      });
    }
  }
  register405s(server, routes);
  return server;
}

const isReadinessCheck = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.route?.id === 'getReadiness';

const observed = ({ id, method, startedAt, routeOptions }: FastifyRequest): Observed => ({
  id,
  method,
  startedAt,
  route: routeOptions.config.route,
});

/** Answers what Fastify refuses before routing, such as a malformed URL. */
async function refuse(
  failures: Failures,
  fixed: Record<string, string>,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { ctx } = failures;
  request.limit = await countRequest(ctx, request);
  void reply.headers({ ...fixed, ...requestHeaders(request.id, request.limit) });
  deprecateKeyHeader(ctx.config, request, reply);
  sendProblem(failures, request, reply, toProblem(error));
}

/** Returns whether an address is a proxy whose X-Forwarded-For is trusted. */
function trustedProxies(proxies: Config['trustProxy']): TrustProxy {
  if (!proxies) return false;
  // Proxies connect from few addresses, so each is checked once.
  const known = new LRUCache<string, boolean>({ max: 10_000 });
  return (address) => {
    let trusted = known.get(address);
    if (trusted === undefined) {
      trusted = proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
      known.set(address, trusted);
    }
    return trusted;
  };
}

/** Parses JSON bodies. An empty text is no body. Members that would change a prototype are dropped. */
function acceptJson(server: FastifyInstance): void {
  const parseDefault = server.getDefaultJsonParser('remove', 'remove');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    /^application\/([\w.-]+\+)?json\b/i,
    { parseAs: 'buffer' },
    (request, body, done) => {
      const text = readText(request, body as Buffer);
      if (text instanceof Error) {
        done(text);
        return;
      }
      if (request.routeOptions.config.route?.body?.verify) request.bodyText = text;
      if (text === '') done(null, undefined);
      else
        void parseDefault(request, text, (error, parsed) =>
          done(error ?? jsonProblem(parsed) ?? null, parsed),
        );
    },
  );
}

/**
 * Parses URL-encoded forms. A field that is sent twice becomes a list, which schemas refuse. Browsers send every line
 * break as CRLF; it counts as one character.
 */
function acceptForms(server: FastifyInstance): void {
  server.addContentTypeParser(formType, { parseAs: 'buffer' }, (request, body, done) => {
    const text = readText(request, body as Buffer);
    if (text instanceof Error) {
      done(text);
      return;
    }
    const problem = formProblem(text);
    if (problem) {
      done(problem);
      return;
    }
    const fields = Map.groupBy(new URLSearchParams(text), ([name]) => name);
    const values = fields.entries().map(([name, sent]) => {
      const texts = sent.map(([, value]) => value.replaceAll('\r\n', '\n'));
      return [name, texts.length === 1 ? texts[0] : texts] as const;
    });
    done(null, Object.fromEntries(values));
  });
}
