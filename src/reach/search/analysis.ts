import { unifyCharacters } from '../../platform/characters.ts';
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
const anyUnspaced = new RegExp(`[${unspaced}]`, 'u');
const runs = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu');

/** The zero-width non-joiner stands between parts of a word where others write nothing, a space or a hyphen. */
const nonJoiner = '\u200c';
const wordPattern = new RegExp(String.raw`(?<=(['\-${nonJoiner}]?))[\p{L}\p{N}\p{M}]+`, 'gu');
/** Has neither width nor meaning inside a word. The zero-width space ends a word. */
const invisible = /[\p{Default_Ignorable_Code_Point}--[\u200b\u200c]]/gv;

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
  /** Follows the token before it in the same compound after an apostrophe. */
  isAfterApostrophe: boolean;
}

/** Tokens that only apostrophes or hyphens separate (l'école, e-mail); others stand alone. */
export type Compound = Token[];

export function compoundsOf(text: string): Compound[] {
  const compounds: Compound[] = [];
  const plain = unifyCharacters(text.replace(invisible, '')).toLowerCase();
  let end = -1;
  for (const { 0: word, 1: joint = '', index } of plain.matchAll(wordPattern)) {
    const isAdjacent = joint !== '' && index - joint.length === end;
    const pieces = anyUnspaced.test(word) ? word.match(runs)! : [word];
    for (const [n, written] of pieces.entries()) {
      const isRun = anyUnspaced.test(written);
      const folded = fold(written);
      const token = {
        text: isRun ? folded : folded.slice(0, maxWordLength),
        written,
        isRun,
        isAfterApostrophe: false,
      };
      const compound = compounds.at(-1);
      if (n === 0 && isAdjacent && compound && areJoined(compound.at(-1)!, joint, token)) {
        compound.push({ ...token, isAfterApostrophe: joint === "'" });
      } else {
        compounds.push([token]);
      }
    }
    end = index + word.length;
  }
  return compounds;
}

/** A hyphen between digits is a range. */
const areJoined = (before: Token, joint: string, token: Token): boolean =>
  !before.isRun &&
  !token.isRun &&
  !(joint === '-' && /\p{N}$/u.test(before.written) && /^\p{N}/u.test(token.written));

export const tokensOf = (text: string): Token[] => compoundsOf(text).flat();

/** Neighbouring tokens of a compound, written as one word. */
export interface JoinedWord {
  /** Folded. */
  word: string;
  /** In lower case, with accents. */
  written: string;
  /** The first and the last token. */
  first: number;
  last: number;
}

/** A compound of more tokens has only its pairs joined. */
const maxJoined = 4;

/** The words that people write who leave out apostrophes or hyphens: dont, lecole, email. */
export function joinedWordsOf(compound: Compound): JoinedWord[] {
  const length = compound.length > maxJoined ? 2 : compound.length;
  return compound.flatMap((_, first) =>
    compound.slice(first + 1, first + length).map((_last, n) => {
      const last = first + 1 + n;
      const parts = compound.slice(first, last + 1);
      const written = parts.map((token) => token.written).join('');
      return { word: fold(written).slice(0, maxWordLength), written, first, last };
    }),
  );
}

/** Words that lose their vowel before another word, in French, Italian and Catalan: l'école is école, too. */
const elided = new Set(
  'c d j l m n s t qu jusqu lorsqu puisqu quoiqu all coll dall dell gl nell quell quest sull un'.split(
    ' ',
  ),
);

/** A token as a word to search for, and the joined words that may be written instead. */
export interface SearchedWord {
  token: Token;
  joined: JoinedWord[];
}

/** The tokens that are searched: without elided words and the English 's, which others leave out or write otherwise. */
export function searchedWordsOf(compound: Compound): SearchedWord[] {
  const all = joinedWordsOf(compound);
  const words = compound.map((token, n) => ({
    token,
    joined: all.filter(({ first, last }) => first <= n && n <= last),
  }));
  const significant = words.filter(({ token }, n) => {
    const isElided = elided.has(token.text) && compound[n + 1]?.isAfterApostrophe;
    return !isElided && !(token.text === 's' && token.isAfterApostrophe);
  });
  return significant.length > 0 ? significant : words;
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

/** The words by which a text is found. */
export const wordsOf = (text: string): string[] =>
  compoundsOf(text).flatMap((compound) => [
    ...compound.flatMap(wordsOfToken),
    ...joinedWordsOf(compound).map(({ word }) => word),
  ]);

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

/** A stop word without its apostrophe is one if it is a negation: dont. Others are words of their own: shell, well. */
function stopWordsOf(stopWord: string): string[] {
  const compounds = compoundsOf(stopWord);
  const negations = compounds.filter((compound) => {
    const last = compound.at(-1)!;
    return last.text === 't' && last.isAfterApostrophe;
  });
  return [
    ...compounds.flat().flatMap(wordsOfToken),
    ...negations.flatMap(joinedWordsOf).map(({ word }) => word),
  ];
}

const stopWords = new Map<Language, Set<string>>();

/** Whether a folded word is a stop word of the language. */
export function isStopWord(word: string, language: Language): boolean {
  const words = stopWords.getOrInsertComputed(
    language,
    () => new Set(language.stopWords.flatMap(stopWordsOf)),
  );
  return words.has(word);
}
