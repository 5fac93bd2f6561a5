import assert from 'node:assert/strict';
import { it } from 'node:test';
import { textProblem } from './text.ts';

const problemOf = (text: string) => textProblem(text, { isNeeded: true });

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
  assert.equal(textProblem('  ', { isNeeded: false }), undefined);
  assert.match(textProblem('\u200b', { isNeeded: false })!, /nothing/);
});

it('control characters and those that change the direction are refused', () => {
  assert.match(problemOf('a\u0007b')!, /control character/);
  assert.match(problemOf('a\u009bb')!, /control character/);
  for (const text of ['a\u202egpj.exe', '\u2066a', 'a\u2069']) {
    assert.match(problemOf(text)!, /direction/);
  }
});
