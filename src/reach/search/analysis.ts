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

/** Lower case, without accents, and one way of writing for what Unicode can write in several. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  // Most texts have nothing more to fold.
  if (/^[\0-\x7f]*$/.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(accents, '$1')
    .normalize('NFKC')
    .toLowerCase()
    .replace(unplain, (letter) => plain[letter]!);
}

/** Scripts that put no spaces between words, and Korean, whose words carry their particles. */
const unspaced = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const inWords = String.raw`\p{L}\p{N}\p{M}`;
const tokens = new RegExp(
  `(?<run>[[${unspaced}]&&[${inWords}]]+)|[[${inWords}]--[${unspaced}]]+`,
  'gv',
);

/** Longer ones are no words of any language. */
const longestWord = 60;

/** A piece of text between what is neither letter nor digit. */
export interface Token {
  /** Folded. */
  text: string;
  /** Of a script without spaces: it may hold several words. */
  isRun: boolean;
}

/** What a text consists of, folded, in its order. */
export function tokensOf(text: string): Token[] {
  return [...fold(text).matchAll(tokens)].map(({ 0: token, groups }) => {
    const isRun = groups?.run !== undefined;
    return { text: isRun ? token : token.slice(0, longestWord), isRun };
  });
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
const stems = new Map<Language, Map<string, string>>();
const mostStems = 50_000;

/** The stem of a folded word. */
export function stemOf(word: string, language: Language): string {
  let known = stems.get(language);
  if (!known || known.size > mostStems) stems.set(language, (known = new Map()));
  let stem = known.get(word);
  // Some stemmers leave nothing of a short word.
  if (stem === undefined) known.set(word, (stem = fold(language.stem(word)).trim() || word));
  return stem;
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
