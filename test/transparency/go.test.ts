import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { formatCheckpoint } from '../../src/platform/transparency/checkpoints.ts';
import { encodeEntry, type Opening } from '../../src/platform/transparency/entries.ts';
import {
  consistencyProof,
  emptyTree,
  growTree,
  hashLeaf,
  inclusionProof,
  rootOfEdge,
} from '../../src/platform/transparency/merkle.ts';
import {
  createSigner,
  formatNote,
  formatVerifierKey,
  signText,
} from '../../src/platform/transparency/notes.ts';
import { formatReceipt, openedEntry } from '../../src/platform/transparency/receipts.ts';
import {
  encodeEntryBundle,
  grownTiles,
  tilePath,
  tileWidth,
  type Tile,
} from '../../src/platform/transparency/tiles.ts';
import { installMissing } from '../support/debian.ts';

const libraries = '/usr/share/gocode';
const missing = installMissing(
  ['go', join(libraries, 'src/golang.org/x/mod/sumdb/tlog')],
  ['golang-go', 'golang-golang-x-mod-dev'],
);

const origin = 'petitions.example.org/log';
const petition = '3d1f0c5e-8a4b-4c6d-9e2f-7a1b2c3d4e5f';
const sizes = [1, 5, 256, 257, 66_000];

const openingOf = (index: number): Opening => ({
  v: 1,
  petition,
  version: 1,
  signature: `019a2b3c-4d5e-7f60-8192-${index.toString(16).padStart(12, '0')}`,
  random: Buffer.alloc(32, index).toString('base64url'),
});

describe("Go's checksum database", { skip: missing, timeout: 300_000 }, () => {
  let folder: string;
  let verifier: string;

  const write = async (path: string, content: string | Buffer) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };

  const verify = () => promisify(execFile)(verifier, [folder, ...sizes.map(String)]);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'log-'));
    await publishLog(write);
    verifier = join(folder, 'verifier');
    await promisify(execFile)('go', ['build', '-o', verifier, 'test/transparency/go/main.go'], {
      env: {
        ...process.env,
        GO111MODULE: 'off',
        GOPATH: libraries,
        GOFLAGS: '',
        GOCACHE: join(folder, 'go-cache'),
      },
    });
  });

  after(() => rm(folder, { recursive: true, force: true }));

  it('verifies signatures, roots, inclusion and consistency of our log', async () => {
    const { stdout } = await verify();
    assert.equal(stdout, sizes.map((size) => `verified ${size}\n`).join(''));
  });

  it('refuses our log after one byte was altered', async () => {
    const receipt = await readFile(join(folder, 'receipts/66000'));
    for (const [path, at] of [
      ['tile/0/255', 8191],
      ['tile/1/000', 0],
      ['tile/1/001.p/1', 31],
      ['tile/entries/100', 2],
      ['checkpoints/66000', origin.length + 10],
      ['consistency/257-66000', 100],
      ['receipts/66000', receipt.indexOf('\nindex ') + 30],
      ['leaves/66000', 5],
    ] as const) {
      const content = await readFile(join(folder, path));
      const altered = Buffer.from(content);
      altered[at]! ^= 1;
      await write(path, altered);
      await assert.rejects(verify(), /Command failed/, path);
      await write(path, content);
    }
    await verify();
  });
});

/** Writes a log that was published at each of the sizes. */
async function publishLog(
  write: (path: string, content: string | Buffer) => Promise<void>,
): Promise<void> {
  const signers = [
    createSigner(origin, 'ed25519', Buffer.alloc(32, 1)),
    createSigner(origin, 'ml-dsa-44-cosignature', Buffer.alloc(32, 2)),
  ];
  const entries = Array.from({ length: sizes.at(-1)! }, (_, index) =>
    encodeEntry(openedEntry(openingOf(index))),
  );
  const stored = new Map<string, Buffer>();
  const readTile = async (tile: Tile) => stored.get(tilePath(tile))!;
  let edge = emptyTree;
  for (const [at, size] of sizes.entries()) {
    const bundles = grownTiles(edge.size, size).filter(({ level }) => level === 'entries');
    for (const bundle of bundles) {
      const first = bundle.index * tileWidth;
      await write(tilePath(bundle), encodeEntryBundle(entries.slice(first, first + bundle.width)));
    }
    const growth = growTree(edge, entries.slice(edge.size, size).map(hashLeaf));
    for (const tile of growth.tiles) {
      stored.set(tilePath(tile), tile.hashes);
      await write(tilePath(tile), tile.hashes);
    }
    edge = growth.edge;
    const text = formatCheckpoint({ origin, size, root: rootOfEdge(edge) });
    const signatures = signers.map((signer) => signText(text, signer));
    const checkpoint = formatNote({ text, signatures });
    await write(`checkpoints/${size}`, checkpoint);
    for (const from of sizes.slice(0, at)) {
      const proof = await consistencyProof(from, size, readTile);
      await write(`consistency/${from}-${size}`, Buffer.concat(proof));
    }
    const index = Math.floor(size / 3);
    const hashes = await inclusionProof(index, size, readTile);
    await write(
      `receipts/${size}`,
      formatReceipt({ opening: openingOf(index), index, hashes, checkpoint }),
    );
    await write(`leaves/${size}`, entries[index]!);
  }
  await write('verifier-key', formatVerifierKey(signers[0]!.key));
}
