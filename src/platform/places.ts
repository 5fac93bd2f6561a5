import { LRUCache } from 'lru-cache';
import { countryName } from './places/countries.ts';
import { loadPlaces } from './places/finding.ts';

export { canonicalPlace, loadPlaces, type PlaceHints } from './places/finding.ts';
export { suggestPlaces } from './places/suggesting.ts';

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
