import { addAbortSignal, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { listFrame } from './answer.ts';
import { jsonType } from './headers.ts';
import type { StreamedAnswer } from './route.ts';

/** Bytes that may wait for the client before no more is read for it. */
const waiting = 65_536;
/** How long a client may take nothing at all. */
const stalledMilliseconds = 120_000;

/**
 * Writes an answer while it is read, no faster than the client takes it. What fails before the first piece
 * is a problem like any other. Afterwards the connection is reset, so that nobody takes a part for the
 * whole: behind a proxy that speaks HTTP/1.0 the end of the connection is the end of the answer.
 */
export async function sendStreamed(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { pieces, mediaType = jsonType, nextCursor }: StreamedAnswer,
): Promise<FastifyReply> {
  void reply.code(200).headers({ 'content-type': mediaType, 'cache-control': 'private, no-store' });
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  const frame =
    mediaType === jsonType && nextCursor !== undefined
      ? listFrame(nextCursor, request.id, ctx.now())
      : { before: '', after: '' };
  const reading = pieces[Symbol.asyncIterator]();
  const first = await reading.next();
  const body = Readable.from(write(frame, reading, first), {
    objectMode: false,
    highWaterMark: waiting,
  });
  addAbortSignal(reply.server.cutOff, body);
  body.on('error', (error) => {
    const operation = request.routeOptions.config.route?.id;
    ctx.log.error({ err: error, request_id: request.id, operation }, 'an answer was cut off');
    request.socket.resetAndDestroy();
  });
  reply.raw.setTimeout(stalledMilliseconds, () => request.socket.resetAndDestroy());
  return reply.send(body);
}

async function* write(
  { before, after }: { before: string; after: string },
  reading: AsyncIterator<string>,
  first: IteratorResult<string>,
): AsyncGenerator<string> {
  try {
    if (before) yield before;
    for (let read = first; !read.done; read = await reading.next()) yield read.value;
    if (after) yield after;
  } finally {
    // Also where the client went away half-way.
    await reading.return?.();
  }
}
