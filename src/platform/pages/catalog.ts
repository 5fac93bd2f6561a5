import { existsSync, readFileSync } from 'node:fs';
import { html, type Content, type Html } from '../html.ts';
import { directionOf, languages, localesFolder, type Language } from './language.ts';

/** By plural category of the count (CLDR); English has one and other, Arabic six. */
type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;
type Message = string | Plural;

/** Messages by language and name. `{name}` stands for a value; `count` selects the form of a plural. */
export type Catalog<Name extends string = string> = Record<Language, Record<Name, Message>>;

/** Returns a message with these values in it, which are escaped unless they are HTML. */
export type Say<Name extends string = string> = (
  name: Name,
  values?: Record<string, Content>,
) => Html;

/** A file of locales/: i18next JSON v4, flat, a key for each form of a plural (`unread_one`). */
type File<Key extends string = string> = Record<Key, string>;

/** The name of a message by a key of the English file. */
type NameOf<Key extends string> = Key extends `${infer Name}_one`
  ? Name
  : Key extends `${infer Name}_other`
    ? Name
    : Key;

/**
 * Reads the catalogue of a namespace: locales/<language>/<namespace>.json of every language. English is imported by the
 * caller, which types the names. A text that a language lacks is in English.
 */
export const catalog = <Key extends string>(
  namespace: string,
  en: File<Key>,
): Catalog<NameOf<Key>> =>
  catalogOf(en, (language) => {
    const path = new URL(`${language}/${namespace}.json`, localesFolder);
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as File) : {};
  });

/** Makes a catalogue from the English file and the files of other languages. */
export function catalogOf<Key extends string>(
  en: File<Key>,
  fileOf: (language: Language) => File,
): Catalog<NameOf<Key>> {
  const english = messagesOf('en', en);
  return Object.fromEntries(
    languages.map((language) => [
      language,
      language === 'en' ? english : { ...english, ...messagesOf(language, fileOf(language)) },
    ]),
  ) as Catalog<NameOf<Key>>;
}

const pluralKey = /^(.+)_(zero|one|two|few|many|other)$/;

/** Typesets the messages of a file and groups the forms of plurals. Omits empty texts and plurals without `other`. */
function messagesOf(language: Language, file: File): Record<string, Message> {
  const messages: Record<string, string | Partial<Plural>> = {};
  for (const [key, text] of Object.entries(file)) {
    if (text === '') continue;
    const [, name, form] = pluralKey.exec(key) ?? [];
    const message = typeset(language, text.replaceAll(/\{\{(\w+)\}\}/g, '{$1}'));
    if (name === undefined) messages[key] = message;
    else messages[name] = { ...(messages[name] as Partial<Plural>), [form!]: message };
  }
  const isWhole = ([, message]: [string, string | Partial<Plural>]) =>
    typeof message === 'string' || message.other !== undefined;
  return Object.fromEntries(Object.entries(messages).filter(isWhole)) as Record<string, Message>;
}

/** Keeps units, ellipses and French punctuation on the line of the text before them. */
function typeset(language: Language, text: string): string {
  const whole = text.replaceAll(/(?<=\d) (?=\p{L})| (?=…)/gu, '\u00a0');
  return language === 'fr' ? whole.replaceAll(/(?<=«) | (?=[:;?!»])/g, '\u202f') : whole;
}

/** Merges two catalogues. */
export const joinCatalogs = <A extends string, B extends string>(
  a: Catalog<A>,
  b: Catalog<B>,
): Catalog<A | B> =>
  Object.fromEntries(languages.map((one) => [one, { ...a[one], ...b[one] }])) as Catalog<A | B>;

/** Returns what renders messages in a language. Numbers are written as is usual in it. */
export function speak<Name extends string>(from: Catalog<Name>, language: Language): Say<Name> {
  return (name, values = {}) =>
    html`${formOf(from[language]![name], language, values.count)
      .split(place)
      .map((part, index) => (index % 2 === 0 ? part : localized(language, values[part])))}`;
}

/**
 * Renders a message as plain text, for mails. A value alone on its line is not isolated: mail programs take the marks for
 * a part of a link.
 */
export function plainText<Name extends string>(
  from: Catalog<Name>,
  language: Language,
  name: Name,
  values: Record<string, string | number> = {},
): string {
  return formOf(from[language]![name], language, values.count).replaceAll(
    placeInLine,
    (_, alone: string | undefined, part: string) =>
      alone === undefined ? String(localized(language, values[part])) : String(values[alone]),
  );
}

/** A value in a message. */
const place = /\{(\w+)\}/g;
/** The same; the first group matches a value alone on its line. */
const placeInLine = /(?<=^|\n)\{(\w+)\}(?=\n|$)|\{(\w+)\}/g;

const formOf = (message: Message, language: Language, count: Content): string =>
  typeof message === 'string' ? message : pluralOf(message, language, count);

const localized = (language: Language, value: Content): Content =>
  typeof value === 'number' ? formatNumber(language, value) : isolate(language, value);

/** Characters that can change the direction of a text around them, by the direction of the text. */
const oppositeCharacters = {
  ltr: /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u,
  rtl: /[^\d.,\s]/,
};

/** Isolates a value that can run in the other direction (UAX #9), unless it has a <bdi> of its own. */
function isolate(language: Language, value: Content): Content {
  const { text } = html`${value}`;
  if (text.includes('<bdi') || !oppositeCharacters[directionOf(language)].test(text)) return value;
  return typeof value === 'string' ? `\u2068${value}\u2069` : html`\u2068${value}\u2069`;
}

function pluralOf(message: Plural, language: Language, count: Content): string {
  const category = typeof count === 'number' ? rulesOf(language).select(count) : 'other';
  return message[category] ?? message.other;
}

const memo = <T>(make: (language: Language) => T) => {
  const made = new Map<Language, T>();
  return (language: Language): T => {
    let one = made.get(language);
    if (one === undefined) made.set(language, (one = make(language)));
    return one;
  };
};

const rulesOf = memo((language) => new Intl.PluralRules(language));
const numberFormat = memo((language) => new Intl.NumberFormat(language));
const shortNumberFormat = memo(
  (language) => new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }),
);
const percentFormat = memo(
  (language) => new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }),
);
const dayFormat = memo(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }),
);
const timeFormat = memo(
  (language) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
);
const agoFormat = memo(
  (language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'long' }),
);

const listFormat = memo((language) => new Intl.ListFormat(language));
const countryNames = memo((language) => new Intl.DisplayNames(language, { type: 'region' }));

/** The name of a country by its code (ISO 3166-1 alpha-2). */
export const formatCountry = (language: Language, code: string): string =>
  countryNames(language).of(code) ?? code;

export const formatNumber = (language: Language, value: number): string =>
  numberFormat(language).format(value);

/** “a, b, and c” */
export const formatList = (language: Language, parts: readonly string[]): string =>
  listFormat(language).format(parts);

/** 12,300 as 12.3K. */
export const formatShortNumber = (language: Language, value: number): string =>
  shortNumberFormat(language).format(value);

/** A share between 0 and 1, as 12.5%. */
export const formatPercent = (language: Language, share: number): string =>
  percentFormat(language).format(share);

/** A day in UTC, as plain text. */
export const dayText = (language: Language, at: Date): string => dayFormat(language).format(at);

/** A day in UTC, with its machine-readable form. */
export const formatDay = (language: Language, at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${dayText(language, at)}</time>`;

/** A time in UTC, as plain text for mails. */
export const timeText = (language: Language, at: Date): string =>
  `${timeFormat(language).format(at)} UTC`;

/** A time in UTC, with its machine-readable form. */
export const formatTime = (language: Language, at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${timeText(language, at)}</time>`;

const agoUnits: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** How long ago something was, in the largest unit that fits. */
export function formatAgo(language: Language, at: Date, now: Date): Html {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const [unit, length] = agoUnits.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  const text = agoFormat(language).format(
    unit === 'second' ? 0 : Math.trunc(seconds / length),
    unit,
  );
  return html`<time datetime="${at.toISOString()}">${text}</time>`;
}
