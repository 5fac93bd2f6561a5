import { isStopWord, pairsOf, stemsOf, tokensOf, wordsOf, type Token } from './analysis.ts';
import { anyLexeme, quoted, wholeLexeme, type Mark } from './document.ts';
import type { Language } from './languages.ts';

/** One thing that is asked for: a word, or words that stand together. */
export interface Term {
  /** Of a phrase, in their order. */
  words: string[];
  /** The first word, with its accents. */
  written: string;
  isPhrase: boolean;
  isExcluded: boolean;
  /** It may be the beginning of a word. */
  isPrefix: boolean;
  /** Words that it is taken for the beginning of, instead of all. */
  completions?: string[];
}

/** What somebody typed, taken apart. */
export interface ParsedQuery {
  terms: Term[];
  /** As tsquery: titles that consist of all its words. */
  whole: string;
}

const quotes = '"\u201c\u201d\u201e\u201f\u00ab\u00bb';
// A quote that is never closed reaches to the end.
const parts = new RegExp(
  `(?<minus>-?)(?:[${quotes}](?<phrase>[^${quotes}]*)[${quotes}]?|(?<bare>[^\\s${quotes}]+))`,
  'g',
);

/**
 * Takes apart what somebody typed: words, "phrases", and what is excluded by a minus. The last word may
 * be unfinished. Nothing in it is an error: what is no word is passed over.
 */
export function parseQuery(text: string, languages: readonly Language[]): ParsedQuery {
  const terms: Term[] = [];
  for (const { index, groups = {} } of text.matchAll(parts)) {
    const { minus, phrase, bare } = groups;
    // Within a word it is a hyphen.
    const isExcluded = minus === '-' && (index === 0 || /\s/.test(text[index - 1]!));
    const asTerm = (some: Token[], mayBePhrase: boolean) => {
      const words = some.flatMap(wordsOfQuery);
      if (words.length === 0) return;
      const isPhrase = mayBePhrase || words.length > 1;
      terms.push({ words, written: some[0]!.written, isPhrase, isExcluded, isPrefix: false });
    };
    const tokens = tokensOf(phrase ?? bare ?? '');
    if (phrase !== undefined || isExcluded) asTerm(tokens, phrase !== undefined);
    else for (const token of tokens) asTerm([token], token.isRun);
  }
  const last = terms.at(-1);
  const endsInWord = !new RegExp(`[${quotes}]\\s*$`).test(text);
  if (last && endsInWord && !last.isExcluded && last.words.length === 1) {
    last.isPrefix = mayBegin(last.words[0]!);
  }
  const whole = quoted(wholeLexeme(wordsOf(text)));
  return { terms: withoutStopWords(terms, languages), whole };
}

/** Words that a run of letters is found by: its pairs, which need not end where a text's run ends. */
const wordsOfQuery = ({ text, isRun }: Token): string[] => (isRun ? pairsOf(text) : [text]);

/** One letter of an alphabet begins too many words; one of Chinese is a word. */
const mayBegin = (word: string) =>
  word.length > 1 || /[^\p{sc=Latin}\p{N}\p{sc=Greek}\p{sc=Cyrillic}]/u.test(word);

/** Little words are passed over where there are others to go by. */
function withoutStopWords(terms: Term[], languages: readonly Language[]): Term[] {
  const [first] = languages;
  const isIdle = ({ words, isPhrase, isExcluded }: Term) =>
    !isPhrase && !isExcluded && first !== undefined && isStopWord(words[0]!, first);
  const telling = terms.filter((term) => !isIdle(term));
  return telling.some(({ isExcluded }) => !isExcluded) ? telling : terms;
}

/** A word and what stands for it. */
export const formsOf = (word: string, languages: readonly Language[], written = word) => [
  ...new Set([word, ...languages.flatMap((language) => stemsOf(written, language))]),
];

const anywhere: readonly Mark[] = [''];

/** Any of the words, or what stands for them, as tsquery: anywhere, or where the marks say. */
export const wordQuery = (
  words: readonly string[],
  languages: readonly Language[],
  marks = anywhere,
): string =>
  `(${words
    .flatMap((word) => formsOf(word, languages))
    .flatMap((each) => marks.map((mark) => quoted(mark + each)))
    .join(' | ')})`;

/** A term as tsquery: anywhere, or where the marks say. What is excluded is so wherever it stands. */
export function termQuery(
  { words, written, isPhrase, isExcluded, isPrefix, completions }: Term,
  languages: readonly Language[],
  marks = anywhere,
): string {
  const [word = ''] = words;
  const at = (mark: Mark): string[] => {
    if (isPhrase && !isPrefix) return [words.map((each) => quoted(mark + each)).join(' <-> ')];
    const whole = isPhrase ? [word] : formsOf(word, languages, written);
    if (completions) {
      return [...new Set([...whole, ...completions])].map((each) => quoted(mark + each));
    }
    const begun = isPrefix ? [`${quoted(mark + word)}:*`] : [];
    return [...(isPhrase ? [] : whole.map((each) => quoted(mark + each))), ...begun];
  };
  const any = `(${(isExcluded ? anywhere : marks).flatMap(at).join(' | ')})`;
  return isExcluded ? `!${any}` : any;
}

/** So many are asked for apart: each number is a statement of its own. */
const mostApart = 4;

/** All terms together, each as tsquery; none where nothing is asked for. */
export function allOf(terms: readonly Term[], queryOf: (term: Term) => string): string[] {
  if (terms.length === 0) return [];
  const wanted = terms.filter(({ isExcluded }) => !isExcluded).map(queryOf);
  const excluded = terms.filter(({ isExcluded }) => isExcluded).map(queryOf);
  // To find what lacks a word, the index must be told where to look.
  if (wanted.length === 0) wanted.push(quoted(anyLexeme));
  const last = Math.min(wanted.length, mostApart) - 1;
  return [...wanted.slice(0, last), [...wanted.slice(last), ...excluded].join(' & ')];
}

/** All terms together, anywhere, or where the marks say. */
export const matchQuery = (
  terms: readonly Term[],
  languages: readonly Language[],
  marks = anywhere,
): string[] => allOf(terms, (term) => termQuery(term, languages, marks));

/** Any of the words that are wanted, for ranking; null where there are none. */
export function rankQuery(terms: readonly Term[], languages: readonly Language[]): string | null {
  const wanted = terms.filter(({ isExcluded }) => !isExcluded);
  return wanted.map((term) => termQuery(term, languages)).join(' | ') || null;
}
