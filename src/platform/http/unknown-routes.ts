import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { Problem } from '../problems.ts';
import { isPage, pageAbove } from './page-addresses.ts';
import { fastifyPath, isEventStream, wildcardOf, type Route } from './route.ts';

const methods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Answers 405 for the methods that a declared path does not have. A GET of a form's path leads to the page above it. */
export function register405s(server: FastifyInstance, routes: Route[]): void {
  for (const [path, declared] of Map.groupBy(routes, (route) => route.path)) {
    const url = fastifyPath(declared[0]!);
    const allowed = allowedMethods(declared);
    const pageAboveOf = declared.some(isPage) ? pageAbove(routes, path) : undefined;
    server.route({
      method: 'OPTIONS',
      url,
      handler: (_request, reply) => reply.code(204).header('allow', allowed.join(', ')).send(),
    });
    server.route({
      method: methods.filter((method) => !allowed.includes(method)),
      url,
      exposeHeadRoute: false,
      // The method is refused before the type of the body.
      onRequest: async (request, reply) => {
        const address = pageAboveOf?.(request);
        if (address !== undefined) return reply.redirect(address, 303);
        throw methodNotAllowed(allowed);
      },
      handler: async () => undefined,
    });
  }
}

/** Streams of events have no HEAD: their head does not end. */
function allowedMethods(declared: Route[]): HTTPMethods[] {
  const reads = declared.find(({ method }) => method === 'GET');
  const hasHead = reads && !isEventStream(reads);
  return [...declared.map(({ method }) => method), ...(hasHead ? ['HEAD'] : []), 'OPTIONS'];
}

/** Returns what is wrong with a request for which there is no route: its method, which HTTP has and the framework has not, or its path. */
export function noRoute(routes: Route[]): (request: FastifyRequest) => Problem {
  const paths = [...Map.groupBy(routes, (route) => route.path)].map(([path, declared]) => ({
    pattern: new RegExp(`^${patternOf(path, wildcardOf(declared[0]!) !== undefined)}$`),
    allowed: allowedMethods(declared),
  }));
  return ({ method, url }) => {
    const known = methods.includes(method) || method === 'OPTIONS';
    const path = url.split('?', 1)[0]!;
    const found = known ? undefined : paths.find(({ pattern }) => pattern.test(path));
    return found
      ? methodNotAllowed(found.allowed)
      : new Problem('not-found', 'No such path. GET /openapi.json describes every one.');
  };
}

function patternOf(path: string, hasWildcard: boolean): string {
  const escaped = RegExp.escape(path);
  const open = hasWildcard ? escaped.replace(/\\\{\w+\\\}$/, '.+') : escaped;
  return open.replaceAll(/\\\{\w+\\\}/g, '[^/]+');
}

function methodNotAllowed(allowed: HTTPMethods[]): Problem {
  const allow = allowed.join(', ');
  return new Problem('method-not-allowed', `This path takes ${allow}.`, { headers: { allow } });
}
