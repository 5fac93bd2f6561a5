import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fold, languageOf, stemsOf, wordsOf } from './analysis.ts';
import { vectorsOf } from './document.ts';
import { matchQuery, parseQuery } from './query.ts';
import { isNear, isNearBeginning, variantsOf, variantsTyped } from './typing-errors.ts';

const english = languageOf('en-GB')!;

describe('analysis', () => {
  it('folds case and accents, but no marks that make another letter', () => {
    assert.equal(
      fold('Straße ÉCOLE Œuvre İstanbul Łódź ﬁsh'),
      'strasse ecole oeuvre istanbul lodz fish',
    );
    assert.equal(fold('Ελλάδα'), 'ελλαδα');
    assert.equal(fold('Київ й'), 'київ й');
    assert.equal(fold('が'), 'が');
  });

  it('takes texts apart by words, and by twos where there are no spaces', () => {
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

  it('stems a word with its accents and without', () => {
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

  it('quote what PostgreSQL would read otherwise', () => {
    const { title, document } = vectorsOf(petition);
    assert.match(title, /'=whole [\w-]{12}' 'o':1A 'hara':2A/);
    assert.match(document, /'=tag it''s' '=' 'o':1 '\^o':1 'hara':2/);
  });

  it('stay within what PostgreSQL stores', () => {
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
  const asked = (text: string) => matchQuery(parseQuery(text, [english]).terms, [english]);

  it('ask for words and stems, the last unfinished', () => {
    assert.deepEqual(asked('Parks plan'), ["('parks' | 'park')", "('plan' | 'plan':*)"]);
    assert.deepEqual(asked('plan b'), ["('plan')", "('b')"]);
    assert.deepEqual(asked('公'), ["('公':*)"]);
    assert.deepEqual(asked('b c d f g "h"').slice(2), ["('f')", "('g') & ('h')"]);
  });

  it('ask for phrases, and for none of what is excluded', () => {
    assert.deepEqual(asked('"sky pools" x -"a b" -dogs'), [
      "('sky' <-> 'pools')",
      "('x') & !('a' <-> 'b') & !('dogs' | 'dog')",
    ]);
    assert.deepEqual(asked('-dogs'), ["'=' & !('dogs' | 'dog')"]);
    assert.deepEqual(asked('covid-19'), ["('covid')", "('19' | '19':*)"]);
    assert.deepEqual(asked('never "closed again'), ["('never')", "('closed' <-> 'again')"]);
    assert.deepEqual(asked('"" - -" '), []);
  });

  it('pass over little words where there are others', () => {
    assert.deepEqual(asked('the park of the'), ["('park')"]);
    assert.deepEqual(asked('to the'), ["('to')", "('the' | 'the':*)"]);
  });
});

describe('typing errors', () => {
  it('are a letter missing, superfluous, changed or misplaced', () => {
    for (const other of ['prk', 'paark', 'pork', 'prak', 'park', 'parks', 'ark']) {
      assert.ok(isNear('park', other), other);
    }
    for (const other of ['pk', 'prka', 'spork', 'krap', 'parkin'])
      assert.ok(!isNear('park', other), other);
    assert.ok(isNearBeginning('envronm', 'environment'));
    assert.ok(!isNearBeginning('envxonm', 'environment'));
  });

  it('leave a beginning in common by which the word is found', () => {
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

/** The word with any letter missing, doubled, another, or in its neighbour's place. */
const withOneError = (word: string): string[] =>
  Array.from(word, (letter, n) => {
    const [before, rest] = [word.slice(0, n), word.slice(n + 1)];
    const swapped = before + rest.slice(0, 1) + letter + rest.slice(1);
    return [before + rest, before + letter + letter + rest, `${before}x${rest}`, swapped];
  }).flat();
