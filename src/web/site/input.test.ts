import assert from 'node:assert/strict';
import { it } from 'node:test';
import { digitsIn, numberIn } from './input.ts';

it('reads numbers in groups of thousands, not fractions', () => {
  const numbers = {
    '': undefined,
    '500': 500,
    '1.000': 1000,
    '1 000': 1000,
    '1\u202f000': 1000,
    '1’000': 1000,
    '١٬٠٠٠': 1000,
    '1,000,000': 1_000_000,
    '-5': -5,
    '2.5': '2.5',
    '2,50': '2,50',
    '1.0000': '1.0000',
    '1.000.5': '1.000.5',
    '1e3': '1e3',
    many: 'many',
  };
  for (const [text, number] of Object.entries(numbers)) assert.equal(numberIn(text), number, text);
});

it('reads codes in any groups of digits', () => {
  for (const text of ['123456', '123 456', '123-456', '١٢٣ ٤٥٦']) {
    assert.equal(digitsIn(text), '123456');
  }
});
