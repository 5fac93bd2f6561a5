import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

const contentSecurityPolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; " +
  "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "worker-src 'self' blob:; frame-ancestors 'none'";

/**
 * Serves the API reference at /docs, with its script from this server only. Loads it on the first request, since it
 * takes 40 MB.
 */
export function serveDocs(server: FastifyInstance): void {
  let pages: Promise<FastifyInstance> | undefined;
  const show = async ({ url }: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    pages ??= openPages();
    const page = await (await pages).inject({ url });
    if (page.statusCode === 404) {
      reply.callNotFound();
      return reply;
    }
    for (const name of ['content-type', 'location', 'etag']) {
      const value = page.headers[name];
      if (value !== undefined) void reply.header(name, value);
    }
    void reply.header('content-security-policy', contentSecurityPolicy);
    return reply.code(page.statusCode).send(page.payload === '' ? undefined : page.rawPayload);
  };
  for (const url of ['/docs', '/docs/*']) server.get(url, show);
}

/** Loads the pages, on a server that listens nowhere. */
async function openPages(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const pages = fastify();
  await pages.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'API reference',
      withDefaultFonts: false,
      hideClientButton: true,
      telemetry: false,
      showDeveloperTools: 'never',
      mcp: { disabled: true },
      agent: { disabled: true },
    },
  });
  return pages;
}
