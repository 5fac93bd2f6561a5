import { html, type Content, type Html } from '../html.ts';
import { directionOf, languages, type Language } from './language.ts';

/** By plural category of the count (CLDR); English has one and other, Arabic six. */
type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;
type Message = string | Plural;

/**
 * What pages say in every language, under the same names in each. `{name}` stands for a value; the form
 * of a plural follows from the value `count`.
 */
export type Catalog<Name extends string = string> = Record<Language, Record<Name, Message>>;

/** Says a message with these values in it, which are escaped unless they are HTML. */
export type Say<Name extends string = string> = (
  name: Name,
  values?: Record<string, Content>,
) => Html;

/**
 * Declares a catalogue: every language says all that English says, and nothing else. It is written with plain spaces;
 * those that must not break are put in here.
 */
export const catalog = <Name extends string>(
  messages: { en: Record<Name, Message> } & Record<
    Exclude<Language, 'en'>,
    Record<NoInfer<Name>, Message>
  >,
): Catalog<Name> =>
  Object.fromEntries(
    languages.map((language) => [language, typesetAll(language, messages[language])]),
  ) as Catalog<Name>;

const typesetAll = (language: Language, messages: Record<string, Message>) =>
  Object.fromEntries(
    Object.entries(messages).map(([name, message]) => [
      name,
      typeof message === 'string'
        ? typeset(language, message)
        : Object.fromEntries(
            Object.entries(message).map(([form, text]) => [form, typeset(language, text)]),
          ),
    ]),
  );

/** No line begins with the unit of a number, with an ellipsis, or with the signs that French sets apart. */
function typeset(language: Language, text: string): string {
  const whole = text.replaceAll(/(?<=\d) (?=\p{L})| (?=…)/gu, '\u00a0');
  return language === 'fr' ? whole.replaceAll(/(?<=«) | (?=[:;?!»])/g, '\u202f') : whole;
}

/** Several catalogues as one. */
export const joinCatalogs = <A extends string, B extends string>(
  a: Catalog<A>,
  b: Catalog<B>,
): Catalog<A | B> =>
  Object.fromEntries(languages.map((one) => [one, { ...a[one], ...b[one] }])) as Catalog<A | B>;

/** Speaks a language from a catalogue. Numbers are written as they are in that language. */
export function speak<Name extends string>(from: Catalog<Name>, language: Language): Say<Name> {
  return (name, values = {}) =>
    html`${formOf(from[language][name], language, values.count)
      .split(place)
      .map((part, index) => (index % 2 === 0 ? part : localized(language, values[part])))}`;
}

/** Says a message as a text without any mark-up, such as for a mail. What fills a line stands there as it is. */
export function plainText<Name extends string>(
  from: Catalog<Name>,
  language: Language,
  name: Name,
  values: Record<string, string | number> = {},
): string {
  return formOf(from[language][name], language, values.count).replaceAll(
    placeInLine,
    (_, alone: string | undefined, part: string) =>
      alone === undefined ? String(localized(language, values[part])) : String(values[alone]),
  );
}

/** Where a value stands in a message. */
const place = /\{(\w+)\}/g;
/** The same, telling one that is alone in its line from others. */
const placeInLine = /(?<=^|\n)\{(\w+)\}(?=\n|$)|\{(\w+)\}/g;

const formOf = (message: Message, language: Language, count: Content): string =>
  typeof message === 'string' ? message : pluralOf(message, language, count);

const localized = (language: Language, value: Content): Content =>
  typeof value === 'number' ? formatNumber(language, value) : apart(language, value);

/** What may turn the direction of the text around it, in a text of each direction. */
const turning = {
  ltr: /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u,
  rtl: /[^\d.,\s]/,
};

/** Sets apart what may run the other way than the text that it is put into (UAX #9), unless its own <bdi> does. */
function apart(language: Language, value: Content): Content {
  const { text } = html`${value}`;
  if (text.includes('<bdi') || !turning[directionOf(language)].test(text)) return value;
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

/** What a country is called, by its code (ISO 3166-1 alpha-2). */
export const formatCountry = (language: Language, code: string): string =>
  countryNames(language).of(code) ?? code;

export const formatNumber = (language: Language, value: number): string =>
  numberFormat(language).format(value);

/** All of these, such as “a, b, and c”. */
export const formatList = (language: Language, parts: readonly string[]): string =>
  listFormat(language).format(parts);

/** With few digits: 12,300 as 12.3K. */
export const formatShortNumber = (language: Language, value: number): string =>
  shortNumberFormat(language).format(value);

/** Of a share between 0 and 1. */
export const formatPercent = (language: Language, share: number): string =>
  percentFormat(language).format(share);

/** A day, with its machine-readable form. UTC, as in the API. */
export const formatDay = (language: Language, at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${dayFormat(language).format(at)}</time>`;

/** A point in time. */
export const formatTime = (language: Language, at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${timeFormat(language).format(at)} UTC</time>`;

const spans: [Intl.RelativeTimeFormatUnit, number][] = [
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
  const [unit, length] = spans.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  const text = agoFormat(language).format(
    unit === 'second' ? 0 : Math.trunc(seconds / length),
    unit,
  );
  return html`<time datetime="${at.toISOString()}">${text}</time>`;
}
