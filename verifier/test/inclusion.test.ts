import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCheckpoint } from '../src/checkpoints.js';
import { FormatError, VerificationError } from '../src/errors.js';
import { hashLeaf, inclusionProof, isIncluded } from '../src/inclusion.js';
import { parseNote } from '../src/notes.js';
import { policyOf } from '../src/policies.js';
import { parseOpeningCode, verifyOpening } from '../src/receipts.js';
import { formatOpeningCode } from '../../src/platform/transparency/receipts.ts';
import { commitmentOf } from '../../src/platform/transparency/entries.ts';
import { logKeys, makeLog, type LogFiles } from './log-server.ts';
import { encodeAll, Random, randomEntries } from './random-log.ts';

const readerOf = (files: LogFiles) => (path: string) => {
  const file = files.get(path);
  return file ? Promise.resolve(Uint8Array.from(file)) : Promise.reject(new Error(path));
};
const checkpointOf = (files: LogFiles) =>
  parseCheckpoint(parseNote(files.get('checkpoint')!.toString()).text);

describe('proofs that are computed from tiles', () => {
  const entries = encodeAll(randomEntries(new Random(3), 70_000));

  it('hold for leaves of logs of every shape', async () => {
    for (const size of [1, 2, 3, 5, 255, 256, 257, 700, 65_536, 65_537, 70_000]) {
      const files = makeLog(entries.slice(0, size));
      const { root } = checkpointOf(files);
      const step = Math.ceil(size / 30);
      for (let index = 0; index < size; index += step) {
        const proof = await inclusionProof(index, size, readerOf(files));
        const claim = { index, size, root, proof };
        const leafHash = await hashLeaf(entries[index]!);
        assert.ok(await isIncluded({ ...claim, leafHash }), `${index} of ${size}`);
        const other = await hashLeaf(entries[(index + 1) % size]!);
        assert.ok(size === 1 || !(await isIncluded({ ...claim, leafHash: other })));
        assert.ok(!(await isIncluded({ ...claim, leafHash, index: index + 1 })));
        assert.ok(!(await isIncluded({ ...claim, leafHash, proof: [...proof, leafHash] })));
        assert.ok(size === 1 || !(await isIncluded({ ...claim, leafHash, proof: proof.slice(1) })));
      }
    }
  });
});

describe('an opening in one word', () => {
  const opening = {
    petition: '3d1f0c5e-8a4b-4c6d-9e2f-000000000000',
    version: 1,
    signature: '019a2b3c-4d5e-7f60-8192-a3b4c5d6e7f8',
    random: Buffer.alloc(32, 5).toString('base64url'),
  };
  const commitment = commitmentOf({
    logId: opening.petition,
    version: 1,
    signatureId: opening.signature,
    random: Buffer.alloc(32, 5),
  });
  const text_hash = Buffer.alloc(32).toString('base64url');
  const { petition } = opening;
  const files = makeLog(
    encodeAll([
      { v: 1, type: 'text', petition, version: 1, language: 'und', text_hash },
      { v: 1, type: 'import', petition, count: 3 },
      { v: 1, type: 'sign', petition, version: 1, commitment },
    ]),
  );
  const note = files.get('checkpoint')!.toString();

  it('is verified by the tiles of the log', async () => {
    const code = formatOpeningCode({ v: 1, ...opening }, 2);
    const leaf = parseOpeningCode(code);
    assert.deepEqual(leaf, { opening, index: 2 });
    const policy = await policyOf(logKeys);
    const { checkpoint } = await verifyOpening(leaf, note, policy, readerOf(files));
    assert.equal(checkpoint.size, 3);
    for (const index of [0, 1, 3, 1000]) {
      await assert.rejects(
        verifyOpening({ opening, index }, note, policy, readerOf(files)),
        (error: unknown) =>
          error instanceof VerificationError &&
          error.reason === (index < 3 ? 'not-included' : 'not-yet'),
      );
    }
  });

  it('is refused with any character changed', async () => {
    const code = formatOpeningCode({ v: 1, ...opening }, 2);
    const policy = await policyOf(logKeys);
    for (let at = 0; at < code.length; at++) {
      const changed = code.slice(0, at) + (code[at] === '1' ? '0' : '1') + code.slice(at + 1);
      const verified = async () =>
        verifyOpening(parseOpeningCode(changed), note, policy, readerOf(files));
      await assert.rejects(
        verified(),
        (error: unknown) => error instanceof FormatError || error instanceof VerificationError,
        `character ${at}`,
      );
    }
    for (const text of ['', 'v1', `${code}.`, `${code}.1`, code.replace('.2', '.02')]) {
      assert.throws(() => parseOpeningCode(text), FormatError);
    }
  });
});
