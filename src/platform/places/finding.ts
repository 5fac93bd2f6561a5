import { LRUCache } from 'lru-cache';
import { mainLanguage } from './countries.ts';
import { readNames, type KnownNames } from './known-names.ts';
import { readingsOf, type Reading } from './readings.ts';
import { bracket, wordsOf, type Word } from './words.ts';

let loaded: KnownNames | undefined;

/**
 * Loads the data ahead of the first lookup. All callers share them, since they never change. Measured on a busy
 * machine with 2 cores: 1.2 s, and 22 MB of memory.
 */
export function loadPlaces(): KnownNames {
  loaded ??= readNames();
  return loaded;
}

const knownPlaces = new LRUCache<string, string>({ max: 30_000 });

/** What else is known of whoever wrote the text. */
export interface PlaceHints {
  /** The country of the address. */
  country: string | null;
  /** The language of the petition. It counts where the country is not known, but for English, which is written everywhere. */
  language?: string | null;
}

/**
 * Finds the place that a free text names, as a path of country, region and city: GB.ENG.2644688. Prefixes of the path
 * are the surrounding areas. Ignores anything below a city. Among places with one name, the rest of the text decides,
 * then the hints, then size; if they are of about one size, none is meant. Returns `country` for a text that names no
 * place.
 */
export function canonicalPlace(
  text: string | null,
  { country, language = null }: PlaceHints,
): string | null {
  if (!text) return country;
  // Countries are in capitals, languages are not.
  const hint = country ?? (language === 'en' ? null : language);
  const key = `${hint}|${text}`;
  let place = knownPlaces.get(key);
  if (place === undefined) {
    place = findPlace(loadPlaces(), text, hint) ?? country ?? '';
    knownPlaces.set(key, place);
  }
  return place || null;
}

/** A reading with the others that agree with it. */
interface Candidate extends Reading {
  /** The words that it explains together with those. */
  explained: number;
  /** The areas around it that the text names. */
  areas: Reading[];
  weight: number;
}

/** Places in the hinted country weigh as much as places that are this many times larger. */
const hintFactor = 50;
/** The same of places where most people use the hinted language. */
const languageFactor = 10;
/** Alternate names weigh less: they are often transcriptions of other names. */
const alternateFactor = 0.1;
/** The larger of two places of one name is meant if it is so many times larger. */
const clearFactor = 1.6;
/** Of two places with other names, the larger one is meant if it is so many times larger. */
const otherFactor = 20;
/** A smaller city is not meant unless more speaks for it: many words are names of villages. */
const minPopulationAlone = 10_000;
/** A city is recognized among unknown words if it is so large. */
const minPopulationAmongOthers = 400_000;
/** A city that has the name of its region is meant if it is so large. */
const [minPopulationOfNamesake, minPopulationOfOwnName] = [50_000, 15_000];

/** Finds the path of the place that a text names; undefined if there is none. `hint` is its probable country or language. */
function findPlace(names: KnownNames, text: string, hint: string | null): string | undefined {
  const words = wordsOf(text);
  if (words.length === 0) return undefined;
  const readings = readingsOf(names, words);
  const areas = readings
    .filter(({ kind }) => kind !== 'city')
    .toSorted((a, b) => b.count - a.count);
  const cityWords = new Map<string, number>();
  for (const { kind, path, words: mask } of readings) {
    if (kind === 'city') cityWords.set(path, (cityWords.get(path) ?? 0) | mask);
  }
  const candidates = readings
    .map((reading) => supported(reading, areas, cityWords, hint))
    .filter((candidate) => isAccepted(candidate, words, hint));
  return best(candidates, words, hint);
}

/** Whether the area of one reading holds the place of another one. */
const holds = (area: Reading, place: Reading): boolean =>
  area.kind === 'county'
    ? (place.kind === 'city' || place.kind === 'county') &&
      area.county === place.county &&
      place.path.startsWith(area.path)
    : place.path === area.path || place.path.startsWith(`${area.path}.`);

/**
 * Collects what the text says of the place beside its name. `cityWords` are all words that name a city: both names of
 * Biel/Bienne.
 */
function supported(
  reading: Reading,
  areas: readonly Reading[],
  cityWords: ReadonlyMap<string, number>,
  hint: string | null,
): Candidate {
  let explained = reading.words;
  const around: Reading[] = [];
  for (const area of areas) {
    if ((area.words & explained) !== 0 || !holds(area, reading)) continue;
    explained |= area.words;
    around.push(area);
  }
  if (reading.kind === 'city') explained |= cityWords.get(reading.path)!;
  const weight =
    (reading.population + 1) *
    factorOf(reading.path.slice(0, 2), hint) *
    (reading.isAlternate ? alternateFactor : 1);
  return { ...reading, explained, areas: around, weight };
}

function factorOf(country: string, hint: string | null): number {
  if (hint === null) return 1;
  if (country === hint) return hintFactor;
  return mainLanguage(country) === hint ? languageFactor : 1;
}

const has = (mask: number, index: number) => (mask & (1 << index)) !== 0;

/** Whether enough speaks for the candidate: what else the text says, its size, and how it is written. */
function isAccepted(candidate: Candidate, words: readonly Word[], hint: string | null): boolean {
  const { kind, path, population, areas, explained, isAbbreviation, isAlternate } = candidate;
  const own = words.findIndex((_, index) => has(candidate.words, index));
  const strays = straysAround(own, words, explained);
  const isSupported =
    areas.some((area) => !area.isAbbreviation) || (areas.length > 0 && strays === 0);
  if (isSupported) return true;
  if (candidate.isNoPlace) return false;
  const isHinted = path.slice(0, 2) === hint;
  if (strays > 0) {
    if (isAbbreviation) return false;
    if (kind === 'city')
      return (
        population >= minPopulationAmongOthers &&
        isName(candidate, words) &&
        isLong(candidate, words) &&
        (!isAlternate || strays < 2)
      );
    return kind !== 'county' && isName(candidate, words) && isLong(candidate, words);
  }
  if (isAbbreviation)
    return (
      kind === 'country' || isHinted || kind === 'region' || population >= minPopulationAmongOthers
    );
  if (kind === 'city') {
    return (
      population >= (isHinted ? 1 : minPopulationAlone) &&
      (isLong(candidate, words) ||
        isName(candidate, words) ||
        population >= minPopulationAmongOthers)
    );
  }
  return kind !== 'county' || isHinted || population >= minPopulationOfNamesake;
}

/** Whether the words are written as a name is: not in small letters, where the script has them. */
function isName({ words: mask }: Reading, words: readonly Word[]): boolean {
  const text = textOf(mask, words);
  return /^(?:\p{Lu}|[^\p{Lu}\p{Ll}])/u.test(text);
}

const isLong = ({ words: mask }: Reading, words: readonly Word[]) =>
  /\p{Lo}|.{4}/u.test(textOf(mask, words));

const textOf = (mask: number, words: readonly Word[]) =>
  words
    .filter((_, index) => has(mask, index))
    .map((word) => word.text)
    .join(' ');

/** Counts the unexplained words that stand with a word, between the same separators. */
function straysAround(at: number, words: readonly Word[], explained: number): number {
  let from = at;
  while (from > 0 && words[from]!.before < bracket) from -= 1;
  let count = 0;
  for (let index = from; index < words.length; index += 1) {
    if (index > from && words[index]!.before >= bracket) break;
    if (isStray(words[index]!, index, explained)) count += 1;
  }
  return count;
}

const isStray = ({ isIgnored }: Word, index: number, explained: number) =>
  !isIgnored && !has(explained, index);

const countStrays = (words: readonly Word[], explained: number) =>
  words.filter((word, index) => !word.isNoPlace && isStray(word, index, explained)).length;

const countBits = (mask: number) => {
  let count = 0;
  for (let rest = mask; rest > 0; rest &= rest - 1) count += 1;
  return count;
};

/** Returns the path of the candidate for which most speaks; undefined if two are about equal. */
function best(
  candidates: readonly Candidate[],
  words: readonly Word[],
  hint: string | null,
): string | undefined {
  const ranked = candidates
    .map((candidate) => ({
      candidate,
      strays: countStrays(words, candidate.explained),
      explained: countBits(candidate.explained),
      rank: rankOf(candidate, hint),
    }))
    .toSorted(
      (a, b) =>
        a.strays - b.strays ||
        b.explained - a.explained ||
        b.rank - a.rank ||
        b.candidate.weight - a.candidate.weight,
    );
  const first = ranked[0];
  if (!first) return undefined;
  let chosen = first.candidate;
  const equals = ranked
    .filter(
      ({ strays, explained, rank }) =>
        strays === first.strays && explained === first.explained && rank === first.rank,
    )
    .map(({ candidate }) => candidate);
  const city = cityOfItsRegion(
    chosen,
    ranked.filter(({ strays }) => strays === first.strays).map(({ candidate }) => candidate),
  );
  if (city) chosen = { ...city, weight: chosen.weight };
  const rival = equals.find((one) => !isSame(one, chosen));
  const isElsewhere = rival && (rival.words & chosen.words) === 0;
  if (!rival || chosen.weight >= (isElsewhere ? otherFactor : clearFactor) * rival.weight)
    return chosen.path;
  // Two towns of one region, or of one country.
  if (isElsewhere) return commonPath(chosen.path, rival.path);
  return chosen.areas.find((area) => holds(area, rival) && area.kind !== 'county')?.path;
}

/** The city that has the name of its region: New York and Madrid mean the city. */
const cityOfItsRegion = (region: Candidate, candidates: readonly Candidate[]) =>
  region.kind === 'region' && !region.isPart
    ? candidates.find(
        ({ kind, path, words, population, isAlternate }) =>
          kind === 'city' &&
          path.startsWith(`${region.path}.`) &&
          (words & region.words) !== 0 &&
          population >= (isAlternate ? minPopulationOfNamesake : minPopulationOfOwnName),
      )
    : undefined;

/** Whether one of the places is the other one or lies in it. */
const isSame = (one: Candidate, other: Candidate) =>
  one.path === other.path ||
  one.path.startsWith(`${other.path}.`) ||
  other.path.startsWith(`${one.path}.`);

function commonPath(one: string, other: string): string | undefined {
  const [country, region] = one.split('.');
  if (other.startsWith(`${country}.${region}.`)) return `${country}.${region}`;
  return other.startsWith(`${country}.`) ? country : undefined;
}

/** A country stands before towns of its name, except for one of the hinted country; counties stand behind. */
function rankOf({ kind, path, areas, isAbbreviation }: Candidate, hint: string | null): number {
  if (kind === 'county') return 0;
  if (areas.length > 0) return 1;
  if (kind === 'region' && path.startsWith(`${hint}.`)) return 3;
  if (kind === 'country') return 2;
  // LA is more often a city than Laos.
  if (kind === 'city' && isAbbreviation) return 2.5;
  return 1;
}
