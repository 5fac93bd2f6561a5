import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { codingFor, compress, minCompressedBytes } from '../../platform/http/compression.ts';
import {
  raw,
  routes,
  type RawAnswer,
  type Route,
  type SetHeader,
} from '../../platform/http/route.ts';
import { slashesKeyword } from '../../platform/http/schema.ts';
import { notFound, type ProblemKind } from '../../platform/problems.ts';
import { parseTilePath, type Tile } from '../../platform/transparency/tiles.ts';
import type { PublishedLog } from './published-log.ts';

const api = routes('Public log');

/** What all routes of the log have in common. */
const common = {
  auth: { access: 'anyone' as const, ignoresCredentials: true },
  worksWithoutDatabase: true as const,
  closedToCrawlers: true as const,
  problems: ['not-found', 'unavailable'] satisfies ProblemKind[],
};

const TileAddress = Type.String({
  pattern: '^(?:x\\d{3}/){0,5}\\d{3}(?:\\.p/\\d{1,3})?$',
  description:
    'The index in groups of three digits, all but the last after `x`; for a partial one, its width follows: `000`, `x001/067`, `x001/067.p/12`. Slashes may be encoded or not.',
  [slashesKeyword]: true,
});

/** The published log, as C2SP tlog-tiles has it. Without a log, each answers 404. */
export const publishedRoutes = (log: PublishedLog | undefined): Route[] => [
  api.get('/log/checkpoint', {
    ...common,
    id: 'getLogCheckpoint',
    summary: 'The newest checkpoint of the public log',
    description:
      'A signed note (C2SP tlog-checkpoint): the name of the log, its number of entries, its root, and the signatures. At most a second old.',
    returns: raw('text/plain'),
    handle: async ({ header }) => {
      const checkpoint = await log?.checkpoint();
      if (!checkpoint) throw notFound('checkpoint');
      header('cache-control', 'public, max-age=1');
      return { mediaType: 'text/plain; charset=utf-8', body: checkpoint.note };
    },
  }),
  api.get('/log/tile/{level}/{address}', {
    ...common,
    id: 'getLogTile',
    summary: 'Hashes of the public log',
    description:
      'A tile of the Merkle tree (C2SP tlog-tiles): 256 hashes of 32 bytes, fewer in a partial one. It never changes.',
    params: Type.Object({
      level: Type.String({
        pattern: '^\\d{1,2}$',
        description: '0 for the hashes of entries; each next level has a hash for a full tile.',
      }),
      address: TileAddress,
    }),
    returns: raw('application/octet-stream'),
    handle: async ({ params, header }) => {
      const tile = parseTilePath(`tile/${params.level}/${params.address}`);
      return immutable(header, await read(log, tile));
    },
  }),
  api.get('/log/tile/entries/{address}', {
    ...common,
    id: 'getLogEntryBundle',
    summary: 'Entries of the public log',
    description:
      'A bundle of entries (C2SP tlog-tiles): 256 entries, fewer in a partial one, each after its length in two bytes. It never changes.',
    params: Type.Object({ address: TileAddress }),
    returns: raw('application/octet-stream'),
    handle: async ({ params, headers, header }) => {
      const tile = parseTilePath(`tile/entries/${params.address}`);
      const content = await read(log, tile);
      return immutable(header, await compressed(headers, header, content));
    },
  }),
];

/** @throws {Problem} not-found */
async function read(log: PublishedLog | undefined, tile: Tile | undefined): Promise<Buffer> {
  const content = tile && (await log?.tile(tile));
  if (!content) throw notFound('tile');
  return content;
}

function immutable(header: SetHeader, content: Buffer): RawAnswer {
  header('cache-control', 'public, max-age=31536000, immutable');
  return { mediaType: 'application/octet-stream', body: content };
}

/** Compresses a bundle where the client asks for it: entries are text. Hashes do not shrink. */
async function compressed(
  headers: IncomingHttpHeaders,
  header: SetHeader,
  content: Buffer,
): Promise<Buffer> {
  if (content.length <= minCompressedBytes) return content;
  header('vary', 'Accept-Encoding');
  const coding = codingFor(headers);
  if (coding === 'identity') return content;
  header('content-encoding', coding);
  return compress(content, coding, 'often');
}
