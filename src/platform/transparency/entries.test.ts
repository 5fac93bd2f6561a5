import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commitmentOf, encodeEntry, parseEntry, textHash, type LogEntry } from './entries.ts';

const petition = '3d1f0c5e-8a4b-4c6d-9e2f-7a1b2c3d4e5f';
const hash = textHash({ title: 'Title', description: 'Description' });
const max = Number.MAX_SAFE_INTEGER;
const isMalformed = { name: 'LogFormatError' };

const entries: Record<LogEntry['type'], LogEntry> = {
  text: { v: 1, type: 'text', petition, version: 1, language: 'pt-BR', text_hash: hash },
  sign: { v: 1, type: 'sign', petition, version: max, commitment: hash },
  undo: { v: 1, type: 'undo', petition, leaf: max, cause: 'withdrawn' },
  restore: { v: 1, type: 'restore', petition, leaf: 0 },
  import: { v: 1, type: 'import', petition, count: 0 },
  total: { v: 1, type: 'total', petition, counted: 0, imported: max, through: 0 },
};

describe('entries', () => {
  for (const [type, entry] of Object.entries(entries)) {
    it(`${type} is encoded as JSON with sorted keys, and parsed`, () => {
      const bytes = encodeEntry(entry);
      assert.deepEqual(parseEntry(bytes), entry);
      const keys = [...bytes.toString().matchAll(/"(\w+)":/g)].map((match) => match[1]);
      assert.deepEqual(keys, Object.keys(entry).toSorted());
    });

    it(`${type} with a missing, additional or malformed field is refused`, () => {
      const wrong = [
        ...Object.keys(entry).map((key) => ({ ...entry, [key]: undefined })),
        ...Object.keys(entry).map((key) => ({ ...entry, [key]: null })),
        ...Object.entries(entry).map(([key, value]) => ({
          ...entry,
          [key]: typeof value === 'number' ? -1 : `${value} `,
        })),
        ...Object.entries(entry)
          .filter(([, value]) => typeof value === 'number')
          .flatMap(([key]) =>
            [0.5, max + 1, '1', NaN].map((value) => ({ ...entry, [key]: value })),
          ),
        { ...entry, name: 'Ada' },
        { ...entry, petition: petition.toUpperCase() },
        { ...entry, v: 2 },
      ];
      for (const one of wrong) {
        assert.throws(() => encodeEntry(one as LogEntry), isMalformed, JSON.stringify(one));
        assert.throws(() => parseEntry(Buffer.from(JSON.stringify(one))), isMalformed);
      }
    });
  }

  it('have versions of texts from 1 on', () => {
    assert.throws(() => encodeEntry({ ...entries.sign, version: 0 } as LogEntry), isMalformed);
  });

  it('have hashes in their one form', () => {
    for (const wrong of [`${hash}=`, hash.slice(1), `+${hash.slice(1)}`, `${hash.slice(0, -1)}B`]) {
      assert.throws(
        () => encodeEntry({ ...entries.sign, commitment: wrong } as LogEntry),
        isMalformed,
        wrong,
      );
    }
  });

  it('in another JSON form, or none, are refused', () => {
    const text = encodeEntry(entries.restore).toString();
    for (const wrong of [
      '',
      '1',
      'null',
      '[]',
      '{}',
      `${text} `,
      JSON.stringify(entries.restore),
    ]) {
      assert.throws(() => parseEntry(Buffer.from(wrong)), isMalformed, wrong);
    }
  });
});

describe('commitmentOf', () => {
  const signature = {
    logId: petition,
    version: 1,
    signatureId: '019a2b3c-4d5e-7f60-8192-a3b4c5d6e7f8',
    random: Buffer.alloc(32, 5),
  };

  it('depends on each part', () => {
    const commitments = [
      signature,
      { ...signature, logId: petition.replace('3', '4') },
      { ...signature, version: 2 },
      { ...signature, signatureId: signature.signatureId.replace('0', '1') },
      { ...signature, random: Buffer.alloc(32, 6) },
    ].map(commitmentOf);
    assert.equal(new Set(commitments).size, 5);
    assert.equal(commitmentOf({ ...signature }), commitments[0]);
  });

  it('refuses fewer random bytes', () => {
    for (const random of [Buffer.alloc(31), Buffer.alloc(33), Buffer.alloc(0)]) {
      assert.throws(() => commitmentOf({ ...signature, random }), RangeError);
    }
  });
});
