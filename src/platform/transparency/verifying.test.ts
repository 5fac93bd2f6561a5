import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { formatCheckpoint, parseCheckpoint } from './checkpoints.ts';
import { commitmentOf, encodeEntry, parseEntry, textHash, type LogEntry } from './entries.ts';
import { emptyTree, growTree, hashLeaf, inclusionProof, rootOfEdge } from './merkle.ts';
import {
  createSigner,
  formatSignature,
  formatVerifierKey,
  parseVerifierKey,
  signText,
  verifyNote,
} from './notes.ts';
import { openedEntry, parseReceipt, verifyReceipt } from './receipts.ts';
import { encodeEntryBundle, grownTiles, parseEntryBundle, tilePath } from './tiles.ts';

// docs/verifying.md has a test vector for each format, which other implementations rely on.
const page = readFileSync('docs/verifying.md', 'utf8');
const receipt = readFileSync('docs/verifying/receipt.tlog-proof', 'utf8');
const keyLines = readFileSync('docs/verifying/verifier-keys.txt', 'utf8').trimEnd().split('\n');

/** The blocks of the page between a heading and the next one. */
function blocksOf(heading: string): string[] {
  const [, section] = page.split(new RegExp(`^## ${heading}$`, 'm'));
  assert.ok(section, `the page has a section "${heading}"`);
  const [text] = section.split(/^## /m);
  return [...text!.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, block]) => block!);
}

const origin = 'petitions.example.org/log';
const petition = '3d1f0c5e-8a4b-4c6d-9e2f-7a1b2c3d4e5f';
const opened = {
  logId: petition,
  version: 1,
  signatureId: '019a2b3c-4d5e-7f60-8192-a3b4c5d6e7f8',
  random: Buffer.from(Array.from({ length: 32 }, (_, index) => index)),
};

const entries: LogEntry[] = [
  {
    v: 1,
    type: 'text',
    petition,
    version: 1,
    language: 'de',
    text_hash: textHash({
      title: 'Rettet die Bäume',
      description: 'Im Stadtpark sollen\nvierzig Bäume bleiben.',
    }),
  },
  { v: 1, type: 'import', petition, count: 120 },
  { v: 1, type: 'sign', petition, version: 1, commitment: commitmentOf(opened) },
  { v: 1, type: 'undo', petition, leaf: 2, cause: 'invalidated' },
  { v: 1, type: 'restore', petition, leaf: 2 },
  { v: 1, type: 'total', petition, counted: 1, imported: 120, through: 4 },
];
const encoded = entries.map(encodeEntry);
const { edge, tiles } = growTree(emptyTree, encoded.map(hashLeaf));
const checkpoint = formatCheckpoint({ origin, size: edge.size, root: rootOfEdge(edge) });
const ed25519 = createSigner(origin, 'ed25519', Buffer.alloc(32, 1));
const mlDsa = createSigner(origin, 'ml-dsa-44-cosignature', Buffer.alloc(32, 2));

describe('docs/verifying.md has the vector of', () => {
  it('each kind of entry, which parses', () => {
    assert.deepEqual(
      blocksOf('Entries'),
      encoded.map((entry) => `${entry.toString()}\n`),
    );
    assert.deepEqual(encoded.map(parseEntry), entries);
  });

  it('a commitment', () => {
    const [command, result] = blocksOf('Commitments');
    assert.equal(result, `${commitmentOf(opened)}\n`);
    assert.equal(execFileSync('sh', ['-c', command!], { encoding: 'utf8' }), result);
  });

  it('a text', () => {
    const [command, result] = blocksOf('Texts');
    assert.equal(result, `${(entries[0] as { text_hash: string }).text_hash}\n`);
    assert.equal(execFileSync('sh', ['-c', command!], { encoding: 'utf8' }), result);
  });

  it('leaves and root', () => {
    const leaves = encoded.map((entry, index) => `${index} ${hashLeaf(entry).toString('hex')}\n`);
    const root = rootOfEdge(edge).toString('hex');
    assert.deepEqual(blocksOf('Tree'), [leaves.join(''), `${root}\n`]);
  });

  it('tiles and bundles', () => {
    const bundle = encodeEntryBundle(encoded);
    assert.deepEqual(blocksOf('Tiles and bundles'), [
      `${grownTiles(0, 6).map(tilePath).join('\n')}\n`,
      `${grownTiles(0, 70_000)
        .filter(({ width }) => width < 256)
        .map(tilePath)
        .join('\n')}\n`,
      `${bundle.toString('hex', 0, 2)} ${bundle.toString('utf8', 2, 2 + encoded[0]!.length)}\n`,
    ]);
    assert.deepEqual(parseEntryBundle(bundle, 6), encoded);
    assert.deepEqual(tiles.map(tilePath), ['tile/0/000.p/6']);
  });

  it('a checkpoint and its Ed25519 signature', () => {
    assert.deepEqual(blocksOf('Checkpoints'), [
      checkpoint,
      formatSignature(signText(checkpoint, ed25519)),
      `${formatVerifierKey(ed25519.key)}\n`,
    ]);
    assert.deepEqual(
      keyLines,
      [ed25519, mlDsa].map(({ key }) => formatVerifierKey(key)),
    );
    const { text, signatures } = verifyNote(
      parseReceipt(receipt).checkpoint,
      keyLines.map(parseVerifierKey),
    );
    assert.equal(text, checkpoint);
    assert.deepEqual(
      signatures.map(({ key }) => key.kind),
      ['ed25519', 'ml-dsa-44-cosignature'],
    );
  });

  it('a receipt', async () => {
    const { opening, index, hashes } = parseReceipt(receipt);
    const lines = receipt.split('\n');
    assert.deepEqual(blocksOf('Receipts'), [
      `${lines.slice(0, 9).join('\n')}\n…\n`,
      `${Buffer.from(lines[1]!.slice('extra '.length), 'base64').toString()}\n`,
    ]);
    assert.deepEqual(openedEntry(opening), entries[2]);
    const read = async () => tiles[0]!.hashes;
    assert.deepEqual(hashes, await inclusionProof(index, 6, read));
    const verified = verifyReceipt(receipt, { origin, logKeys: keyLines.map(parseVerifierKey) });
    assert.equal(verified.index, 2);
    assert.deepEqual(verified.checkpoint, parseCheckpoint(checkpoint));
    assert.equal(verified.signatures.length, 2);
  });
});
