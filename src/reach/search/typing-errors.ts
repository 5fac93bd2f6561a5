/** In letters. Shorter words have too many neighbours to guess from. */
const minLength = 4;
const maxLength = 30;
/** Letters of the prefixes by which neighbours of a word are looked up. */
const prefixLengths = [7, 5] as const;

/** Whether the word can be corrected, and be a correction. Numbers cannot. */
export const isCorrectable = (word: string): boolean =>
  word.length >= minLength && word.length <= maxLength && /^\p{L}+$/u.test(word);

/**
 * The variants that `search_words` keeps of a word: its prefixes, whole and without any one letter. Two words that
 * differ by a missing, superfluous, wrong or swapped letter share a variant (as in SymSpell).
 */
export const variantsOf = (word: string): string[] => variantsBy(word, prefixLengths);

/** The variants by which a typed word is looked up. A long word needs no short prefix, which many words share. */
export const variantsTyped = (word: string): string[] =>
  variantsBy(word, word.length < prefixLengths[0] ? prefixLengths : [prefixLengths[0]]);

function variantsBy(word: string, lengths: readonly number[]): string[] {
  const variants = new Set<string>();
  for (const length of lengths) {
    const prefix = word.slice(0, length);
    variants.add(prefix);
    for (let n = 0; n < prefix.length; n += 1) {
      variants.add(prefix.slice(0, n) + prefix.slice(n + 1));
    }
  }
  return [...variants];
}

/** Whether two words differ by at most one typing error. */
export function isNear(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  const rest = short.slice(start);
  if (short.length < long.length) return rest === long.slice(start + 1);
  return (
    rest.slice(1) === long.slice(start + 1) ||
    (rest[0] === long[start + 1] &&
      rest[1] === long[start] &&
      rest.slice(2) === long.slice(start + 2))
  );
}

/** Whether a prefix of the word differs from what was typed by at most one error. */
export const isNearPrefix = (typed: string, word: string): boolean =>
  [-1, 0, 1].some((more) => isNear(typed, word.slice(0, typed.length + more)));
