import assert from 'node:assert/strict';
import { it } from 'node:test';
import { normalizeText, textProblem } from './text.ts';

const problemOf = (text: string) => textProblem(text, { lines: 'many', isNeeded: true });

it('text that can be seen is taken, in every script', () => {
  for (const text of [
    'Keep the path open',
    'Two\nlines\tand a tab\r\n',
    'می\u200cخواهم',
    'क्\u200dष',
    '👩\u200d👩\u200d👧',
    '!',
    'שלום\u200f (1)',
  ]) {
    assert.equal(problemOf(text), undefined, JSON.stringify(text));
  }
});

it('text with nothing to see is refused', () => {
  for (const text of [
    ' ',
    '\u200b',
    '\u200d\u200c',
    '\ufeff',
    '\u3164',
    '\u2800\u2800',
    '\u0301',
  ]) {
    assert.match(problemOf(text)!, /nothing that can be seen/, JSON.stringify(text));
  }
  assert.equal(textProblem('  ', { lines: 'many', isNeeded: false }), undefined);
  assert.match(textProblem('\u200b', { lines: 'many', isNeeded: false })!, /nothing/);
});

it('characters that are refused are named, with their place', () => {
  const cases: [string, string][] = [
    ['a\u0007b', 'U+0007, a control character, at position 2'],
    ['a\u009bb', 'U+009B, a control character, at position 2'],
    ['👩 gpj\u202eexe', 'U+202E, which reverses text, at position 6'],
    ['a\u202ab', 'U+202A, which changes the direction of text, at position 2'],
    ['a \u2066b', 'U+2066, which changes the direction of text and is not closed, at position 3'],
    ['a\u2069', 'U+2069, which closes nothing, at position 2'],
    ['a\ud800b', 'U+D800, half of a character, at position 2'],
    ['a\ufffeb', 'U+FFFE, which is no character, at position 2'],
    ['a\u{1ffff}', 'U+1FFFF, which is no character, at position 2'],
  ];
  for (const [text, named] of cases) assert.equal(problemOf(text), `This contains ${named}.`);
  assert.equal(problemOf('a \u2067\u05d0\u2069 b \u2066c\u2069'), undefined);
});

it('lines and tabs are for texts of several lines', () => {
  const oneLine = (text: string) => textProblem(text, { lines: 'one', isNeeded: true });
  assert.equal(oneLine('a\nb'), 'This contains U+000A, a line break, at position 2.');
  assert.equal(oneLine('a\tb'), 'This contains U+0009, a tab, at position 2.');
  assert.equal(oneLine(' a \r\n'), undefined, 'around it they are left out');
  assert.equal(problemOf('a\nb\tc'), undefined);
});

it('texts are stored composed, without needless space around them', () => {
  assert.equal(normalizeText(' Cafe\u0301 ', 'one'), 'Caf\u00e9');
  assert.equal(normalizeText('    code\r\nmore\r \n', 'markdown'), '    code\nmore');
});
