import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';

/** A text that somebody wrote for a place, and the place it names. README.md describes the fields. */
export interface Spelling {
  text: string;
  country: string;
  region: string;
  cityId: string;
  city: string;
  source: string;
}

const file = new URL('spellings.csv', import.meta.url);

/** Keeps the white space around texts, which is part of the spelling. */
export const readSpellings = (): Spelling[] =>
  parse<Record<string, string>>(readFileSync(file), { columns: true }).map((row) => ({
    text: row['text']!,
    country: row['country']!,
    region: row['region']!,
    cityId: row['city_id']!,
    city: row['city']!,
    source: row['source']!,
  }));
