import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
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
import { buildGoVerifier, missingGo, type GoVerifier } from '../support/go-verifier.ts';

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

describe("Go's checksum database", { skip: missingGo, timeout: 300_000 }, () => {
  let verifier: GoVerifier;

  before(async () => {
    verifier = await buildGoVerifier();
    await publishLog(verifier.write);
  });

  after(() => verifier[Symbol.asyncDispose]());

  it('verifies signatures, roots, inclusion and consistency of our log', async () => {
    assert.equal(await verifier.verify(sizes), sizes.map((size) => `verified ${size}\n`).join(''));
  });

  it('refuses our log after one byte was altered', async () => {
    const receipt = await readFile(join(verifier.folder, 'receipts/66000'));
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
      const content = await readFile(join(verifier.folder, path));
      const altered = Buffer.from(content);
      altered[at]! ^= 1;
      await verifier.write(path, altered);
      await assert.rejects(verifier.verify(sizes), /Command failed/, path);
      await verifier.write(path, content);
    }
    await verifier.verify(sizes);
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
