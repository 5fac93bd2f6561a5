import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rungLexeme, rungsQuery, topOf } from './ladders.ts';

describe('rungs of a ladder', () => {
  /** Which days a query asks for. */
  const daysIn = (query: string, days: number[]) => {
    const asked = [...query.matchAll(/'([^']+)'(:\*)?/g)].map(([, text, begins]) => ({
      text: text!,
      begins: begins !== undefined,
    }));
    return days.filter((day) => {
      const lexeme = rungLexeme('day', day);
      return asked.some(({ text, begins }) => (begins ? lexeme.startsWith(text) : lexeme === text));
    });
  };

  for (const [from, upTo] of [
    [7, 7],
    [20_777, 20_771],
    [20_999, 20_000],
    [21_003, 19_998],
    [topOf('day'), 90],
    [109, 0],
  ] as const) {
    it(`are asked for from ${from} to ${upTo}, and no others`, () => {
      const near = [from, upTo].flatMap((at) =>
        Array.from({ length: 2500 }, (_, n) => at - 1250 + n),
      );
      const days = [...new Set(near)].filter((day) => day >= 0 && day <= topOf('day'));
      assert.deepEqual(
        daysIn(rungsQuery('day', { from, upTo })!, days),
        days.filter((day) => day <= from && day >= upTo),
      );
    });
  }

  it('are asked for by few beginnings', () => {
    const query = rungsQuery('known', { from: topOf('known'), upTo: 170_671 })!;
    assert.ok(query.split('|').length < 40, query);
    assert.match(query, /'=k 9':\*/);
  });

  it('need not be asked for where all are meant', () => {
    assert.equal(rungsQuery('known', { from: topOf('known'), upTo: 0 }), null);
  });
});
