import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { Call } from './route.ts';

/** The request as handlers see it. Collects the headers of the answer in `headers`. */
export function callOf(ctx: Context, request: FastifyRequest, headers: OutgoingHttpHeaders): Call {
  return {
    ctx: {
      ...ctx,
      get callerIp() {
        return request.ip;
      },
    },
    method: request.method,
    url: request.url,
    caller: request.caller,
    params: request.params as Record<string, string>,
    query: request.query,
    body: request.body,
    headers: request.headers,
    get ip() {
      return request.ip;
    },
    header: (name, value) => {
      headers[name] = name === 'set-cookie' ? [headers[name] ?? [], value].flat() : value;
    },
  };
}
