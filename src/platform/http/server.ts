import cors from '@fastify/cors';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Context } from '../context.ts';
import { newId } from '../ids.ts';
import { admit, countRequest, type Authenticate } from './admission.ts';
import { serveDocs } from './docs.ts';
import { register405s, sendProblem, toProblem } from './failures.ts';
import { serve } from './serve.ts';
import { countRequests } from './request-metrics.ts';
import { fastifyPath, type Caller, type Route } from './route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    route?: Route;
  }
}

interface ServerOptions {
  ctx: Context;
  routes: Route[];
  authenticate: Authenticate;
}

/** Longest body, in bytes; a description of 50,000 characters fits four times over. */
const bodyLimit = 1_048_576;

/** Builds the HTTP server: what holds for every request, then each declared route. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { ctx, routes, authenticate } = options;
  const loggerInstance: FastifyBaseLogger = ctx.log;
  const server = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newId,
    bodyLimit,
    trustProxy: ctx.config.trustProxy.length > 0 ? ctx.config.trustProxy : false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: 30_000,
    frameworkErrors: (error, request, reply) => {
      void refuse(ctx, error, request, reply);
    },
    routerOptions: { maxParamLength: 500 },
  });
  server.decorateRequest('caller', null);
  countRequests(server, ctx);

  server.addHook('onRequest', async (request, reply) => {
    setCommonHeaders(request, reply);
    await admit(ctx, authenticate, request, reply);
  });
  await server.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: exposedHeaders.join(', '),
    maxAge: 86_400,
  });

  await serveDocs(server);
  closeWhatBecomesIdle(server);
  acceptJson(server);
  server.setErrorHandler((error, request, reply) => {
    sendProblem(ctx, request, reply, toProblem(error), error);
  });
  server.setNotFoundHandler((request, reply) => {
    sendProblem(ctx, request, reply, toProblem({ code: 'FST_ERR_NOT_FOUND' }));
  });
  for (const route of routes) {
    server.route({
      method: route.method,
      url: fastifyPath(route.path),
      config: { route },
      handler: serve(ctx, route),
    });
  }
  register405s(server, routes);
  return server;
}

/** Answers what never came to a route, such as a malformed URL. */
async function refuse(
  ctx: Context,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  setCommonHeaders(request, reply);
  await countRequest(ctx, request, reply);
  sendProblem(ctx, request, reply, toProblem(error));
}

const exposedHeaders = [
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'X-API-Version',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
];

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'x-api-version': '1',
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'strict-transport-security': 'max-age=31536000',
    // Pages that need more say so themselves.
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  });
}

/**
 * While the server stops, connections are closed as their last answer goes out; otherwise clients that
 * keep theirs open would hold it up.
 */
function closeWhatBecomesIdle(server: FastifyInstance): void {
  let timer: NodeJS.Timeout | undefined;
  server.addHook('preClose', (done) => {
    timer = setInterval(() => server.server.closeIdleConnections(), 50);
    done();
  });
  server.addHook('onClose', async () => clearInterval(timer));
}

/** Bodies are JSON; an empty one is no body, whatever its declared type. */
function acceptJson(server: FastifyInstance): void {
  const parseDefault = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    /^application\/([\w.-]+\+)?json\b/i,
    { parseAs: 'string' },
    (request, body, done) => {
      if (body === '') done(null, undefined);
      else void parseDefault(request, body as string, done);
    },
  );
}
