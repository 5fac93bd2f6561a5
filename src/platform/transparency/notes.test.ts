import assert from 'node:assert/strict';
import { hash, verify } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  createSigner,
  formatNote,
  formatSignature,
  formatVerifierKey,
  parseNote,
  parseSignatures,
  parseVerifierKey,
  signText,
  verifyNote,
  type SignatureKind,
} from './notes.ts';

/** The example of signed-note. */
const knownKey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const knownNote = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`;

const text = `example.com/log
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
`;
const root = Buffer.from('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=', 'base64');

const kinds: SignatureKind[] = ['ed25519', 'ed25519-cosignature', 'ml-dsa-44-cosignature'];
const seed = Buffer.alloc(32, 7);
const timestamp = 1_679_315_147;
const isMalformed = { name: 'LogFormatError' };
const isUnverified = { name: 'LogVerificationError' };

describe('the example of signed-note', () => {
  it('verifies', () => {
    const key = parseVerifierKey(knownKey);
    assert.equal(key.kind, 'ed25519');
    assert.deepEqual(verifyNote(knownNote, [key]), {
      text: 'This is an example message.\n',
      signatures: [{ key }],
    });
    assert.equal(formatVerifierKey(key), knownKey);
    assert.equal(formatNote(parseNote(knownNote)), knownNote);
  });

  it('does not verify with another text', () => {
    const altered = knownNote.replace('This', 'Thus');
    assert.throws(() => verifyNote(altered, [parseVerifierKey(knownKey)]), isUnverified);
  });
});

describe('signing', () => {
  for (const kind of kinds) {
    it(`with ${kind}`, () => {
      const signer = createSigner('example.com/log', kind, seed);
      const note = formatNote({ text, signatures: [signText(text, signer, { timestamp })] });
      const key = parseVerifierKey(formatVerifierKey(signer.key));
      const [signature] = verifyNote(note, [key]).signatures;
      assert.equal(signature!.key, key);
      assert.equal(signature!.timestamp, kind === 'ed25519' ? undefined : timestamp);
      const other = createSigner('example.com/log', kind, Buffer.alloc(32, 8));
      assert.throws(() => verifyNote(note, [other.key]), /signed by no known key/);
    });
  }

  it('covers name, timestamp, origin, size and root in an ML-DSA-44 cosignature', () => {
    const { key, privateKey } = createSigner('w.example', 'ml-dsa-44-cosignature', seed);
    const { signature, keyId } = signText(text, { key, privateKey }, { timestamp });
    // The structures of tlog-cosignature, written out.
    const message = Buffer.concat([
      Buffer.from('737562747265652f76310a00', 'hex'),
      Buffer.of(9),
      Buffer.from('w.example'),
      Buffer.from('00000000641850cb', 'hex'),
      Buffer.of(15),
      Buffer.from('example.com/log'),
      Buffer.from('0000000000000000', 'hex'),
      Buffer.from('00000000013e2dc3', 'hex'),
      root,
    ]);
    assert.equal(signature.length, 8 + 2420);
    assert.equal(signature.toString('hex', 0, 8), '00000000641850cb');
    assert.ok(verify(null, message, key.publicKey, signature.subarray(8)));
    const publicKey = key.publicKey.export({ format: 'raw-public' });
    const input = Buffer.concat([Buffer.from('w.example\n'), Buffer.of(6), publicKey]);
    assert.equal(keyId, hash('sha256', input, 'hex').slice(0, 8));
  });

  it('covers timestamp and text in an Ed25519 cosignature', () => {
    const { key, privateKey } = createSigner('w.example', 'ed25519-cosignature', seed);
    const { signature } = signText(text, { key, privateKey }, { timestamp });
    const message = Buffer.from(`cosignature/v1\ntime 1679315147\n${text}`);
    assert.ok(verify(null, message, key.publicKey, signature.subarray(8)));
  });

  it('lets a log sign with timestamp 0 by ML-DSA-44 alone', () => {
    const log = createSigner('example.com/log', 'ml-dsa-44-cosignature', seed);
    const note = formatNote({ text, signatures: [signText(text, log)] });
    assert.equal(verifyNote(note, [log.key]).signatures[0]!.timestamp, 0);
    const witness = createSigner('example.com/log', 'ed25519-cosignature', seed);
    assert.throws(() => signText(text, witness), RangeError);
  });

  it('refuses texts that are no notes, and cosignatures of what is no checkpoint', () => {
    const signer = createSigner('example.com/log', 'ed25519', seed);
    for (const wrong of ['', 'no line feed', 'tab\t\n', 'carriage return\r\n', '\ud800\n']) {
      assert.throws(() => signText(wrong, signer), isMalformed, JSON.stringify(wrong));
    }
    for (const kind of kinds.slice(1)) {
      const cosigner = createSigner('example.com/log', kind, seed);
      assert.throws(() => signText('text\n', cosigner, { timestamp: 1 }), isMalformed);
    }
  });

  it('refuses names that cannot stand in a signature line', () => {
    for (const name of ['', 'a b', 'a+b', 'a\u00a0b', 'a\u0085b', 'a\nb', 'a\x01b']) {
      assert.throws(() => createSigner(name, 'ed25519', seed), isMalformed, JSON.stringify(name));
    }
  });
});

describe('verifying', () => {
  const log = createSigner('example.com/log', 'ed25519', seed);
  const pqLog = createSigner('example.com/log', 'ml-dsa-44-cosignature', seed);
  const witness = createSigner('w.example', 'ed25519-cosignature', seed);
  const signatures = [
    signText(text, log),
    signText(text, pqLog),
    signText(text, witness, { timestamp }),
  ];
  const note = formatNote({ text, signatures });
  const keys = [log.key, pqLog.key, witness.key];

  it('checks every known key and ignores the others', () => {
    const verifiedBy = (some: typeof keys) =>
      verifyNote(note, some).signatures.map(({ key }) => key.kind);
    assert.deepEqual(verifiedBy(keys), ['ed25519', 'ml-dsa-44-cosignature', 'ed25519-cosignature']);
    assert.deepEqual(verifiedBy([witness.key]), ['ed25519-cosignature']);
    const stranger = createSigner('stranger.example', 'ed25519', seed).key;
    assert.deepEqual(verifiedBy([stranger, pqLog.key]), ['ml-dsa-44-cosignature']);
    assert.throws(() => verifyNote(note, [stranger]), isUnverified);
    assert.throws(() => verifyNote(note, []), isUnverified);
  });

  it('ignores a known name with an unknown id, and a known id under another name', () => {
    const first = signatures[0]!;
    for (const foreign of [
      { ...first, keyId: '00000000' },
      { ...first, name: 'other.example' },
    ]) {
      const { signatures: verified } = verifyNote(
        formatNote({ text, signatures: [{ ...foreign, signature: seed }, signatures[1]!] }),
        keys,
      );
      assert.deepEqual(verified, [{ key: pqLog.key, timestamp: 0 }]);
    }
  });

  it('refuses a note in which any bit of a known signature is altered', () => {
    for (const [at, one] of signatures.entries()) {
      for (const byte of [0, 7, 8, one.signature.length - 1]) {
        const altered = Buffer.from(one.signature);
        altered[byte]! ^= 1;
        const wrong = signatures.with(at, { ...one, signature: altered });
        const wrongNote = formatNote({ text, signatures: wrong });
        assert.throws(() => verifyNote(wrongNote, keys), isUnverified, `${one.name} ${byte}`);
      }
      for (const length of [1, 63, one.signature.length - 1]) {
        const short = { ...one, signature: one.signature.subarray(0, length) };
        const wrongNote = formatNote({ text, signatures: signatures.with(at, short) });
        assert.throws(() => verifyNote(wrongNote, keys), isUnverified, `${one.name} ${length}`);
      }
    }
  });

  it('refuses each signature under another text', () => {
    const other = text.replace('20852163', '20852164');
    for (const signature of signatures) {
      const wrong = formatNote({ text: other, signatures: [signature] });
      assert.throws(() => verifyNote(wrong, keys), isUnverified);
    }
  });

  it('names each key once, and checks each of its signatures', () => {
    const twice = [...signatures, signText(text, witness, { timestamp: timestamp + 1 })];
    assert.equal(verifyNote(formatNote({ text, signatures: twice }), keys).signatures.length, 3);
    const forged = [...signatures, { ...signatures[0]!, signature: Buffer.alloc(64) }];
    assert.throws(() => verifyNote(formatNote({ text, signatures: forged }), keys), isUnverified);
  });

  it('refuses two keys of one name and id', () => {
    const other = createSigner('example.com/log', 'ed25519', Buffer.alloc(32, 8)).key;
    assert.throws(() => verifyNote(note, [log.key, { ...other, id: log.key.id }]), RangeError);
  });

  it('takes a text with empty lines, and 16 signatures', () => {
    const lines = 'a\n\n\nb\n\n';
    const signers = Array.from({ length: 16 }, (_, index) =>
      createSigner(`log${index}.example`, 'ed25519', seed),
    );
    const long = formatNote({
      text: lines,
      signatures: signers.map((signer) => signText(lines, signer)),
    });
    const verified = verifyNote(
      long,
      signers.map(({ key }) => key),
    );
    assert.equal(verified.text, lines);
    assert.equal(verified.signatures.length, 16);
  });

  it('refuses malformed notes', () => {
    const line = formatSignature(signatures[0]!);
    for (const wrong of [
      '',
      text,
      `${text}\n`,
      `${text}${line}`,
      `${text}\n${line.slice(0, -1)}`,
      `${text}\n${line}\n`,
      `${text}\n${line}trailing\n`,
      `${text}\n${line.replace('—', '-')}`,
      `${text}\n${line.replace(' ', '  ')}`,
      `${text}\n${line.replace('example.com', 'example+com')}`,
      `${text}\n${line.replace('example.com', 'example\x01com')}`,
      `${text}\n${line.replace('=', '')}`,
      `${text}\n${line.replace(/\n$/, '=\n')}`,
      `${text}\n— example.com/log AAAAAA==\n`,
      `tab\t\n\n${line}`,
      `${text}\n${line.repeat(101)}`,
      `${'a'.repeat(1_000_000)}\n\n${line}`,
    ]) {
      assert.throws(() => parseNote(wrong), isMalformed, JSON.stringify(wrong.slice(0, 300)));
    }
  });

  it('parses signature lines by themselves, as witnesses answer', () => {
    assert.deepEqual(parseSignatures(signatures.map(formatSignature).join('')), signatures);
    assert.throws(() => parseSignatures(''), isMalformed);
  });
});

describe('verifier keys', () => {
  it('have the length of their kind', () => {
    const lengths = kinds.map((kind) => {
      const [, , material] = formatVerifierKey(createSigner('a', kind, seed).key).split(
        /\+(.{8})\+/,
      );
      return Buffer.from(material!, 'base64').length;
    });
    assert.deepEqual(lengths, [33, 33, 1313]);
  });

  it('are refused if malformed, of an unknown type, or with a foreign id', () => {
    for (const wrong of [
      '',
      'example.com/foo',
      knownKey.replace('530d903a', '530D903A'),
      knownKey.replace('530d903a', '530d903b'),
      knownKey.replace('example.com/foo', 'example.com/bar'),
      knownKey.replace('example.com/foo', ''),
      knownKey.replace('AekyeR', 'AukyeR'),
      knownKey.slice(0, -4),
      `${knownKey}\n`,
      `${knownKey}=`,
    ]) {
      assert.throws(() => parseVerifierKey(wrong), isMalformed, wrong);
    }
  });
});
