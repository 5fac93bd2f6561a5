import type { Cities } from './cities.ts';
import { foldName } from './names.ts';
import type { Area, Areas } from './regions.ts';

export interface Gazetteer {
  cities: Cities;
  areas: Areas;
  /** Codes by folded names. */
  countries: ReadonlyMap<string, string>;
}

/** One of the parts of a text that are divided by commas, and what areas it may name. */
interface Part {
  text: string;
  country: string | undefined;
  regions: Area[];
}

interface Candidate {
  path: string;
  /** How many of the other parts it agrees with. */
  agrees: number;
  /** Of those that agree with as many, the weightiest is meant. */
  weight: number;
}

/** More are no place that somebody wrote by hand. */
const mostParts = 6;
/** A place in the country that is likely anyway is meant, unless another is larger by so much. */
const likelier = 1000;

/**
 * The path of the place that a text means, or undefined where it names none. `hint` is the country in
 * which it probably is.
 */
export function findPlace(
  gazetteer: Gazetteer,
  text: string,
  hint: string | null,
): string | undefined {
  const parts = partsOf(gazetteer, text, hint);
  if (parts.length === 1 && parts[0]!.country) return loneArea(parts[0]!, hint);
  const best = parts
    .flatMap((part) => candidatesOf(gazetteer, parts, part, hint))
    .reduce<Candidate | undefined>((one, other) => (beats(other, one) ? other : one), undefined);
  return best?.path;
}

const beats = (one: Candidate, other: Candidate | undefined) =>
  !other || one.agrees > other.agrees || (one.agrees === other.agrees && one.weight > other.weight);

function partsOf({ areas, countries }: Gazetteer, text: string, hint: string | null): Part[] {
  const texts = text
    .split(/[,،;؛|/()\n]| [-–—] /u)
    .map((part) => part.trim())
    .filter(Boolean)
    .slice(0, mostParts);
  return texts.flatMap((part) => {
    const name = foldName(part);
    if (!name) return [];
    // Alone, two small letters are a word; after a comma they are a code.
    const code = texts.length > 1 ? part.toUpperCase() : part;
    const isCode = /^[A-Z]{2,3}$/.test(code);
    const regions = [
      ...(areas.regionsNamed.get(name) ?? []),
      ...((isCode && areas.regionsNamed.get(code)) || []),
    ];
    const country = countries.get(name) ?? (isCode && areas.byPath.has(code) ? code : undefined);
    return [{ text: part, country, regions: likelyFirst(regions, hint) }];
  });
}

const likelyFirst = (regions: Area[], hint: string | null) =>
  regions.toSorted((a, b) => weigh(b.path, b.population, hint) - weigh(a.path, a.population, hint));

const weigh = (path: string, population: number, hint: string | null) =>
  (population + 1) * (path.slice(0, 2) === hint ? likelier : 1);

/** A text that names a country means it, unless it is also a region of the country that is likely. */
function loneArea({ country, regions }: Part, hint: string | null): string | undefined {
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
    const agrees = agreement(others, path);
    // Who writes New York, or Madrid, means the city.
    const city = within.find((one) => one.agrees >= agrees);
    found.push({ path: city?.path ?? path, agrees, weight: weigh(path, population, hint) });
  }
  // It holds against a namesake elsewhere, not against what agrees with it.
  if (part.country) found.push({ path: part.country, agrees: 0.5, weight: 0 });
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
  cities.named(part.text, (city, further) => {
    const region = cities.regions[cities.regionOf[city]!]!;
    const path = `${region}.${cities.ids[city]}`;
    const weight = weigh(path, cities.populations[city]!, hint) / (further ? 10 : 1);
    found.push({ path, agrees: agreement(others, path), weight });
  });
  return found;
}

const agreement = (others: Part[], path: string) =>
  others.filter(
    ({ country, regions }) =>
      country === path.slice(0, 2) || regions.some((region) => path.startsWith(`${region.path}.`)),
  ).length;
