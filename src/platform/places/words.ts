import { foldName } from './names.ts';
import { ignoredWords, noPlaces } from './habits.ts';

/**
 * What stands before a word: a space, a hyphen or full stop, a bracket or slash, which may be part of a name as in
 * Frankfurt (Oder), or a sign that separates names.
 */
export const [space, joint, bracket, separator] = [0, 1, 2, 3];

/** A word of a text, or a letter of a script that writes no spaces. */
export interface Word {
  text: string;
  before: number;
  /** Needs no explanation: a number, a preposition, an article, a kind of area. */
  isIgnored: boolean;
  /** Names no place by itself: Earth, home. */
  isNoPlace: boolean;
}

/** Texts of places have fewer words. */
const maxWords = 16;

const foldedWords = (text: string) => new Set(text.split(/\s+/).map(foldName).filter(Boolean));
const ignored = foldedWords(ignoredWords);
const places = foldedWords(noPlaces);

/** A letter of the alphabet is said with the next ones where dots stand between: U.S., D.C. */
const dotted = /(?<![\p{L}\p{N}])(?:\p{L}\.\s?){1,4}\p{L}(?:\.|(?![\p{L}\p{N}]))/gu;
const flag = /[\u{1f1e6}-\u{1f1ff}]{2}/gu;
/** A regional indicator becomes its letter: its second UTF-16 unit counts from 0xdde6. */
const flagLetters = (letters: string) =>
  String.fromCharCode(...[1, 3].map((index) => letters.charCodeAt(index) - 0xdd_e6 + 65));

const token =
  /(?<letter>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー])|(?<word>[\p{L}\p{M}\p{N}'’ʼʻ`]+)|(?<joint>[-‐‑.])|(?<bracket>[(/])|(?<separator>[^\s\p{L}\p{M}\p{N}])/gu;

/** Splits a text into words. Flags become the codes of their countries, between separators. */
export function wordsOf(text: string): Word[] {
  const plain = text
    .normalize('NFC')
    .replace(flag, (letters) => `,${flagLetters(letters)},`)
    .replace(/\p{Extended_Pictographic}/gu, ' ')
    .replace(/\u200d|\ufe0f|\u200e|\u200f/gu, '')
    .replace(dotted, (letters) => letters.replaceAll(/[.\s]/g, '').toUpperCase());
  const words: Word[] = [];
  let before = separator;
  for (const { groups } of plain.matchAll(token)) {
    const {
      letter,
      word,
      joint: joins,
      bracket: opens,
    } = groups as Record<string, string | undefined>;
    const name = letter ?? word;
    if (name === undefined) {
      before = Math.max(before, joins ? joint : opens ? bracket : separator);
      continue;
    }
    words.push({ text: name, before: words.length === 0 ? separator : before, ...kindOf(name) });
    if (words.length === maxWords) break;
    before = space;
  }
  return words;
}

function kindOf(text: string): Pick<Word, 'isIgnored' | 'isNoPlace'> {
  const folded = foldName(text);
  return {
    isIgnored:
      folded === '' ||
      /\p{N}/u.test(text) ||
      (folded.length === 1 && !/\p{Lo}/u.test(text)) ||
      ignored.has(folded),
    isNoPlace: places.has(folded),
  };
}
