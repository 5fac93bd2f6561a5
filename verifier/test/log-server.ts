// A log that a test makes of any entries, right or wrong, by the service's own code, and serves over HTTP.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatCheckpoint } from '../../src/platform/transparency/checkpoints.ts';
import {
  emptyTree,
  growTree,
  hashLeaf,
  rootOfEdge,
} from '../../src/platform/transparency/merkle.ts';
import {
  createSigner,
  formatNote,
  formatVerifierKey,
  signText,
  type Signer,
} from '../../src/platform/transparency/notes.ts';
import { encodeEntryBundle, tilePath, tileWidth } from '../../src/platform/transparency/tiles.ts';

export const origin = 'petitions.example.org/log';
export const witnessName = 'witness.example.org';

type LogSigner = Signer & { timestamp?: number };

/** Keys of the log. They can sign with another time. */
export const logSigners: LogSigner[] = [
  createSigner(origin, 'ed25519', Buffer.alloc(32, 1)),
  createSigner(origin, 'ml-dsa-44-cosignature', Buffer.alloc(32, 2)),
];
const witnesses = [
  createSigner(witnessName, 'ed25519-cosignature', Buffer.alloc(32, 3)),
  createSigner(witnessName, 'ml-dsa-44-cosignature', Buffer.alloc(32, 4)),
];
export const logKeys = logSigners.map(({ key }) => formatVerifierKey(key));
export const witnessKeys = witnesses.map(({ key }) => formatVerifierKey(key));

/** The files of a log by their paths. */
export type LogFiles = Map<string, Buffer>;

/** Makes the files of a log with these entries, signed by its keys, or these, and cosigned by the witness. */
export function makeLog(
  entries: readonly Buffer[],
  signers: readonly LogSigner[] = logSigners,
): LogFiles {
  const { edge, tiles } = growTree(emptyTree, entries.map(hashLeaf));
  const files: LogFiles = new Map(tiles.map(({ hashes, ...tile }) => [tilePath(tile), hashes]));
  for (let index = 0; index * tileWidth < entries.length; index++) {
    const bundle = entries.slice(index * tileWidth, (index + 1) * tileWidth);
    const path = tilePath({ level: 'entries', index, width: bundle.length });
    files.set(path, encodeEntryBundle(bundle));
  }
  const text = formatCheckpoint({ origin, size: entries.length, root: rootOfEdge(edge) });
  const signatures = [
    ...signers.map((key) => signText(text, key, key)),
    ...witnesses.map((key) => signText(text, key, { timestamp: 1_790_000_000 })),
  ];
  return files.set('checkpoint', Buffer.from(formatNote({ text, signatures })));
}

/** What the service shows of a petition. */
export interface Shown {
  id: string;
  slug: string;
  log_id: string | null;
  signature_count: number;
}

export interface LogServer extends AsyncDisposable {
  site: string;
  /** What `GET /v1/log` answers. */
  log: { origin: string; verifier_keys: string[]; witnesses: object[] };
  /** Can be replaced. */
  files: LogFiles;
  shown: Shown[];
  /** Paths that were asked for. */
  requests: string[];
  /** Answers instead of a file, if it returns one. */
  intercept: (
    path: string,
    query: URLSearchParams,
  ) => Answer | undefined | Promise<Answer | undefined>;
}

interface Answer {
  status: number;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

/** Serves a log and the operations of the service that an audit calls. */
export async function serveLog(files: LogFiles): Promise<LogServer> {
  const log = {
    origin,
    verifier_keys: logKeys,
    witnesses: witnessKeys.map((key) => ({ name: witnessName, verifier_key: key })),
  };
  const served: LogServer = {
    site: '',
    log,
    files,
    shown: [],
    requests: [],
    intercept: () => undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    served.requests.push(pathname);
    const instead = await served.intercept(pathname, searchParams);
    if (instead) {
      response.writeHead(instead.status, instead.headers).end(instead.body);
    } else if (pathname === '/v1/log') {
      response.end(JSON.stringify({ data: served.log }));
    } else if (pathname === '/v1/petitions') {
      const ids = searchParams.get('ids')?.split(',');
      const data = served.shown.filter(({ id }) => ids?.includes(id) ?? true);
      response.end(JSON.stringify({ data, pagination: { next_cursor: null } }));
    } else {
      const file = served.files.get(pathname.slice('/log/'.length));
      response.writeHead(file ? 200 : 404).end(file);
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  served.site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return served;
}
