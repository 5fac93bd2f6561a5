import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import type { Authenticate } from './admission.ts';
import { refuseConnection, type Connections } from './connection-answers.ts';
import { defaultMaxBytes } from './body-limits.ts';
import { addBodyParsers } from './body-parsers.ts';
import { normalizeForwardedFor, trustedProxies } from './forwarded.ts';
import { fixedHeaders } from './headers.ts';
import { HotReadCache } from './hot-read-cache.ts';
import { addStages, beforeFramework, type Stages } from './pipeline.ts';
import { refuseRequest } from './problem-answers.ts';
import type { FailurePages } from './pages.ts';
import { createObserver } from './request-metrics.ts';
import type { Caller, Route } from './route.ts';
import { Shutdown } from './shutdown.ts';
import { handleUpgrades, isUpgrade, type UpgradeHandler } from './upgrades.ts';

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

/** Builds the HTTP server: what reads connections, then the stages of requests (pipeline.ts). */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { ctx, routes, authenticate, upgrades, closeConnections } = options;
  // Fastify's messages below warnings are logged by us already, or of no use to operators.
  const level = ctx.log.isLevelEnabled('warn') ? 'warn' : ctx.log.level;
  const loggerInstance: FastifyBaseLogger = ctx.log.child({}, { level });
  const fixed = fixedHeaders(ctx.config);
  const trustProxy = trustedProxies(ctx.config.trustProxy);
  const observe = createObserver(ctx);
  const connections: Connections = { ctx, fixed, trustProxy, observe };
  const stages: Stages = {
    ctx,
    shutdown: new Shutdown({ ctx, fixed, closeConnections }),
    hotReads: new HotReadCache(connections),
    authenticate,
    fixed,
    failures: { ctx, pages: options.failurePages },
    observe,
  };
  const server = Fastify({
    // Called for each address of localhost.
    serverFactory: (framework) => {
      // Pictures arrive slowly over weak networks; heads do not.
      const timeouts = {
        headersTimeout: 30_000,
        requestTimeout: 120_000,
        keepAliveTimeout: 72_000,
        shouldUpgradeCallback: (request: IncomingMessage) => isUpgrade(request, upgrades),
      };
      const listener = createServer(timeouts, beforeFramework(stages, framework));
      listener.on('checkExpectation', framework);
      normalizeForwardedFor(listener);
      handleUpgrades(listener, upgrades, connections);
      stages.shutdown.watch(listener);
      return listener;
    },
    clientErrorHandler: (error, socket) => void refuseConnection(connections, error, socket),
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request would cost more than the rest of the pipeline; log lines have request_id.
    childLoggerFactory: (logger) => logger,
    genReqId: () => randomUUID(),
    bodyLimit: defaultMaxBytes,
    trustProxy,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      void refuseRequest({ ...stages.failures, fixed, observe }, error, request, reply),
    routerOptions: { maxParamLength: 500 },
  });
  server.decorateRequest('caller', null);
  server.decorateRequest('bodyText', '');
  server.decorateRequest('limit', null);
  server.decorateRequest('startedAt', 0);
  stages.shutdown.register(server);
  addBodyParsers(server);
  await addStages(server, stages, routes);
  return server;
}
