import { createHash } from 'node:crypto';

export type Half = 'first' | 'second';

const seed = 60;

/**
 * Returns the half that a spelling belongs to. Rules for reading places are written with the first half and measured
 * with the second. The half depends on the text alone, so added rows move no other row.
 */
export function halfOf(text: string): Half {
  const digest = createHash('sha256').update(`${seed}:${text}`).digest();
  return digest.at(-1)! % 2 === 0 ? 'first' : 'second';
}
