import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatCheckpoint, parseCheckpoint } from './checkpoints.ts';

/** The example of tlog-checkpoint. */
const text = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
`;

it('formats and parses the text of a checkpoint', () => {
  const checkpoint = {
    origin: 'example.com/behind-the-sofa',
    size: 20_852_163,
    root: Buffer.from('0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62', 'hex'),
  };
  assert.deepEqual(parseCheckpoint(text), checkpoint);
  assert.equal(formatCheckpoint(checkpoint), text);
});

it('ignores extension lines', () => {
  assert.deepEqual(parseCheckpoint(`${text}extension\n`), parseCheckpoint(text));
});

it('refuses a malformed text', () => {
  for (const wrong of [
    '',
    text.slice(0, -1),
    `\n${text}`,
    `${text}\n`,
    `${text}extension`,
    `${text}\nextension\n`,
    text.replace('example.com/behind-the-sofa', ''),
    text.replace('20852163', ''),
    text.replace('20852163', '020852163'),
    text.replace('20852163', '-1'),
    text.replace('20852163', '1e3'),
    text.replace('20852163', '9007199254740993'),
    text.replace('q2I=', 'q2I'),
    text.replace('q2I=', 'q2J='),
    text.replace('q2I=', 'q2I=='),
    text.replace('CsUY', ''),
    text.replace('CsUY', 'CsU-'),
    text.replace(/Cs.*\n/, ''),
  ]) {
    assert.throws(() => parseCheckpoint(wrong), { name: 'LogFormatError' }, JSON.stringify(wrong));
  }
});
