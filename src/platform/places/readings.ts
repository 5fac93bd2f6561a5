import { keyOf, type KnownNames } from './known-names.ts';
import { isSyllabic } from './names.ts';
import { bracket, joint, separator, type Word } from './words.ts';

/** A place that some words of the text name. */
export interface Reading {
  path: string;
  kind: 'country' | 'region' | 'county' | 'city';
  /** As in `Cities.countyOf`; undefined for a country or region. */
  county: number | undefined;
  population: number;
  /** The words, as a mask, and how many there are. */
  words: number;
  count: number;
  isAbbreviation: boolean;
  /** An alternate name of a city. */
  isAlternate: boolean;
  /** Part of the region only: an island. */
  isPart: boolean;
  /** A word that is rarely a place: home. */
  isNoPlace: boolean;
}

/** Names have fewer words; in scripts without spaces, fewer letters. */
const [maxNameWords, maxNameLetters] = [6, 10];

/** Finds all places that words of the text name. */
export function readingsOf(names: KnownNames, words: readonly Word[]): Reading[] {
  const readings: Reading[] = [];
  for (const [from, first] of words.entries()) {
    const isLetter = isSyllabic(first.text);
    const last = Math.min(words.length, from + (isLetter ? maxNameLetters : maxNameWords));
    let text = '';
    let mask = 0;
    for (let to = from + 1; to <= last; to += 1) {
      const word = words[to - 1]!;
      const isLonger = to - from > 1;
      // Names do not cross separators, and have no numbers.
      if (isLonger && (word.before === separator || hasDigit(first) || hasDigit(word))) break;
      text += word.text;
      mask |= 1 << (to - 1);
      const span = words.slice(from, to);
      const after = words[to]?.before ?? separator;
      if (span.every(({ isIgnored }) => isIgnored) && !mayBeCode(span, after)) continue;
      const isAlone = words.length === span.length;
      const stands = first.before >= bracket && after >= bracket;
      addNamed(names, readings, { text, span, words: mask, isAlone, stands });
    }
  }
  addPostcodes(names, readings, words);
  return readings;
}

const hasDigit = ({ text }: Word) => /\p{N}/u.test(text);

/** Whether an ignored word may be a code: IN; In between commas; 9ja. */
const mayBeCode = ([word, ...others]: readonly Word[], after: number) =>
  others.length === 0 &&
  (/^[A-Z]{2,5}$|^\d\p{L}+$/u.test(word!.text) || (word!.before >= bracket && after >= bracket));

const plain = {
  county: undefined,
  isAbbreviation: false,
  isAlternate: false,
  isPart: false,
  isNoPlace: false,
};

interface Span {
  text: string;
  span: readonly Word[];
  words: number;
  /** Whether the text has no other words. */
  isAlone: boolean;
  /** Whether it stands between separators. */
  stands: boolean;
}

function addNamed(
  names: KnownNames,
  readings: Reading[],
  { text, span, words, isAlone, stands }: Span,
): void {
  const { cities, areas, counties } = names;
  const isNoPlace =
    span.some((word) => word.isNoPlace) && span.every((word) => word.isNoPlace || word.isIgnored);
  const common = { ...plain, words, count: span.length, isNoPlace };
  const addCountry = (path: string, isAbbreviation: boolean) =>
    readings.push({
      ...common,
      kind: 'country',
      path,
      population: areas.byPath.get(path)?.population ?? 0,
      isAbbreviation,
    });
  const addCity = (city: number, more: { isAlternate?: boolean; isAbbreviation?: boolean }) =>
    readings.push({
      ...common,
      ...more,
      kind: 'city',
      path: `${cities.regions[cities.regionOf[city]!]!}.${cities.ids[city]!}`,
      county: cities.countyOf[city]!,
      population: cities.populations[city]!,
    });
  const isSingle = span.length === 1;
  const name = keyOf(text);
  if (!name) return;
  for (const path of names.countries.get(name) ?? []) addCountry(path, false);
  const isIgnored = span.every((word) => word.isIgnored);
  for (const { path, population } of (!isIgnored && areas.regionsNamed.get(name)) || []) {
    readings.push({ ...common, kind: 'region', path, population });
  }
  for (const { path, population } of names.parts.get(name) ?? []) {
    readings.push({ ...common, kind: 'region', path, population, isPart: true });
  }
  if (isSingle && /^\p{L}{2,5}$/u.test(text)) {
    const code = text.toUpperCase();
    // In small letters, a short word is a code behind something only.
    if (text === code || (!isAlone && (stands || !span[0]!.isIgnored))) {
      for (const path of names.countryCodes.get(code) ?? []) addCountry(path, true);
      for (const { path, population } of names.regionCodes.get(code) ?? []) {
        readings.push({ ...common, kind: 'region', path, population, isAbbreviation: true });
      }
      for (const city of names.cityCodes.get(code) ?? []) addCity(city, { isAbbreviation: true });
    }
  }
  if (isIgnored) return;
  for (const { region: path, number, population } of counties.get(name) ?? []) {
    readings.push({ ...common, kind: 'county', path, county: number, population });
  }
  for (const city of names.cityNames.get(name) ?? []) addCity(city, {});
  cities.named(text, (city, isAlternate) => addCity(city, { isAlternate }));
}

/** Reads the letters before a postcode: D-10115. */
function addPostcodes(names: KnownNames, readings: Reading[], words: readonly Word[]): void {
  for (const [index, { text }] of words.entries()) {
    const next = words[index + 1];
    const country = names.postcodeLetters.get(text);
    if (!country || next?.before !== joint || !/^\d{4,5}$/.test(next.text)) continue;
    const mask = 1 << index;
    readings.push({
      ...plain,
      path: country,
      kind: 'country',
      population: 0,
      words: mask,
      count: 1,
    });
  }
}
