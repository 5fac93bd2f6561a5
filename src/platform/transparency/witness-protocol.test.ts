import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatSubmission, parseSubmission, parseTreeSize } from './witness-protocol.ts';

const note =
  'example.com/log\n7\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— example.com/log Az3grlg=\n';
const hash = Buffer.alloc(32, 7);
const line = hash.toString('base64');

describe('requests to witnesses', () => {
  it('are an old size, a proof, an empty line and a checkpoint', () => {
    const text = `old 5\n${line}\n${line}\n\n${note}`;
    assert.equal(formatSubmission({ oldSize: 5, proof: [hash, hash], note }), text);
    assert.deepEqual(parseSubmission(text), { oldSize: 5, proof: [hash, hash], note });
  });

  it('can be without a proof', () => {
    const text = `old 0\n\n${note}`;
    assert.equal(formatSubmission({ oldSize: 0, proof: [], note }), text);
    assert.deepEqual(parseSubmission(text), { oldSize: 0, proof: [], note });
  });

  it('have at most 63 hashes', () => {
    assert.equal(parseSubmission(`old 5\n${`${line}\n`.repeat(63)}\n${note}`).proof.length, 63);
    assert.throws(() => parseSubmission(`old 5\n${`${line}\n`.repeat(64)}\n${note}`), {
      name: 'LogFormatError',
    });
  });

  for (const [name, text] of Object.entries({
    'no empty line': 'old 5\nabc\n',
    nothing: '',
    'no old size': `${line}\n\n${note}`,
    'another word': `Old 5\n\n${note}`,
    'two spaces': `old  5\n\n${note}`,
    'a leading zero': `old 05\n\n${note}`,
    'a sign': `old +5\n\n${note}`,
    'a fraction': `old 5.0\n\n${note}`,
    'a size beyond 2^53': `old 9007199254740993\n\n${note}`,
    'a carriage return': `old 5\r\n\n${note}`,
    'a short hash': `old 5\n${Buffer.alloc(31).toString('base64')}\n\n${note}`,
    'no base64': `old 5\n${line.replace('=', '!')}\n\n${note}`,
    base64url: `old 5\n${Buffer.alloc(32, 255).toString('base64url')}\n\n${note}`,
  })) {
    it(`are refused with ${name}`, () => {
      assert.throws(() => parseSubmission(text), { name: 'LogFormatError' });
    });
  }

  it('are answered by a size', () => {
    assert.equal(parseTreeSize('0'), 0);
    assert.equal(parseTreeSize('20852014'), 20_852_014);
    for (const text of ['', '-1', '00', '1 ', '1e3', '0x1f', '<html>']) {
      assert.throws(() => parseTreeSize(text), { name: 'LogFormatError' }, text);
    }
  });
});
