import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { answerParent } from './child.ts';

/** Answers every request with the same bytes from a route of the bare framework. */
async function start({ mediaType, body }: { mediaType: string; body: string }) {
  const server = Fastify();
  server.get('/v1/petitions', (_request, reply) => {
    reply.header('content-type', mediaType).send(body);
  });
  server.get('/v1/petitions/:id', (_request, reply) => {
    reply.header('content-type', mediaType).send(body);
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  return { port: (server.server.address() as AddressInfo).port };
}

const handlers = { start };
export type BareProcess = typeof handlers;
answerParent(handlers);
