import { readCities, type Cities } from './cities.ts';
import { readCountryNames } from './countries.ts';
import { readCounties, type County } from './counties.ts';
import { habits } from './habits.ts';
import { addValue, foldName } from './names.ts';
import { readAreas, type Area, type Areas } from './regions.ts';

/** All names of places. */
export interface KnownNames {
  cities: Cities;
  areas: Areas;
  /** By folded name; several countries may have one. */
  countries: Map<string, string[]>;
  counties: Map<string, County[]>;
  /** Abbreviations, in capitals. */
  countryCodes: Map<string, string[]>;
  regionCodes: Map<string, Area[]>;
  /** Islands, former regions and landscapes, by folded name: the regions that hold them. */
  parts: Map<string, Area[]>;
  cityCodes: Map<string, number[]>;
  /** Nicknames of cities by folded name: numbers of cities. */
  cityNames: Map<string, number[]>;
  /** Countries by the letters before a postcode. */
  postcodeLetters: Map<string, string>;
}

const isAbbreviation = (name: string) => /^\p{Lu}{2,5}$/u.test(name);

/** The key of a name in the maps: digits count if there are any, as in 9ja. */
export const keyOf = (name: string): string =>
  /\p{N}/u.test(name) ? name.toLowerCase() : foldName(name);

/** Reads GeoNames, CLDR and the habits. Measured: 1.1 s, and 22 MB of memory. */
export function readNames(): KnownNames {
  const cities = readCities();
  const areas = readAreas(cities);
  const known: KnownNames = {
    cities,
    areas,
    countries: readCountryNames(
      (name, country) => largestNamed(cities, country, name) !== undefined,
    ),
    counties: readCounties(cities),
    countryCodes: new Map(),
    regionCodes: areas.regionsByCode,
    parts: new Map(),
    cityCodes: new Map(),
    cityNames: new Map(),
    postcodeLetters: new Map(),
  };
  for (const [country, habit] of Object.entries(habits)) addHabits(known, country, habit);
  for (const path of areas.byPath.keys()) {
    if (path.length === 2) addValue(known.countryCodes, path, path);
  }
  return known;
}

function addHabits(
  known: KnownNames,
  country: string,
  { names = '', regions = '', cities = '', postcodeLetters = '' }: (typeof habits)[string],
): void {
  for (const name of listOf(names)) {
    if (isAbbreviation(name)) addValue(known.countryCodes, name, country);
    else addValue(known.countries, keyOf(name), country);
  }
  for (const [official, others] of pairsOf(regions)) {
    const region = known.areas.named(country, official);
    if (!region) throw new Error(`${country} has no region ${official}.`);
    for (const name of others) {
      if (isAbbreviation(name)) addValue(known.regionCodes, name, region);
      else if (name.startsWith('~')) addValue(known.parts, keyOf(name), region);
      else addValue(known.areas.regionsNamed, foldName(name), region);
    }
  }
  for (const [official, others] of pairsOf(cities)) {
    const city = largestNamed(known.cities, country, official);
    if (city === undefined) throw new Error(`${country} has no city ${official}.`);
    for (const name of others) {
      if (isAbbreviation(name)) addValue(known.cityCodes, name, city);
      else addValue(known.cityNames, foldName(name), city);
    }
  }
  for (const letters of listOf(postcodeLetters)) known.postcodeLetters.set(letters, country);
}

const listOf = (list: string) =>
  list
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

/** Reads "official = other, other; …". A comma before the equals sign is part of the name. */
const pairsOf = (list: string): [string, string[]][] =>
  list
    .split(';')
    .map((pair) => pair.split('=', 2) as [string, string | undefined])
    .filter(([official]) => official.trim())
    .map(([official, others = '']) => [official.trim(), listOf(others)]);

function largestNamed(cities: Cities, country: string, name: string): number | undefined {
  let largest: number | undefined;
  cities.named(name, (city, isAlternate) => {
    if (isAlternate) return;
    const isThere = cities.regions[cities.regionOf[city]!]!.startsWith(`${country}.`);
    const more =
      cities.populations[city]! > (largest === undefined ? -1 : cities.populations[largest]!);
    if (isThere && more) largest = city;
  });
  return largest;
}
