import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Context } from '../context.ts';
import { equalInConstantTime } from '../keys.ts';
import { unauthorized } from '../problems.ts';

const prefix = 'Bearer ';

/** @throws {Problem} unauthorized if the metrics need a token, and this Authorization header has another */
export function requireMetricsToken({ config }: Context, authorization = ''): void {
  const { metricsToken } = config;
  if (metricsToken === undefined) return;
  const given = authorization.startsWith(prefix) ? authorization.slice(prefix.length) : '';
  if (!equalInConstantTime(given, metricsToken))
    throw unauthorized('Send the token of METRICS_TOKEN.');
}

/** Serves GET /metrics and nothing else on METRICS_PORT, if it is set. */
export async function startMetricsServer(ctx: Context): Promise<AsyncDisposable | undefined> {
  const { metricsPort: port, host } = ctx.config;
  if (port === undefined) return undefined;
  const server = createServer((request, response) => {
    const answer = async () => {
      if (request.url !== '/metrics') return response.writeHead(404).end();
      try {
        requireMetricsToken(ctx, request.headers.authorization);
      } catch {
        return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      }
      const text = await ctx.metrics.metrics();
      return response.writeHead(200, { 'content-type': ctx.metrics.contentType }).end(text);
    };
    answer().catch((error: unknown) => {
      ctx.log.error({ err: error }, 'could not read the metrics');
      response.writeHead(500).end();
    });
  });
  server.listen(port, host ?? 'localhost');
  await once(server, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
