import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalJson, parseCanonicalJson } from './canonical-json.ts';

describe('canonical JSON', () => {
  it('is that of RFC 8785 section 3.2.2', () => {
    const value: unknown = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`);
    assert.equal(
      canonicalJson(value),
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('sorts keys by UTF-16 code units, as in RFC 8785 section 3.2.3', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    const values = [...canonicalJson(value).matchAll(/:"([^"]*)"/g)].map((match) => match[1]);
    assert.deepEqual(values, [
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  it('refuses what JSON cannot express', () => {
    assert.throws(() => canonicalJson(undefined), TypeError);
    assert.throws(() => canonicalJson({ a: '\ud800' }));
    assert.throws(() => canonicalJson({ a: NaN }));
  });
});

describe('parsing', () => {
  it('reads the canonical form', () => {
    assert.deepEqual(parseCanonicalJson(Buffer.from('{"a":1,"b":"ö"}')), { a: 1, b: 'ö' });
  });

  it('refuses every other form', () => {
    for (const text of [
      '',
      '{"b":1,"a":1}',
      '{"a":1,"a":1}',
      '{"a": 1}',
      '{"a":1}\n',
      '{"a":1.0}',
      '{"a":1e3}',
      '{"a":-0}',
      '{"a":9007199254740993}',
      String.raw`{"a":"\u00f6"}`,
      String.raw`{"a":"\ud800"}`,
      '\ufeff{"a":1}',
    ]) {
      assert.throws(() => parseCanonicalJson(Buffer.from(text)), { name: 'LogFormatError' }, text);
    }
    assert.throws(() => parseCanonicalJson(Buffer.from('{"a":"\xff"}', 'latin1')), {
      name: 'LogFormatError',
    });
  });
});
