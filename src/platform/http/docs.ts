import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';

/** Shows the description at /docs, with its script served from here and nothing from elsewhere. */
export async function serveDocs(server: FastifyInstance): Promise<void> {
  await server.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      withDefaultFonts: false,
      hideClientButton: true,
      telemetry: false,
      showDeveloperTools: 'never',
      mcp: { disabled: true },
      agent: { disabled: true },
    },
    hooks: {
      onRequest: (_request, reply, done) => {
        void reply.header(
          'content-security-policy',
          "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; " +
            "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
            "worker-src 'self' blob:; frame-ancestors 'none'",
        );
        done();
      },
    },
  });
}
