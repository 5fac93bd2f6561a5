import { Readable } from 'node:stream';
import type { Route } from '../../platform/http/route.ts';
import { exportSignatures } from '../../reach/exports/exports.ts';
import type { PageHandler, Site } from '../site/site.ts';
import { petitionRoute } from './dashboard-layout.ts';

const mediaTypes = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' };

/** A petition's signatures as files. */
export const signatureRoutes = (site: Site): Route[] =>
  (['csv', 'json'] as const).flatMap((format) =>
    site.page({
      id: `exportOwnSignatures${format === 'csv' ? 'Csv' : 'Json'}`,
      ...petitionRoute(`/signatures.${format}`),
      show: signaturesFile(format),
    }),
  );

/** Streams the signatures while they are read. */
const signaturesFile =
  (format: keyof typeof mediaTypes): PageHandler<{ id: string }> =>
  async ({ ctx, viewer, header }, { params: { id } }) => {
    const { chunks } = await exportSignatures(ctx, viewer.caller, id, { format }, header);
    const body = format === 'json' ? jsonOf(chunks) : chunks;
    header('cache-control', 'no-store');
    return { mediaType: mediaTypes[format], body: Readable.from(body, { objectMode: false }) };
  };

async function* jsonOf(items: AsyncIterable<string>): AsyncGenerator<string> {
  yield '{"data":[';
  yield* items;
  yield ']}';
}
