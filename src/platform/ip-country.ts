import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Reader, type Response } from 'maxmind';

const file = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';

type Country = Response & { country_code: string };
/** Shared by all callers, since the data never change (8 MB). */
let reader: Reader<Country> | undefined;

/** Loads the data ahead of the first lookup. */
export function loadIpCountries(): Reader<Country> {
  reader ??= new Reader(readFileSync(fileURLToPath(import.meta.resolve(file))));
  return reader;
}

/** Looks up, offline, the country of registration of an address (ISO 3166-1 alpha-2); null if it is unknown. */
export const countryOfAddress = (address: string): string | null =>
  loadIpCountries().get(address)?.country_code ?? null;
