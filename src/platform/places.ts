import { LRUCache } from 'lru-cache';
import { readCities } from './places/cities.ts';
import { countryName, readCountryNames } from './places/countries.ts';
import { findPlace, type Gazetteer } from './places/finding.ts';
import { readAreas } from './places/regions.ts';

/** A place, with empty texts for what is finer than it is. */
export interface PlaceDescription {
  /** Of ISO 3166-1, in capitals. */
  countryCode: string;
  country: string;
  region: string;
  city: string;
  lat: number;
  lng: number;
}

let gazetteer: Gazetteer | undefined;

/**
 * Reads the data, so that the first caller need not wait. They never change while the process runs, so all
 * that asks shares one copy. Measured on a busy machine with 2 cores: 0.5 s, and 12 MB that stay.
 */
export function loadPlaces(): Gazetteer {
  if (gazetteer) return gazetteer;
  const cities = readCities();
  gazetteer = { cities, areas: readAreas(cities), countries: readCountryNames() };
  return gazetteer;
}

const found = new LRUCache<string, string>({ max: 10_000 });

/**
 * The name of the place that a free text means: a path of country, region and city, such as
 * GB.ENG.2644688, whose beginnings are the areas around it. What is finer than a city is passed over. Of
 * places with one name, what else the text says decides, then the country that is given, then size. A text
 * that names no place is of that country. Measured: some 5 µs, 0.3 µs where it was asked before.
 */
export function canonicalPlace(
  text: string | null,
  { country }: { country: string | null },
): string | null {
  if (!text) return country;
  const key = `${country}|${text}`;
  let place = found.get(key);
  if (place === undefined) {
    place = findPlace(loadPlaces(), text, country) ?? country ?? '';
    found.set(key, place);
  }
  return place || null;
}

const described = new LRUCache<string, PlaceDescription>({ max: 10_000 });

/** What a place is called, in English or as its people write it, and where it is. */
export function describePlace(path: string): PlaceDescription {
  let description = described.get(path);
  if (!description) described.set(path, (description = describe(path)));
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

/** The path without its finest part: the region of a city, the country of a region; none of a country. */
export const placeAround = (path: string): string | undefined =>
  path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : undefined;
