import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fold, isStopWord, stemsOf, wordsOf } from './analysis.ts';
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
      'dont',
      'shut',
      'leeds',
      'york',
      'leedsyork',
      '3',
      '5m',
    ]);
    assert.deepEqual(wordsOf('NHSの公園 木'), ['nhs', 'の公', '公園', '園', '木']);
    assert.deepEqual(wordsOf('\0 — … \ud800'), []);
  });

  it('joins what apostrophes, hyphens and zero-width non-joiners separate inside a word', () => {
    for (const apostrophe of "'`\u2019\u2018\u02bc\uff07\u00b4\u02b9\u05f3\u2032") {
      assert.deepEqual(wordsOf(`l${apostrophe}école`), ['l', 'ecole', 'lecole'], apostrophe);
    }
    for (const hyphen of '-\u2010\u2011\u2012\u2013\u2212\uff0d\u058a\u05be\u200c') {
      assert.deepEqual(wordsOf(`anti${hyphen}Lärm`), ['anti', 'larm', 'antilarm'], hyphen);
    }
    assert.deepEqual(
      wordsOf("l'e-mail").filter((word) => !['l', 'e', 'mail'].includes(word)),
      ['le', 'lemail', 'email'],
    );
    assert.deepEqual(wordsOf('Hawaiʻi п’ять').slice(2), ['hawaii', 'п', 'ять', 'пять']);
    // Of a long compound only pairs.
    assert.equal(wordsOf('a-b-c-d-e-f').length, 6 + 5);
  });

  it('joins no ranges, dashes between spaces, or words in quotation marks', () => {
    assert.deepEqual(wordsOf('2020-2024'), ['2020', '2024']);
    assert.deepEqual(wordsOf('Leeds – York, Leeds - York'), ['leeds', 'york', 'leeds', 'york']);
    assert.deepEqual(wordsOf("the 'old' -oaks- a--b"), ['the', 'old', 'oaks', 'a', 'b']);
    assert.deepEqual(wordsOf('東京-大阪').includes('京大'), false);
  });

  it('ignores soft hyphens, tatweel, vowel signs, invisible characters and widths', () => {
    for (const [text, words] of [
      ['Umwelt\u00adschutz', ['umweltschutz']],
      ['wo\u2060rd\ufeff wo\u200drd', ['word', 'word']],
      ['كـــتاب كِتَابٌ كتاب', ['كتاب', 'كتاب', 'كتاب']],
      ['ＡＢＣ１２３ ｌ＇école', ['abc123', 'l', 'ecole', 'lecole']],
      ['zero\u200bwidth', ['zero', 'width']],
    ] as const) {
      assert.deepEqual(wordsOf(text), words, text);
    }
  });

  it('takes no joined word but a negation for a stop word', () => {
    for (const word of ['don', 'dont', 'isnt']) assert.ok(isStopWord(word, english), word);
    for (const word of ['shell', 'well']) assert.ok(!isStopWord(word, english), word);
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
    assert.match(title, /'=whole [\w-]{12}' 'o':1A 'hara':1A,1C 's':1A,\d+B 'ohara':1C /);
    assert.match(document, /'=tag it''s' '=' 'o':1 '\^o':1 'hara':1 /);
  });

  it('give a compound with an apostrophe one position, and one with a hyphen its ends', () => {
    const { title } = vectorsOf({ ...petition, title: "Don't e-mail us", language: null });
    assert.match(title, / 'don':1A 't':1A 'dont':1C 'e':2A 'mail':3A 'email':2C,3C 'us':4A /);
  });

  it('have the same whole title with and without apostrophes and hyphens', () => {
    const wholeOf = (title: string) =>
      /=whole \S+/.exec(vectorsOf({ ...petition, title }).title)![0];
    assert.equal(wholeOf("Don't e-mail"), wholeOf('dont email'));
    assert.equal(wholeOf('COVID-19'), wholeOf('covid 19'));
    assert.notEqual(wholeOf('covid 19'), wholeOf('covid 20'));
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
    assert.deepEqual(conditionsOf('2020-24'), ["('2020')", "('24' | '24':*)"]);
    assert.deepEqual(conditionsOf('never "closed again'), ["('never')", "('closed' <-> 'again')"]);
    assert.deepEqual(conditionsOf('"" - -" '), []);
  });

  it('have the parts of a compound, or the joined word, which may be unfinished like its last part', () => {
    assert.deepEqual(conditionsOf('covid-19'), [
      "('covid' | 'covid19' | 'covid19':*)",
      "('19' | 'covid19' | '19':* | 'covid19':*)",
    ]);
    assert.deepEqual(conditionsOf('e-mail us "x"').slice(0, 2), [
      "('e' | 'email')",
      "('mail' | 'email')",
    ]);
  });

  it('leave out elided words and the English s', () => {
    assert.deepEqual(conditionsOf('l\'École "x"')[0], "('ecole' | 'ecol' | 'lecole' | 'lecol')");
    assert.deepEqual(conditionsOf('oak\'s "x"')[0], "('oak' | 'oaks')");
    assert.deepEqual(conditionsOf("l's"), ["('l' | 'ls' | 'ls':*)"]);
  });

  it('have phrases with and without apostrophes and hyphens', () => {
    assert.deepEqual(conditionsOf('"l’école d\'Orléans"'), [
      "('l' <-> 'ecole' <-> 'd' <-> 'orleans' | 'lecole' <-> 'dorleans')",
    ]);
    assert.deepEqual(conditionsOf('x -l’e-mail'), [
      "('x') & !('l' <-> 'e' <-> 'mail' | 'le' <-> 'mail' | 'lemail')",
    ]);
  });

  it('drop stop words if there are other words', () => {
    for (const q of ['don\'t park "x"', 'dont park "x"']) {
      assert.deepEqual(conditionsOf(q), ["('park')", "('x')"]);
    }
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
