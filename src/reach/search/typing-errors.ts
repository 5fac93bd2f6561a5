/** Shorter words have too many neighbours to guess from. */
const shortest = 4;
const longest = 30;
/** Letters of a word's beginning by which its neighbours are looked up; by the fewer, where a short one is begun. */
const beginnings = [7, 5];

/** Whether the word can be mended, and others by it. Numbers are what they are. */
export const isCorrectable = (word: string): boolean =>
  word.length >= shortest && word.length <= longest && /^\p{L}+$/u.test(word);

/**
 * The word's beginnings, as they are and with any one letter left out. Two words between which one letter
 * is missing, superfluous, another, or has changed places with its neighbour have one of these in common.
 */
export const variantsOf = (word: string): string[] => variantsBy(word, beginnings);

/** Those by which a word that somebody typed is looked up: fewer for a long one, as few words share them. */
export const variantsTyped = (word: string): string[] =>
  variantsBy(
    word,
    beginnings.filter((length, n) => n === 0 || word.length < beginnings[0]!),
  );

function variantsBy(word: string, lengths: number[]): string[] {
  const variants = new Set<string>();
  for (const length of lengths) {
    const beginning = word.slice(0, length);
    variants.add(beginning);
    for (let n = 0; n < beginning.length; n += 1) {
      variants.add(beginning.slice(0, n) + beginning.slice(n + 1));
    }
  }
  return [...variants];
}

/** Whether one error of typing, at most, lies between the two. */
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

/** Whether the word begins with what was typed, but for one error. */
export const isNearBeginning = (typed: string, word: string): boolean =>
  [-1, 0, 1].some((more) => isNear(typed, word.slice(0, typed.length + more)));
