import type { Pool } from '../../src/platform/db.ts';
import { placeCount, placeName } from './search-world.ts';

/** Requests of each kind. */
export const requests = 400;

/** Queries of one kind. */
export interface Kind {
  name: string;
  queries: Record<string, string>[];
  /** A tsquery for each query, to rank and count every match. */
  plain?: string[];
}

/** A different word for each number. */
export const rareWord = (n: number) => placeName((n * 397) % placeCount);

export interface Words {
  rare: string[];
  middling: string[];
  common: string[];
}

/** Words of titles by how many documents have them, as estimated by the sample. */
export async function wordsByFrequency(db: Pool): Promise<Words> {
  const rows = await db`
    select word, ndoc::float8 / (select count(*) from search_sample) as share
    from ts_stat('select document from search_sample')
    where word ~ '^[a-z]{4,}$' and word in (select word from search_words)
    order by md5(word)`;
  const between = (min: number, max: number) =>
    rows.filter(({ share }) => share >= min && share < max).map(({ word }) => word as string);
  return {
    rare: Array.from({ length: requests }, (_, n) => rareWord(2 * n)),
    middling: between(0.001, 0.02),
    common: between(0.03, 1),
  };
}

/** The values in turn, one for each request. */
const some = <T>(values: T[]): T[] =>
  Array.from({ length: requests }, (_, n) => values[n % values.length]!);

export function kindsOf({ rare, middling, common }: Words): Kind[] {
  const filters: Record<string, string>[] = [
    { status: 'closed' },
    { country: 'DE' },
    { country: 'MT' },
    { tag: 'topic 7' },
    { status: 'active', country: 'GB' },
  ];
  const filtered = (words: string[]) =>
    some(words).map((q, n) => ({ q, ...filters[n % filters.length] }));
  const asWords = (words: string[]) => some(words).map((q) => ({ q }));
  const sorted = (words: string[], sort: string) => some(words).map((q) => ({ q, sort }));
  const pairs = (one: string[], other: string[]) =>
    some(one).map((word, n) => ({ q: `${word} ${other[(n * 7) % other.length]}` }));
  const plain = (words: string[]) => some(words).map((word) => `'${word}'`);
  return [
    { name: 'a rare word', queries: asWords(rare), plain: plain(rare) },
    {
      name: 'a middling word (0.1 to 2% of all)',
      queries: asWords(middling),
      plain: plain(middling),
    },
    { name: 'a common word (3% and more)', queries: asWords(common), plain: plain(common) },
    { name: '"park", in a third of all', queries: asWords(['park']), plain: plain(['park']) },
    { name: 'a rare word, filtered', queries: filtered(rare) },
    { name: 'a middling word, filtered', queries: filtered(middling) },
    { name: 'a common word, filtered', queries: filtered(common) },
    { name: '"park", filtered', queries: filtered(['park']) },
    { name: 'filters alone', queries: some(filters) },
    { name: 'everything', queries: some([{}]) },
    ...['recent', 'signatures', 'trending'].flatMap((sort) => [
      { name: `a middling word, ${sort}`, queries: sorted(middling, sort) },
      { name: `"park", ${sort}`, queries: sorted(['park'], sort) },
    ]),
    { name: 'two common words', queries: pairs(common, common) },
    { name: 'a common and a middling word', queries: pairs(common, middling) },
    {
      name: 'a phrase of a middling and a common word',
      queries: pairs(middling, common).map(({ q }) => ({ q: `"${q}"` })),
    },
    {
      name: 'a rare word, misspelt',
      queries: some(rare).map((word) => ({ q: `${word.slice(0, 3)}x${word.slice(4)}` })),
    },
  ];
}

export function suggestionsOf({ rare, middling, common }: Words): Kind[] {
  const cut = (words: string[], letters: number) =>
    some(words).map((word) => ({ q: word.slice(0, letters) }));
  return [
    { name: '2 letters', queries: cut([...common, ...middling], 2) },
    { name: '4 letters', queries: cut([...common, ...middling], 4) },
    { name: 'whole words', queries: cut(middling, 30) },
    { name: '6 letters of a rare word', queries: cut(rare, 6) },
    {
      name: 'a misspelt word',
      queries: some(middling).map((word) => ({ q: `${word.slice(0, 2)}${word.slice(3)}` })),
    },
  ];
}
