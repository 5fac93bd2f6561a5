import { Readable } from 'node:stream';
import type { Route } from '../../platform/http/route.ts';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import { exportSignatures } from '../../reach/exports/exports.ts';
import type { PageHandler, Site } from '../site/site.ts';
import { petitionRoute } from './frame.ts';

type Format = 'csv' | 'json';

/** A petition's signatures as files. */
export const signatureRoutes = (site: Site): Route[] =>
  (['csv', 'json'] as const).flatMap((format) =>
    site.page({
      id: `exportOwnSignatures${format === 'csv' ? 'Csv' : 'Json'}`,
      path: `${petitionRoute}/signatures.${format}`,
      access: 'user',
      params: PetitionRef,
      show: signaturesFile(format),
    }),
  );

const frames = {
  csv: { mediaType: 'text/csv; charset=utf-8', before: '', after: '' },
  json: { mediaType: 'application/json; charset=utf-8', before: '{"data":[', after: ']}' },
};

/** Streams the signatures while they are read. */
const signaturesFile =
  (format: Format): PageHandler<{ id: string }> =>
  async ({ ctx, viewer, header }, { params: { id } }) => {
    const { chunks: pieces } = await exportSignatures(ctx, viewer.caller, id, { format }, header);
    const { mediaType, ...frame } = frames[format];
    header('cache-control', 'no-store');
    return { mediaType, body: Readable.from(write(frame, pieces), { objectMode: false }) };
  };

async function* write(
  { before, after }: { before: string; after: string },
  pieces: AsyncIterable<string>,
): AsyncGenerator<string> {
  if (before) yield before;
  yield* pieces;
  if (after) yield after;
}
