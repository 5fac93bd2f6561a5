import type { Config } from '../../config.ts';

/** The source of visitors who came from no other site. */
export const directSource = 'direct';

const maxSourceLength = 60;

/**
 * Returns the name under which visits and signatures of a source are counted: the host of a URL without
 * www, or the name of a campaign, in lower case; null for empty text.
 */
export function normalizeSource({ baseUrl }: Pick<Config, 'baseUrl'>, text = ''): string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const name = (URL.canParse(trimmed) && new URL(trimmed).hostname) || trimmed;
  const normalized = normalize(name);
  return normalized === '' || normalized === normalize(new URL(baseUrl).hostname)
    ? directSource
    : normalized;
}

const normalize = (name: string) =>
  Array.from(name.toLowerCase().replace(/^www\./, ''))
    .filter((letter) => /[\p{L}\p{M}\p{N}._\- ]/u.test(letter))
    .slice(0, maxSourceLength)
    .join('')
    .trim();
