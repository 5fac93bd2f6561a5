import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, it } from 'node:test';
import { html } from '../src/platform/html.ts';
import {
  catalog,
  catalogOf,
  plainText,
  speak,
  type Catalog,
} from '../src/platform/pages/catalog.ts';
import { languages, type Language } from '../src/platform/pages/language.ts';

const pluralKey = /^(.+)_(?:zero|one|two|few|many|other)$/;
const nameOf = (key: string) => pluralKey.exec(key)?.[1] ?? key;

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;

const namespaces = globSync('locales/en/*.json').map((path) => basename(path, '.json'));
const english = new Map(namespaces.map((one) => [one, readJson(`locales/en/${one}.json`)]));

const files = globSync('locales/*/*.json').map((path) => ({
  path,
  language: basename(dirname(path)),
  namespace: basename(path, '.json'),
  keys: readJson(path),
}));

/** The keys of a language's file: those of English, with the plural forms of the language. */
const keysIn = (language: string, namespace: string) => {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  return new Set(
    Object.keys(english.get(namespace) ?? {}).flatMap((key) =>
      pluralKey.test(key) ? forms.map((form) => `${nameOf(key)}_${form}`) : key,
    ),
  );
};

interface Text {
  at: string;
  name: string;
  language: Language;
  text: string;
}

const catalogs = namespaces.map((namespace) => ({
  namespace,
  all: catalog<string>(namespace, english.get(namespace)!),
}));

const formsOf = (
  message: Catalog['en'][string],
): { other: string } & Partial<Record<Intl.LDMLPluralRule, string>> =>
  typeof message === 'string' ? { other: message } : message;

/** Every text with its spaces set. */
const texts: Text[] = catalogs.flatMap(({ namespace, all }) =>
  languages.flatMap((language) =>
    Object.entries(all[language]!).flatMap(([name, message]) =>
      Object.entries(formsOf(message)).map(([form, text]) => ({
        at: `${language}/${namespace} ${name}.${form}`,
        name,
        language,
        text,
      })),
    ),
  ),
);

const placesIn = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();

/** Fails with the texts for which the condition is true. */
const none = (wrong: (text: Text) => boolean | undefined) =>
  assert.deepEqual(
    texts.filter(wrong).map(({ at, text }) => `${at}: ${text}`),
    [],
  );

describe('files of texts', () => {
  it('are in folders that are named by canonical language tags', () => {
    assert.deepEqual(Intl.getCanonicalLocales(languages).toSorted(), languages.toSorted());
  });

  it('exist for every namespace in every language', () => {
    assert.deepEqual(
      files.map(({ path }) => path).toSorted(),
      languages
        .flatMap((one) => namespaces.map((name) => `locales/${one}/${name}.json`))
        .toSorted(),
    );
  });

  it('have all keys of English, with every plural form of their language', () => {
    const missing = files.flatMap(({ path, language, namespace, keys }) =>
      [...keysIn(language, namespace)].filter((key) => !keys[key]).map((key) => `${path} ${key}`),
    );
    assert.deepEqual(missing, []);
  });

  it('have no keys that English lacks', () => {
    const superfluous = files.flatMap(({ path, language, namespace, keys }) => {
      const known = keysIn(language, namespace);
      return Object.keys(keys).flatMap((key) => (known.has(key) ? [] : `${path} ${key}`));
    });
    assert.deepEqual(superfluous, []);
  });

  it('have braces only around values', () => {
    const wrong = files.flatMap(({ path, keys }) =>
      Object.entries(keys).flatMap(([key, text]) =>
        /[{}]/.test(text.replaceAll(/\{\{\w+\}\}/g, '')) ? `${path} ${key}: ${text}` : [],
      ),
    );
    assert.deepEqual(wrong, []);
  });

  it('are translated, but for the words in locales/same-as-english.json', () => {
    const words = (text: string) =>
      (text.replaceAll(/\{\{\w+\}\}/g, '').match(/\p{L}+/gu) ?? []).join(' ').toLowerCase();
    const same = files.flatMap(({ language, namespace, keys }) =>
      Object.entries(keys).flatMap(([key, text]) =>
        language !== 'en' && text === english.get(namespace)?.[key] && words(text).length > 3
          ? `${language}: ${words(text)}`
          : [],
      ),
    );
    const allowed = Object.entries(
      JSON.parse(readFileSync('locales/same-as-english.json', 'utf8')) as Record<string, string[]>,
    ).flatMap(([language, all]) => all.map((text) => `${language}: ${text}`));
    assert.deepEqual(new Set(same), new Set(allowed));
  });
});

describe('code', () => {
  const sources = globSync('src/**/*.ts')
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
  const moduleOf = (namespace: string) => {
    const [found, ...more] = sources.filter(({ text }) =>
      new RegExp(`\\bcatalog\\('${namespace}',`).test(text),
    );
    assert.ok(found && more.length === 0, `one module declares the catalogue ${namespace}`);
    return found;
  };

  it('reads all languages of the file that it imports', () => {
    for (const namespace of namespaces) {
      const { text } = moduleOf(namespace);
      const [, imported] =
        new RegExp(`import (\\w+) from '[./]+/locales/en/${namespace}\\.json'`).exec(text) ?? [];
      assert.match(text, new RegExp(`catalog\\('${namespace}', ${imported}\\)`));
    }
  });

  /** Names that are quoted or that a template such as `status_${status}` can give. */
  const uses = (name: string, { text }: { text: string }) =>
    text.includes(`'${name}'`) ||
    [...text.matchAll(/`(\w*)\$\{[^`{}]+\}(\w*)`/g)].some(
      ([, before = '', after = '']) =>
        before + after !== '' &&
        name.length > before.length + after.length &&
        name.startsWith(before) &&
        name.endsWith(after),
    );
  /** Values of the API are names, too: states, reasons, scopes. */
  const vocabularies = sources.filter(({ path }) => /(?:^|\/)(?:schema|route)\.ts$/.test(path));

  it('uses every text', () => {
    // Scopes are declared by their texts.
    const named = namespaces.filter((namespace) => namespace !== 'scopes');
    const unused = named.flatMap((namespace) => {
      const { path, text } = moduleOf(namespace);
      const exported = [...text.matchAll(/^export const (\w+)/gm)].map((match) => match[1]!);
      const users = sources.filter(
        (one) =>
          one.path.startsWith(`${dirname(path)}/`) ||
          // Every page can say what the frame of the site says.
          (namespace === 'site' && one.path.startsWith('src/web/')) ||
          exported.some((name) => new RegExp(`\\b${name}\\b`).test(one.text)),
      );
      return [...new Set(Object.keys(english.get(namespace)!).map(nameOf))]
        .filter((name) => ![...users, ...vocabularies].some((one) => uses(name, one)))
        .map((name) => `${namespace} ${name}`);
    });
    assert.deepEqual(unused, []);
  });
});

describe('texts', () => {
  it('have the same values in every language', () => {
    for (const { namespace, all } of catalogs) {
      for (const language of languages) {
        for (const [name, message] of Object.entries(all[language]!)) {
          const { other, ...counted } = formsOf(message);
          const known = placesIn(formsOf(all.en[name]!).other);
          assert.deepEqual(placesIn(other), known, `${language}/${namespace} ${name}`);
          for (const text of Object.values(counted)) {
            const unknown = placesIn(text).filter((one) => !known.includes(one));
            assert.deepEqual(unknown, [], `${language}/${namespace} ${name}: ${text}`);
          }
        }
      }
    }
  });

  it('have the number in each form that stands for several numbers', () => {
    for (const { namespace, all } of catalogs) {
      for (const language of languages) {
        for (const [name, message] of Object.entries(all[language]!)) {
          const { other, few = other, many = other } = formsOf(message);
          const withCount = [other, few, many].map((text) => text.includes('{count}'));
          assert.equal(new Set(withCount).size, 1, `${language}/${namespace} ${name}`);
        }
      }
    }
  });

  it('are not much longer than in English', () => {
    const originals = new Map(
      texts.flatMap(({ at, language, text }) => (language === 'en' ? [[at, text]] : [])),
    );
    const maxLength = (text: string) => Math.max(2 * text.length, text.length + 16);
    none(({ at, language, text }) => {
      const original = originals.get(at.replace(`${language}/`, 'en/'));
      return original !== undefined && text.length > maxLength(original);
    });
  });

  it('have the quotation marks, apostrophes and ellipses of their language', () => {
    const foreign: Record<string, RegExp> = {
      en: /["'«»„]|\.\.\./,
      fr: /["'“”„‘]|\.\.\./,
      es: /["'“”„‘’]|\.\.\./,
      de: /["'«»”’]|\.\.\./,
      ar: /["'“”„‘’]|\.\.\./,
    };
    none(({ language, text }) => foreign[language]?.test(text));
  });

  it('have no spaces at their ends, and none twice', () => {
    none(({ text, name }) => /^\s|[^\S\n]{2}/.test(text) || (name !== 'text' && /\s$/.test(text)));
  });

  it('set the signs apart in French by spaces that do not break', () => {
    none(
      ({ language, text }) =>
        language === 'fr' && /[^\u202f][:;?!»](?!\/\/)|«(?!\u202f)/.test(text),
    );
  });

  it('open questions and exclamations in Spanish', () => {
    const count = (text: string, sign: string) => text.split(sign).length;
    none(
      ({ language, text }) =>
        language === 'es' &&
        (count(text, '?') !== count(text, '¿') || count(text, '!') !== count(text, '¡')),
    );
  });

  it('have Arabic punctuation in Arabic, and no other letters but names', () => {
    const names =
      /API|AVIF|CIDR|CSV|EG|example\.org|GIF|JavaScript|JPEG|JSON|OAuth|PDF|PKCE|PNG|QR|UTC|WebP/g;
    none(
      ({ language, text }) =>
        language === 'ar' &&
        (/[,;?]/.test(text.replaceAll(/\d,\d/g, '')) ||
          /[A-Za-z]/.test(text.replaceAll(/\{\w+\}/g, '').replaceAll(names, ''))),
    );
  });
});

describe('a text', () => {
  const [fr, de, ar] = ['fr', 'de', 'ar'] as Language[] as [Language, Language, Language];
  const inEnglish = {
    named: 'Of {{name}}: {{size}} …',
    alone: '{{name}}',
    new_one: 'New',
    new_other: '{{count}} new',
  };
  const others: Record<string, Record<string, string>> = {
    fr: { named: '« {{name}} » : 5 Mo, {{size}}', alone: '' },
    de: { named: 'Von {{name}}: 5 MB, {{size}} …', new_one: 'Neues' },
    ar: { named: 'من {{name}}، {{size}}', new_two: 'جديدان', new_other: '{{count}} جديد' },
  };
  const all = catalogOf(inEnglish, (language) => others[language] ?? {});

  it('is in English where its language lacks it', () => {
    assert.equal(plainText(all, fr, 'alone', { name: 'Ada' }), 'Ada');
    assert.equal(plainText(all, de, 'new', { count: 1 }), 'New');
    assert.equal(plainText(all, de, 'new', { count: 2000 }), '2.000 new');
  });

  it('has the form of its count', () => {
    const forms = [1, 2, 3].map((count) => plainText(all, ar, 'new', { count }));
    assert.deepEqual(forms, ['1 جديد', 'جديدان', '3 جديد']);
  });

  it('has spaces that do not break where a line must not begin', () => {
    assert.equal(
      plainText(all, fr, 'named', { name: 'A', size: 1 }),
      '«\u202fA\u202f»\u202f: 5\u00a0Mo, 1',
    );
    assert.equal(plainText(all, de, 'named', { name: 'A', size: 1 }), 'Von A: 5\u00a0MB, 1\u00a0…');
  });

  it('sets apart values that may run the other way', () => {
    assert.equal(plainText(all, ar, 'named', { name: 'Ada', size: 5 }), 'من \u2068Ada\u2069، 5');
    assert.equal(
      plainText(all, ar, 'named', { name: '+44 20', size: 5 }),
      'من \u2068+44 20\u2069، 5',
    );
    assert.equal(
      speak(all, de)('named', { name: 'ليلى', size: 5 }).text,
      'Von \u2068ليلى\u2069: 5\u00a0MB, 5\u00a0…',
    );
    assert.equal(
      plainText(all, de, 'named', { name: 'Ada', size: 5 }),
      'Von Ada: 5\u00a0MB, 5\u00a0…',
    );
  });

  it('leaves to mark-up what that sets apart', () => {
    const name = html`<bdi>Ada</bdi> · <bdi>Grace</bdi>`;
    assert.equal(speak(all, ar)('named', { name, size: 5 }).text, `من ${name.text}، 5`);
  });

  it('leaves what fills a line as it is, such as an address that is to be opened', () => {
    assert.equal(
      plainText(all, ar, 'alone', { name: 'https://example.org' }),
      'https://example.org',
    );
  });
});
