import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { html } from '../src/platform/html.ts';
import { catalog, plainText, speak, type Catalog } from '../src/platform/pages/catalog.ts';
import { languages, type Language } from '../src/platform/pages/language.ts';

const files = globSync('src/**/*.ts').filter(
  (path) => !path.endsWith('.test.ts') && /= catalog\(\{/.test(readFileSync(path, 'utf8')),
);

const isCatalog = (value: unknown): value is Catalog =>
  typeof value === 'object' &&
  value !== null &&
  languages.every((one) => Object.hasOwn(value, one));

interface Text {
  at: string;
  name: string;
  language: Language;
  form: string;
  text: string;
}

const catalogs = (
  await Promise.all(
    files.map(async (file) => {
      const exported = Object.values((await import(resolve(file))) as object).filter(isCatalog);
      return exported.map((one) => ({ file, catalog: one }));
    }),
  )
).flat();

const formsOf = (
  message: Catalog[Language][string],
): { other: string } & Partial<Record<Intl.LDMLPluralRule, string>> =>
  typeof message === 'string' ? { other: message } : message;

const texts: Text[] = catalogs.flatMap(({ file, catalog: { ...all } }) =>
  languages.flatMap((language) =>
    Object.entries(all[language]).flatMap(([name, message]) =>
      Object.entries(formsOf(message)).map(([form, text]) => ({
        at: `${file} ${language}.${name}.${form}`,
        name,
        language,
        form,
        text,
      })),
    ),
  ),
);

const placesIn = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();

/** Fails with the texts that are wrong. */
const assertNone = (wrong: (text: Text) => boolean | undefined) =>
  assert.deepEqual(
    texts.filter(wrong).map(({ at, text }) => `${at}: ${text}`),
    [],
  );

describe('the catalogues of texts', () => {
  it('are all found', () => {
    assert.deepEqual(
      files.filter((file) => !catalogs.some((one) => one.file === file)),
      [],
    );
    assert.ok(texts.length > 4000, `${texts.length} texts`);
  });

  it('have the same texts and values in every language', () => {
    for (const { file, catalog: all } of catalogs) {
      for (const language of languages) {
        assert.deepEqual(
          Object.keys(all[language]).toSorted(),
          Object.keys(all.en).toSorted(),
          `${file} ${language}`,
        );
        for (const [name, message] of Object.entries(all[language])) {
          const { other, ...counted } = formsOf(message);
          const known = placesIn(formsOf(all.en[name]!).other);
          assert.deepEqual(placesIn(other), known, `${file} ${language}.${name}`);
          for (const text of Object.values(counted)) {
            const unknown = placesIn(text).filter((one) => !known.includes(one));
            assert.deepEqual(unknown, [], `${file} ${language}.${name}: ${text}`);
          }
        }
      }
    }
  });

  it('have every plural that their language has', () => {
    for (const { file, catalog: all } of catalogs) {
      for (const language of languages) {
        const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
        for (const [name, message] of Object.entries(all[language])) {
          const plural = typeof all.en[name] === 'object';
          assert.equal(typeof message === 'object', plural, `${file} ${language}.${name}`);
          if (typeof message !== 'object') continue;
          const forms = Object.keys(message).toSorted();
          assert.deepEqual(forms, wanted.toSorted(), `${file} ${language}.${name}`);
        }
      }
    }
  });

  it('show the number in every plural form for several numbers', () => {
    for (const { file, catalog: all } of catalogs) {
      for (const language of languages) {
        for (const [name, message] of Object.entries(all[language])) {
          const { other, few = other, many = other } = formsOf(message);
          const showsCount = [other, few, many].map((text) => text.includes('{count}'));
          assert.equal(new Set(showsCount).size, 1, `${file} ${language}.${name}`);
        }
      }
    }
  });

  it('are not much longer than in English', () => {
    const english = new Map(
      texts.flatMap(({ at, language, text }) => (language === 'en' ? [[at, text]] : [])),
    );
    const maxLength = (text: string) => Math.max(2 * text.length, text.length + 16);
    assertNone(({ at, language, text }) => {
      const one = english.get(at.replace(` ${language}.`, ' en.'));
      return one !== undefined && text.length > maxLength(one);
    });
  });

  it('have the quotation marks, apostrophes and ellipses of their language', () => {
    const foreign: Record<Language, RegExp> = {
      en: /["'«»„]|\.\.\./,
      fr: /["'“”„‘]|\.\.\./,
      es: /["'“”„‘’]|\.\.\./,
      de: /["'«»”’]|\.\.\./,
      ar: /["'“”„‘’]|\.\.\./,
    };
    assertNone(({ language, text }) => foreign[language].test(text));
  });

  it('have no leading, trailing or double spaces', () => {
    assertNone(
      ({ text, name }) => /^\s|[^\S\n]{2}/.test(text) || (name !== 'text' && /\s$/.test(text)),
    );
  });

  it('have non-breaking spaces before French punctuation', () => {
    assertNone(
      ({ language, text }) =>
        language === 'fr' && /[^\u202f][:;?!»](?!\/\/)|«(?!\u202f)/.test(text),
    );
  });

  it('open questions and exclamations in Spanish', () => {
    const count = (text: string, sign: string) => text.split(sign).length;
    assertNone(
      ({ language, text }) =>
        language === 'es' &&
        (count(text, '?') !== count(text, '¿') || count(text, '!') !== count(text, '¡')),
    );
  });

  it('have Arabic punctuation in Arabic, and no other letters but names', () => {
    const names = /API|AVIF|CIDR|CSV|EG|GIF|JavaScript|JPEG|JSON|OAuth|PDF|PKCE|PNG|QR|UTC|WebP/g;
    assertNone(
      ({ language, text }) =>
        language === 'ar' &&
        (/[,;?]/.test(text.replaceAll(/\d,\d/g, '')) ||
          /[A-Za-z]/.test(text.replaceAll(/\{\w+\}/g, '').replaceAll(names, ''))),
    );
  });
});

describe('a text', () => {
  const one = { named: 'Von {name}: {size} …', alone: '{name}' };
  const all = catalog({
    en: one,
    fr: { named: '« {name} » : 5 Mo, {size}', alone: '{name}' },
    es: one,
    de: { named: 'Von {name}: 5 MB, {size} …', alone: '{name}' },
    ar: { named: 'من {name}، {size}', alone: '{name}' },
  });

  it('has non-breaking spaces where a line must not start', () => {
    assert.equal(
      plainText(all, 'fr', 'named', { name: 'A', size: 1 }),
      '«\u202fA\u202f»\u202f: 5\u00a0Mo, 1',
    );
    assert.equal(
      plainText(all, 'de', 'named', { name: 'A', size: 1 }),
      'Von A: 5\u00a0MB, 1\u00a0…',
    );
  });

  it('isolates values that may have the other direction', () => {
    assert.equal(plainText(all, 'ar', 'named', { name: 'Ada', size: 5 }), 'من \u2068Ada\u2069، 5');
    assert.equal(
      plainText(all, 'ar', 'named', { name: '+44 20', size: 5 }),
      'من \u2068+44 20\u2069، 5',
    );
    assert.equal(
      speak(all, 'de')('named', { name: 'ليلى', size: 5 }).text,
      'Von \u2068ليلى\u2069: 5\u00a0MB, 5\u00a0…',
    );
    assert.equal(
      plainText(all, 'de', 'named', { name: 'Ada', size: 5 }),
      'Von Ada: 5\u00a0MB, 5\u00a0…',
    );
  });

  it('does not isolate HTML values', () => {
    const name = html`<bdi>Ada</bdi> · <bdi>Grace</bdi>`;
    assert.equal(speak(all, 'ar')('named', { name, size: 5 }).text, `من ${name.text}، 5`);
  });

  it('does not isolate a value that is the whole text', () => {
    assert.equal(
      plainText(all, 'ar', 'alone', { name: 'https://example.org' }),
      'https://example.org',
    );
  });
});
