import type { Language } from './languages.ts';

/** Letters that Unicode does not decompose. */
const foldedLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const foldable = new RegExp(`[${Object.keys(foldedLetters).join('')}]`, 'g');

/**
 * Accents in scripts whose readers leave them out. In other scripts such marks make another letter: Japanese が is
 * not か.
 */
const accents = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Arabic}\p{sc=Hebrew}])\p{M}+/gu;

// oxlint-disable-next-line no-control-regex
const isAscii = /^[\0-\x7f]*$/;

/** Lower case, without accents, in one Unicode form. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (isAscii.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(accents, '$1')
    .normalize('NFKC')
    .toLowerCase()
    .replace(foldable, (letter) => foldedLetters[letter]!);
}

/** Scripts without spaces between words, and Korean, whose words carry their particles. */
const unspaced = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;
const anyUnspaced = new RegExp(`[${unspaced}]`, 'u');
const runs = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu');

/** Longer words are cut. */
const maxWordLength = 60;

/** A run of letters and digits. */
export interface Token {
  /** Folded. */
  text: string;
  /** In lower case, with accents. */
  written: string;
  /** In a script without spaces: may hold several words. */
  isRun: boolean;
}

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const word of text.normalize('NFKC').toLowerCase().match(wordPattern) ?? []) {
    for (const written of anyUnspaced.test(word) ? word.match(runs)! : [word]) {
      const isRun = anyUnspaced.test(written);
      const folded = fold(written);
      tokens.push({ text: isRun ? folded : folded.slice(0, maxWordLength), written, isRun });
    }
  }
  return tokens;
}

/** Bigrams of a run, by which Chinese and Japanese are searched without knowing where words end. */
export function pairsOf(run: string): string[] {
  const letters = Array.from(run);
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, n) => letters[n]! + letter);
}

/** The words that a token is indexed as. A run adds its last letter, so that each letter begins a word. */
export function wordsOfToken({ text, isRun }: Token): string[] {
  const letters = isRun ? Array.from(text) : [];
  return letters.length > 1 ? [...pairsOf(text), letters.at(-1)!] : [text];
}

export const wordsOf = (text: string): string[] => tokensOf(text).flatMap(wordsOfToken);

const stemCaches = new Map<Language, Map<string, string[]>>();
const maxCachedStems = 50_000;

/**
 * The folded stems of a word with and without its accents. Stemmers depend on accents, which some people do not
 * type.
 */
export function stemsOf(written: string, language: Language): string[] {
  let cache = stemCaches.get(language);
  if (!cache || cache.size > maxCachedStems) stemCaches.set(language, (cache = new Map()));
  let found = cache.get(written);
  if (!found) {
    const folded = fold(written).slice(0, maxWordLength);
    const stems = [written.slice(0, maxWordLength), folded].map((word) =>
      fold(language.stem(word)),
    );
    // Some stemmers return nothing for a short word.
    found = [...new Set(stems.map((stem) => stem.trim() || folded))];
    cache.set(written, found);
  }
  return found;
}

const stopWords = new Map<Language, Set<string>>();

/** Whether a folded word is a stop word of the language. */
export function isStopWord(word: string, language: Language): boolean {
  const words = stopWords.getOrInsertComputed(
    language,
    () => new Set(language.stopWords.flatMap(wordsOf)),
  );
  return words.has(word);
}
