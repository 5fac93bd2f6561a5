import { Readable } from 'node:stream';
import type { RawAnswer } from '../../platform/http/route.ts';
import { exportSignatures } from '../../reach/exports/exports.ts';
import type { OwnView } from '../site/site.ts';

const frames = {
  csv: { mediaType: 'text/csv; charset=utf-8', before: '', after: '' },
  json: { mediaType: 'application/json; charset=utf-8', before: '{"data":[', after: ']}' },
};

/** Who signed, as a file that is written while it is read. */
export async function signaturesFile(
  { ctx, viewer, header }: OwnView,
  ref: string,
  format: 'csv' | 'json',
): Promise<RawAnswer> {
  const { pieces } = await exportSignatures(ctx, viewer.caller, ref, { format }, header);
  const { mediaType, ...frame } = frames[format];
  header('cache-control', 'no-store');
  return { mediaType, body: Readable.from(write(frame, pieces), { objectMode: false }) };
}

async function* write(
  { before, after }: { before: string; after: string },
  pieces: AsyncIterable<string>,
): AsyncGenerator<string> {
  if (before) yield before;
  yield* pieces;
  if (after) yield after;
}
