import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fold, stemsOf, wordsOf } from './analysis.ts';
import { vectorsOf } from './document.ts';
import { languageOf } from './languages.ts';
import { parseQuery } from './parsing.ts';
import { allTerms } from './query-analysis.ts';
import { isNear, isNearPrefix, variantsOf, variantsTyped } from './typing-errors.ts';

const english = languageOf('en-GB')!;

describe('analysis', () => {
  it('folds case and accents, but not marks that make another letter', () => {
    assert.equal(
      fold('Straße ÉCOLE Œuvre İstanbul Łódź ﬁsh'),
      'strasse ecole oeuvre istanbul lodz fish',
    );
    assert.equal(fold('Ελλάδα'), 'ελλαδα');
    assert.equal(fold('Київ й'), 'київ й');
    assert.equal(fold('が'), 'が');
  });

  it('splits text into words, and into pairs of letters in scripts without spaces', () => {
    assert.deepEqual(wordsOf("Don't shut Leeds–York: £3.5m!"), [
      'don',
      't',
      'shut',
      'leeds',
      'york',
      '3',
      '5m',
    ]);
    assert.deepEqual(wordsOf('NHSの公園 木'), ['nhs', 'の公', '公園', '園', '木']);
    assert.deepEqual(wordsOf('\0 — … \ud800'), []);
  });

  it('stems a word with and without its accents', () => {
    assert.deepEqual(stemsOf('parks', english), ['park']);
    assert.deepEqual(stemsOf('protégée', languageOf('fr')!), ['proteg', 'protege']);
    assert.equal(languageOf('ja'), undefined);
  });
});

describe('documents', () => {
  const petition = {
    title: "O'Hara's \\ path",
    description: 'One two.',
    tags: ["it's"],
    language: 'en',
    status: 'active',
    category_id: null,
    country: null,
    tag_keys: ["it's"],
  };

  it('escape quotes and backslashes', () => {
    const { title, document } = vectorsOf(petition);
    assert.match(title, /'=whole [\w-]{12}' 'o':1A 'hara':2A/);
    assert.match(document, /'=tag it''s' '=' 'o':1 '\^o':1 'hara':2/);
  });

  it('stay within the limits of a tsvector', () => {
    const words = Array.from(
      { length: 60_000 },
      (_, n) => `词${String.fromCodePoint(0x4e00 + (n % 20_000))}${n}`,
    );
    const { document } = vectorsOf({ ...petition, description: words.join(' ') });
    assert.ok(Buffer.byteLength(document) < 4_000_000);
    assert.ok(document.startsWith("'=status active'"));
    const positions = document.matchAll(/:([\d,]+)/g);
    for (const [, places] of positions) assert.ok(places!.split(',').length <= 255);
  });
});

describe('queries', () => {
  const conditionsOf = (text: string) => allTerms(parseQuery(text, [english]).terms, [english]);

  it('have words and stems, and a prefix for the last word', () => {
    assert.deepEqual(conditionsOf('Parks plan'), ["('parks' | 'park')", "('plan' | 'plan':*)"]);
    assert.deepEqual(conditionsOf('plan b'), ["('plan')", "('b')"]);
    assert.deepEqual(conditionsOf('公'), ["('公':*)"]);
    assert.deepEqual(conditionsOf('b c d f g "h"').slice(2), ["('f')", "('g') & ('h')"]);
  });

  it('have phrases and exclusions', () => {
    assert.deepEqual(conditionsOf('"sky pools" x -"a b" -dogs'), [
      "('sky' <-> 'pools')",
      "('x') & !('a' <-> 'b') & !('dogs' | 'dog')",
    ]);
    assert.deepEqual(conditionsOf('-dogs'), ["'=' & !('dogs' | 'dog')"]);
    assert.deepEqual(conditionsOf('covid-19'), ["('covid')", "('19' | '19':*)"]);
    assert.deepEqual(conditionsOf('never "closed again'), ["('never')", "('closed' <-> 'again')"]);
    assert.deepEqual(conditionsOf('"" - -" '), []);
  });

  it('drop stop words if there are other words', () => {
    assert.deepEqual(conditionsOf('the park of the'), ["('park')"]);
    assert.deepEqual(conditionsOf('to the'), ["('to')", "('the' | 'the':*)"]);
  });
});

describe('typing errors', () => {
  it('are a missing, superfluous, wrong or swapped letter', () => {
    for (const other of ['prk', 'paark', 'pork', 'prak', 'park', 'parks', 'ark']) {
      assert.ok(isNear('park', other), other);
    }
    for (const other of ['pk', 'prka', 'spork', 'krap', 'parkin'])
      assert.ok(!isNear('park', other), other);
    assert.ok(isNearPrefix('envronm', 'environment'));
    assert.ok(!isNearPrefix('envxonm', 'environment'));
  });

  it('leave a common variant by which the word is found', () => {
    const whole = 'environments';
    for (let length = 5; length <= whole.length; length += 1) {
      const word = whole.slice(0, length);
      for (const typed of [...withOneError(word), 'envir', 'envri']) {
        const shared = new Set(variantsOf(word)).intersection(new Set(variantsTyped(typed)));
        assert.ok(shared.size > 0, `${typed} for ${word}`);
      }
    }
  });
});

/** The word with each letter missing, doubled, wrong, or swapped. */
const withOneError = (word: string): string[] =>
  Array.from(word, (letter, n) => {
    const [before, rest] = [word.slice(0, n), word.slice(n + 1)];
    const swapped = before + rest.slice(0, 1) + letter + rest.slice(1);
    return [before + rest, before + letter + letter + rest, `${before}x${rest}`, swapped];
  }).flat();
