import { addAbortSignal, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { listFrame, type AnswerMeta } from './answer.ts';
import { jsonType } from './headers.ts';
import type { StreamedAnswer } from './route.ts';

/** No more is read from the source while this much waits for the client. */
const maxBufferedBytes = 65_536;
/** How long a client may read nothing. */
const maxStallMs = 120_000;

/**
 * Sends an answer while it is read, no faster than the client takes it. A failure before the first piece is answered as
 * a problem. A later one resets the connection, so that a part cannot be mistaken for the whole: behind a proxy that
 * speaks HTTP/1.0, the end of the connection is the end of the answer.
 */
export async function sendStreamed(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { chunks, mediaType = jsonType, nextCursor }: StreamedAnswer,
  meta: AnswerMeta,
): Promise<FastifyReply> {
  void reply.code(200).headers({ 'content-type': mediaType, 'cache-control': 'private, no-store' });
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  const frame =
    mediaType === jsonType && nextCursor !== undefined
      ? listFrame(nextCursor, meta)
      : { before: '', after: '' };
  const reading = chunks[Symbol.asyncIterator]();
  const first = await reading.next();
  const body = Readable.from(write(frame, reading, first), {
    objectMode: false,
    highWaterMark: maxBufferedBytes,
  });
  addAbortSignal(reply.server.cutOff, body);
  body.on('error', (error) => {
    const operation = request.routeOptions.config.route?.id;
    ctx.log.error({ err: error, request_id: request.id, operation }, 'an answer was cut off');
    request.socket.resetAndDestroy();
  });
  reply.raw.setTimeout(maxStallMs, () => request.socket.resetAndDestroy());
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
    // Also if the client disconnected.
    await reading.return?.();
  }
}
