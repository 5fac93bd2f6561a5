import { LRUCache } from 'lru-cache';
import { readCities, type Cities } from './cities.ts';
import { readCountryNames } from './countries.ts';
import { foldName } from './names.ts';
import { readAreas, type Area, type Areas } from './regions.ts';

interface Gazetteer {
  cities: Cities;
  areas: Areas;
  /** Country codes by folded name. */
  countries: ReadonlyMap<string, string>;
}

let loaded: Gazetteer | undefined;

/**
 * Loads the data ahead of the first lookup. All callers share them, since they never change. Measured on a busy
 * machine with 2 cores: 0.5 s, and 12 MB of memory.
 */
export function loadPlaces(): Gazetteer {
  if (loaded) return loaded;
  const cities = readCities();
  loaded = { cities, areas: readAreas(cities), countries: readCountryNames() };
  return loaded;
}

const knownPlaces = new LRUCache<string, string>({ max: 10_000 });

/**
 * Finds the place that a free text names, as a path of country, region and city: GB.ENG.2644688. Prefixes of the path
 * are the surrounding areas. Ignores anything below a city. Among places with one name, the rest of the text decides,
 * then `country`, then size. Returns `country` for a text that names no place. Measured: 5 µs, cached 0.3 µs.
 */
export function canonicalPlace(
  text: string | null,
  { country }: { country: string | null },
): string | null {
  if (!text) return country;
  const key = `${country}|${text}`;
  let place = knownPlaces.get(key);
  if (place === undefined) {
    place = findPlace(loadPlaces(), text, country) ?? country ?? '';
    knownPlaces.set(key, place);
  }
  return place || null;
}

/** A part of a text between separators, with the areas that it may name. */
interface Part {
  text: string;
  country: string | undefined;
  regions: Area[];
}

interface Candidate {
  path: string;
  /** Number of other parts that are consistent with it. */
  matches: number;
  /** Decides among candidates with equal `matches`. */
  weight: number;
}

/** Texts of places have fewer parts. */
const maxParts = 6;
/** Places in the hinted country weigh as much as places that are this many times larger. */
const hintFactor = 1000;

/** Finds the path of the place that a text names; undefined if there is none. `hint` is its probable country. */
function findPlace(gazetteer: Gazetteer, text: string, hint: string | null): string | undefined {
  const parts = partsOf(gazetteer, text, hint);
  if (parts.length === 1 && parts[0]!.country) return pathOfCountry(parts[0]!, hint);
  const best = parts
    .flatMap((part) => candidatesOf(gazetteer, parts, part, hint))
    .reduce<Candidate | undefined>((one, other) => (beats(other, one) ? other : one), undefined);
  return best?.path;
}

const beats = (one: Candidate, other: Candidate | undefined) =>
  !other ||
  one.matches > other.matches ||
  (one.matches === other.matches && one.weight > other.weight);

function partsOf({ areas, countries }: Gazetteer, text: string, hint: string | null): Part[] {
  const texts = text
    .split(/[,،;؛|/()\n]| [-–—] /u)
    .map((part) => part.trim())
    .filter(Boolean)
    .slice(0, maxParts);
  return texts.flatMap((part) => {
    const name = foldName(part);
    if (!name) return [];
    // Two small letters are a word if alone, and a code after a comma.
    const code = texts.length > 1 ? part.toUpperCase() : part;
    const isCode = /^[A-Z]{2,3}$/.test(code);
    const regions = [
      ...(areas.regionsNamed.get(name) ?? []),
      ...((isCode && areas.regionsNamed.get(code)) || []),
    ];
    const country = countries.get(name) ?? (isCode && areas.byPath.has(code) ? code : undefined);
    return [{ text: part, country, regions: sortByLikelihood(regions, hint) }];
  });
}

const sortByLikelihood = (regions: Area[], hint: string | null) =>
  regions.toSorted((a, b) => weigh(b.path, b.population, hint) - weigh(a.path, a.population, hint));

const weigh = (path: string, population: number, hint: string | null) =>
  (population + 1) * (path.slice(0, 2) === hint ? hintFactor : 1);

/** The path of a text that names a country only: the country, unless it is also a region of the hinted country. */
function pathOfCountry({ country, regions }: Part, hint: string | null): string | undefined {
  const [region] = regions;
  return region?.path.startsWith(`${hint}.`) ? region.path : country;
}

function candidatesOf(
  gazetteer: Gazetteer,
  parts: Part[],
  part: Part,
  hint: string | null,
): Candidate[] {
  const others = parts.filter((one) => one !== part);
  const found: Candidate[] = citiesOf(gazetteer, others, part, hint);
  for (const { path, population } of part.regions) {
    const within = found.filter((city) => city.path.startsWith(`${path}.`) && !isSmall(city));
    const matches = countMatches(others, path);
    // New York and Madrid mean the city.
    const city = within.find((one) => one.matches >= matches);
    found.push({ path: city?.path ?? path, matches, weight: weigh(path, population, hint) });
  }
  // Preferred to a place of the same name elsewhere, but not to candidates with a match.
  if (part.country) found.push({ path: part.country, matches: 0.5, weight: 0 });
  return found;

  function isSmall(city: Candidate) {
    return city.weight < weigh(city.path, 100_000, hint);
  }
}

function citiesOf(
  { cities }: Gazetteer,
  others: Part[],
  part: Part,
  hint: string | null,
): Candidate[] {
  const found: Candidate[] = [];
  cities.named(part.text, (city, isAlternate) => {
    const region = cities.regions[cities.regionOf[city]!]!;
    const path = `${region}.${cities.ids[city]}`;
    const weight = weigh(path, cities.populations[city]!, hint) / (isAlternate ? 10 : 1);
    found.push({ path, matches: countMatches(others, path), weight });
  });
  return found;
}

const countMatches = (others: Part[], path: string) =>
  others.filter(
    ({ country, regions }) =>
      country === path.slice(0, 2) || regions.some((region) => path.startsWith(`${region.path}.`)),
  ).length;
