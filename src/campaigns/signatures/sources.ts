import type { Config } from '../../config.ts';

/** Whoever came from no other site: by typing the address, or from a page of this service. */
export const directSource = 'direct';

const longestSource = 60;

/**
 * The name under which visits and signatures from somewhere are counted: the host of an address without
 * www, or a campaign's name, in lower case; null where nothing was told.
 */
export function sourceNamed({ baseUrl }: Pick<Config, 'baseUrl'>, text = ''): string | null {
  const told = text.trim();
  if (told === '') return null;
  const name = (URL.canParse(told) && new URL(told).hostname) || told;
  const tidy = tidied(name);
  return tidy === '' || tidy === tidied(new URL(baseUrl).hostname) ? directSource : tidy;
}

const tidied = (name: string) =>
  Array.from(name.toLowerCase().replace(/^www\./, ''))
    .filter((letter) => /[\p{L}\p{M}\p{N}._\- ]/u.test(letter))
    .slice(0, longestSource)
    .join('')
    .trim();
