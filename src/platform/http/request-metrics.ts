import type { FastifyInstance } from 'fastify';
import { Histogram } from 'prom-client';
import type { Context } from '../context.ts';

/** Measures every request by route and status, and logs those that failed or took long. */
export function countRequests(server: FastifyInstance, ctx: Context): void {
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['operation', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [ctx.metrics],
  });
  server.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.config.route?.id ?? 'none';
    const took = reply.elapsedTime / 1000;
    seconds.observe({ operation, status: reply.statusCode }, took);
    // Neither address nor query: both can name a person.
    const line = { operation, method: request.method, status: reply.statusCode, seconds: took };
    if (reply.statusCode >= 500 || took > 2) request.log.warn(line, 'request');
    else request.log.debug(line, 'request');
    done();
  });
}
