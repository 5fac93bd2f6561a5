import anyAscii from 'any-ascii';
import { randomInt } from 'node:crypto';

/** Paths of the API that a slug must not shadow. */
const reserved = new Set(['export', 'similar', 'global', 'me', 'new', 'search']);

/** ASCII words joined by hyphens, at most 80 characters: 'Où est Zoë?' -> 'ou-est-zoe'. */
export function slugify(text: string, fallback: string): string {
  const words = anyAscii(text.normalize('NFKC'))
    .toLowerCase()
    .replaceAll("'", '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const short =
    words.length > 80 ? words.slice(0, 81).replace(/-?[^-]*$/, '') || words.slice(0, 80) : words;
  return short || fallback;
}

/** Yields the slug, then the slug with random suffixes, to try until one is free. */
export function* slugCandidates(slug: string): Generator<string> {
  // A slug that looks like an id would be mistaken for one.
  if (!reserved.has(slug) && !/^[0-9a-f-]{36}$/.test(slug)) yield slug;
  for (let length = 4; length <= 12; length++) yield `${slug}-${randomSuffix(length)}`;
}

const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const randomSuffix = (length: number) =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** Whether a slug is this one, with or without a random suffix. */
export const isSlugOf = (wanted: string, slug: string): boolean =>
  slug === wanted ||
  (slug.startsWith(`${wanted}-`) && suffixPattern.test(slug.slice(wanted.length + 1)));

const suffixPattern = new RegExp(`^[${alphabet}]{4,12}$`);
