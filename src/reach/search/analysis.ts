import { languageOf, type Language } from './languages.ts';

/** Letters that no decomposition turns into plain ones. */
const plain: Record<string, string> = {
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
const unplain = new RegExp(`[${Object.keys(plain).join('')}]`, 'g');

/**
 * Accents of letters whose readers do without them. In other scripts such marks make another letter:
 * Japanese が is no か.
 */
const accents = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Arabic}\p{sc=Hebrew}])\p{M}+/gu;

// oxlint-disable-next-line no-control-regex
const isPlain = /^[\0-\x7f]*$/;

/** Lower case, without accents, and one way of writing for what Unicode can write in several. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  // Most words have nothing more to fold.
  if (isPlain.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(accents, '$1')
    .normalize('NFKC')
    .toLowerCase()
    .replace(unplain, (letter) => plain[letter]!);
}

/** Scripts that put no spaces between words, and Korean, whose words carry their particles. */
const unspaced = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;
const anyUnspaced = new RegExp(`[${unspaced}]`, 'u');
const pieces = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu');

/** Longer ones are no words of any language. */
const longestWord = 60;

/** A piece of text between what is neither letter nor digit. */
export interface Token {
  /** Folded. */
  text: string;
  /** In lower case, with its accents. */
  written: string;
  /** Of a script without spaces: it may hold several words. */
  isRun: boolean;
}

/** What a text consists of, in its order. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const word of text.normalize('NFKC').toLowerCase().match(wordPattern) ?? []) {
    for (const written of anyUnspaced.test(word) ? word.match(pieces)! : [word]) {
      const isRun = anyUnspaced.test(written);
      const folded = fold(written);
      tokens.push({ text: isRun ? folded : folded.slice(0, longestWord), written, isRun });
    }
  }
  return tokens;
}

/** A run's letters by twos, as Chinese and Japanese are searched where nobody knows where words end. */
export function pairsOf(run: string): string[] {
  const letters = Array.from(run);
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, n) => letters[n]! + letter);
}

/** What a token is stored as: of a run also its last letter, so that each begins something. */
export function wordsOfToken({ text, isRun }: Token): string[] {
  const letters = isRun ? Array.from(text) : [];
  return letters.length > 1 ? [...pairsOf(text), letters.at(-1)!] : [text];
}

/** The words of a text in their order. */
export const wordsOf = (text: string): string[] => tokensOf(text).flatMap(wordsOfToken);

/** Stems are asked for again and again. */
const stems = new Map<Language, Map<string, string[]>>();
const mostStems = 50_000;

/**
 * The folded stems of a word as it is written and of one without its accents: some people leave them out,
 * and rules of stemming go by them.
 */
export function stemsOf(written: string, language: Language): string[] {
  let known = stems.get(language);
  if (!known || known.size > mostStems) stems.set(language, (known = new Map()));
  let found = known.get(written);
  if (!found) {
    const folded = fold(written).slice(0, longestWord);
    const both = [written.slice(0, longestWord), folded].map((word) => fold(language.stem(word)));
    // Some stemmers leave nothing of a short word.
    found = [...new Set(both.map((stem) => stem.trim() || folded))];
    known.set(written, found);
  }
  return found;
}

const stopWords = new Map<Language, Set<string>>();

/** Whether the folded word says nothing by itself in that language. */
export function isStopWord(word: string, language: Language): boolean {
  let words = stopWords.get(language);
  if (!words) {
    stopWords.set(language, (words = new Set(language.stopWords.flatMap((one) => wordsOf(one)))));
  }
  return words.has(word);
}

export { languageOf, type Language };
