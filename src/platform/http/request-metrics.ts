import type { FastifyRequest } from 'fastify';
import { Histogram } from 'prom-client';
import type { Context } from '../context.ts';
import type { Route } from './route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** When the request arrived, by performance.now(). */
    startedAt: number;
  }
}

export interface Observed {
  id: string;
  method: string;
  /** By performance.now(). */
  startedAt: number;
  route: Route | undefined;
}

/** Called for every request as its answer is handed to the socket. */
export type Observe = (request: Observed, status: number) => void;

/** Measures requests by operation and status, and logs those that failed or took longer than 2 s. */
export function createObserver({ metrics, log }: Context): Observe {
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the head of a request to its answer',
    labelNames: ['operation', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [metrics],
  });
  return ({ id, method, startedAt, route }, status) => {
    const operation = route?.id ?? 'none';
    const took = (performance.now() - startedAt) / 1000;
    seconds.observe({ operation, status }, took);
    const noteworthy = status >= 500 || took > 2;
    if (!noteworthy && !log.isLevelEnabled('debug')) return;
    // Neither address nor query: both can name a person.
    const line = { request_id: id, operation, method, status, took };
    if (noteworthy) log.warn(line, 'request');
    else log.debug(line, 'request');
  };
}

/** What is observed of a request of the framework. */
export const observed = ({ id, method, startedAt, routeOptions }: FastifyRequest): Observed => ({
  id,
  method,
  startedAt,
  route: routeOptions.config.route,
});
