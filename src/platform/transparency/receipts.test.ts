import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatCheckpoint } from './checkpoints.ts';
import { encodeEntry, type LogEntry, type Opening } from './entries.ts';
import { emptyTree, growTree, hashLeaf, inclusionProof, rootOfEdge } from './merkle.ts';
import { createSigner, formatNote, signText, type Signer } from './notes.ts';
import {
  formatProof,
  formatReceipt,
  openedEntry,
  parseProof,
  parseReceipt,
  verifyReceipt,
} from './receipts.ts';

const isMalformed = { name: 'LogFormatError' };
const isUnverified = { name: 'LogVerificationError' };

const origin = 'example.com/log';
const opening: Opening = {
  v: 1,
  petition: '3d1f0c5e-8a4b-4c6d-9e2f-7a1b2c3d4e5f',
  version: 3,
  signature: '019a2b3c-4d5e-7f60-8192-a3b4c5d6e7f8',
  random: Buffer.alloc(32, 5).toString('base64url'),
};
const { petition } = opening;

const log = createSigner(origin, 'ed25519', Buffer.alloc(32, 1));
const pqLog = createSigner(origin, 'ml-dsa-44-cosignature', Buffer.alloc(32, 2));
const witness = createSigner('w.example', 'ml-dsa-44-cosignature', Buffer.alloc(32, 3));

/** A log of 20 imports in which the opened signature has index 6. */
const entries: LogEntry[] = Array.from({ length: 20 }, (_, count) => ({
  v: 1,
  type: 'import',
  petition,
  count,
}));
entries[6] = openedEntry(opening);
const { edge, tiles } = growTree(
  emptyTree,
  entries.map((entry) => hashLeaf(encodeEntry(entry))),
);
const hashes = await inclusionProof(6, 20, async () => tiles[0]!.hashes);

function checkpointBy(signers: Signer[], name = origin): string {
  const text = formatCheckpoint({ origin: name, size: 20, root: rootOfEdge(edge) });
  return formatNote({ text, signatures: signers.map((one) => signText(text, one)) });
}

const receipt = { opening, index: 6, hashes, checkpoint: checkpointBy([log, pqLog, witness]) };
const trust = { origin, logKeys: [log.key, pqLog.key], witnessKeys: [witness.key] };

describe('tlog-proof', () => {
  it('has extra data, index, proof, an empty line and the checkpoint', () => {
    const proof = { extra: Buffer.from('extra'), index: 6, hashes, checkpoint: receipt.checkpoint };
    const text = formatProof(proof);
    const lines = text.split('\n');
    assert.deepEqual(lines.slice(0, 3), ['c2sp.org/tlog-proof@v1', 'extra ZXh0cmE=', 'index 6']);
    assert.deepEqual(
      lines.slice(3, 8),
      hashes.map((hash) => hash.toString('base64')),
    );
    assert.ok(text.endsWith(`\n\n${receipt.checkpoint}`));
    assert.deepEqual(parseProof(text), proof);
  });

  it('can do without extra data and hashes', () => {
    const proof = { index: 0, hashes: [], checkpoint: receipt.checkpoint };
    assert.deepEqual(parseProof(formatProof(proof)), proof);
  });

  it('is refused where it is malformed', () => {
    const text = formatReceipt(receipt);
    const hash = hashes[0]!.toString('base64');
    for (const wrong of [
      '',
      text.replace('@v1', '@v2'),
      text.replace('extra ', 'Extra '),
      text.replace('extra ', 'extra  '),
      text.replace(/^extra (.*)\n(index .*)\n/m, '$2\nextra $1\n'),
      text.replace('index 6', 'index 06'),
      text.replace('index 6', 'index -6'),
      text.replace('index 6', 'index 9007199254740993'),
      text.replace('index 6\n', ''),
      text.replace(hash, hash.slice(4)),
      text.replace(hash, hash.replace('=', '')),
      text.replace(`${hash}\n`, `${hash}\n\n`),
      text.replace('\n\n', '\n'),
      text.slice(0, text.indexOf('\n\n') + 2),
      text.replace(/\n/g, '\r\n'),
      ` ${text}`,
    ]) {
      assert.notEqual(wrong, text);
      assert.throws(() => parseProof(wrong), isMalformed, wrong.slice(0, 200));
    }
  });
});

describe('receipts', () => {
  it('are parsed as they were formatted', () => {
    assert.deepEqual(parseReceipt(formatReceipt(receipt)), receipt);
  });

  it('ignore unknown fields of the opening and refuse malformed ones', () => {
    const receiptWith = (extra: string) =>
      parseReceipt(formatProof({ ...receipt, extra: Buffer.from(extra) }));
    const { random } = receiptWith(JSON.stringify({ ...opening, later: true })).opening;
    assert.equal(random, opening.random);
    for (const wrong of [
      '',
      'null',
      '{',
      JSON.stringify({ ...opening, v: 2 }),
      JSON.stringify({ ...opening, random: opening.random.slice(1) }),
      JSON.stringify({ ...opening, signature: opening.signature.toUpperCase() }),
      JSON.stringify({ ...opening, version: '3' }),
    ]) {
      assert.throws(() => receiptWith(wrong), isMalformed, wrong);
    }
    assert.throws(() => parseReceipt(formatProof({ ...receipt })), /no opening/);
  });

  it('verify, and name the signatures that were checked', () => {
    const verified = verifyReceipt(formatReceipt(receipt), trust);
    assert.deepEqual(verified.opening, opening);
    assert.equal(verified.index, 6);
    assert.equal(verified.checkpoint.size, 20);
    assert.deepEqual(
      verified.signatures.map(({ key }) => key),
      [log.key, pqLog.key, witness.key],
    );
    const checked = verifyReceipt(formatReceipt(receipt), { origin, logKeys: [pqLog.key] });
    assert.deepEqual(checked.signatures, [{ key: pqLog.key, timestamp: 0 }]);
  });

  it('do not verify with another opening, index or proof', () => {
    for (const wrong of [
      { ...receipt, opening: { ...opening, version: 4 } },
      { ...receipt, opening: { ...opening, random: Buffer.alloc(32).toString('base64url') } },
      { ...receipt, opening: { ...opening, signature: petition } },
      { ...receipt, index: 7 },
      { ...receipt, index: 20 },
      { ...receipt, hashes: hashes.slice(1) },
      { ...receipt, hashes: hashes.toReversed() },
    ]) {
      assert.throws(() => verifyReceipt(formatReceipt(wrong), trust), isUnverified);
    }
  });

  it('do not verify if the log did not sign, or the origin is another', () => {
    const verify = (checkpoint: string) =>
      verifyReceipt(formatReceipt({ ...receipt, checkpoint }), trust);
    assert.throws(() => verify(checkpointBy([witness])), /the log did not sign/);
    assert.throws(() => verify(checkpointBy([log], 'example.com/other')), /of the log example.com/);
    const stranger = createSigner(origin, 'ed25519', Buffer.alloc(32, 9));
    assert.throws(() => verify(checkpointBy([stranger])), isUnverified);
  });

  it('do not verify with any one character altered', () => {
    const text = formatReceipt({ ...receipt, checkpoint: checkpointBy([log]) });
    const strict = { origin, logKeys: [log.key] };
    verifyReceipt(text, strict);
    for (let at = 0; at < text.length; at++) {
      const altered = text[at] === 'A' ? 'B' : 'A';
      const wrong = `${text.slice(0, at)}${altered}${text.slice(at + 1)}`;
      assert.throws(() => verifyReceipt(wrong, strict), /./, `character ${at}: ${text[at]}`);
    }
  });
});
