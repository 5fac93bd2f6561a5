import { LRUCache } from 'lru-cache';
import { readCities } from './places/cities.ts';
import { countryName, readCountryNames } from './places/countries.ts';
import { findPlace, type Gazetteer } from './places/finding.ts';
import { readAreas } from './places/regions.ts';

/** A place. The parts below its level are empty. */
export interface PlaceDescription {
  /** ISO 3166-1 alpha-2, in capitals. */
  countryCode: string;
  country: string;
  region: string;
  city: string;
  lat: number;
  lng: number;
}

let gazetteer: Gazetteer | undefined;

/**
 * Loads the data ahead of the first lookup. All callers share them, since they never change. Measured on a busy
 * machine with 2 cores: 0.5 s, and 12 MB of memory.
 */
export function loadPlaces(): Gazetteer {
  if (gazetteer) return gazetteer;
  const cities = readCities();
  gazetteer = { cities, areas: readAreas(cities), countries: readCountryNames() };
  return gazetteer;
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

const descriptions = new LRUCache<string, PlaceDescription>({ max: 10_000 });

/** The names of a place, in English or the local language, and its coordinates. */
export function describePlace(path: string): PlaceDescription {
  let description = descriptions.get(path);
  if (!description) descriptions.set(path, (description = describe(path)));
  return description;
}

function describe(path: string): PlaceDescription {
  const { cities, areas } = loadPlaces();
  const [countryCode = '', region = '', id = ''] = path.split('.');
  const city = id ? cities.withId(Number(id)) : undefined;
  const area = areas.byPath.get(`${countryCode}.${region}`) ?? areas.byPath.get(countryCode);
  const rounded = (degrees = 0) => Math.round(degrees * 10_000) / 10_000;
  return {
    countryCode,
    country: countryName(countryCode),
    region: areas.byPath.get(`${countryCode}.${region}`)?.name ?? '',
    city: city === undefined ? '' : cities.nameOf(city),
    lat: rounded(city === undefined ? area?.lat : cities.latitudes[city]),
    lng: rounded(city === undefined ? area?.lng : cities.longitudes[city]),
  };
}

/** The parent path: the region of a city, the country of a region, undefined for a country. */
export const parentPlace = (path: string): string | undefined =>
  path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : undefined;
