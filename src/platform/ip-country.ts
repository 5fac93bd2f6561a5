import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Reader, type Response } from 'maxmind';

const file = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';

type Country = Response & { country_code: string };
/** The data never change while the process runs, so all that asks shares one copy (8 MB). */
let reader: Reader<Country> | undefined;

/** Reads the data, so that the first caller need not wait for it. */
export function loadIpCountries(): Reader<Country> {
  reader ??= new Reader(readFileSync(fileURLToPath(import.meta.resolve(file))));
  return reader;
}

/** The country that an address is registered in (ISO 3166-1 alpha-2), where that is known; offline. */
export const countryOfAddress = (address: string): string | null =>
  loadIpCountries().get(address)?.country_code ?? null;
