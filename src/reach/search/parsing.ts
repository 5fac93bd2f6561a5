import { isStopWord, pairsOf, tokensOf, wordsOf, type Token } from './analysis.ts';
import { quoted, wholeLexeme } from './document.ts';
import type { Language } from './languages.ts';

/** A word or a phrase of a query. */
export interface Term {
  /** The words of a phrase in order; else one word. */
  words: string[];
  /** The first word, with accents. */
  written: string;
  isPhrase: boolean;
  isExcluded: boolean;
  /** The last word, which may be unfinished. */
  isPrefix: boolean;
  /** Lexemes that are searched instead of the word. */
  alternatives?: readonly string[];
}

export interface ParsedQuery {
  terms: Term[];
  /** tsquery of titles that consist of exactly these words. */
  whole: string;
}

const quotes = '"\u201c\u201d\u201e\u201f\u00ab\u00bb';
// A phrase without a closing quote reaches to the end.
const parts = new RegExp(
  `(?<minus>-?)(?:[${quotes}](?<phrase>[^${quotes}]*)[${quotes}]?|(?<bare>[^\\s${quotes}]+))`,
  'g',
);

/**
 * Splits a query into words, "phrases" and -exclusions. The last word may be unfinished. No input is an error: what
 * is not a word is skipped.
 */
export function parseQuery(text: string, languages: readonly Language[]): ParsedQuery {
  const terms: Term[] = [];
  for (const { index, groups = {} } of text.matchAll(parts)) {
    const { minus, phrase, bare } = groups;
    // A minus inside a word is a hyphen.
    const isExcluded = minus === '-' && (index === 0 || /\s/.test(text[index - 1]!));
    const addTerm = (tokens: Token[], isQuoted: boolean) => {
      const words = tokens.flatMap(wordsOfQuery);
      if (words.length === 0) return;
      const isPhrase = isQuoted || words.length > 1;
      terms.push({ words, written: tokens[0]!.written, isPhrase, isExcluded, isPrefix: false });
    };
    const tokens = tokensOf(phrase ?? bare ?? '');
    if (phrase !== undefined || isExcluded) addTerm(tokens, phrase !== undefined);
    else for (const token of tokens) addTerm([token], token.isRun);
  }
  const last = terms.at(-1);
  const endsWithQuote = new RegExp(`[${quotes}]\\s*$`).test(text);
  if (last && !endsWithQuote && !last.isExcluded && last.words.length === 1) {
    last.isPrefix = canBePrefix(last.words[0]!);
  }
  const whole = quoted(wholeLexeme(wordsOf(text)));
  return { terms: withoutStopWords(terms, languages), whole };
}

/** The words of a token in a query. A run has its pairs only: it may end inside a run of the text. */
const wordsOfQuery = ({ text, isRun }: Token): string[] => (isRun ? pairsOf(text) : [text]);

/** One letter of an alphabet is the prefix of too many words; one of Chinese is a word. */
const canBePrefix = (word: string) =>
  word.length > 1 || /[^\p{sc=Latin}\p{N}\p{sc=Greek}\p{sc=Cyrillic}]/u.test(word);

/** Drops stop words if any other word is wanted. */
function withoutStopWords(terms: Term[], languages: readonly Language[]): Term[] {
  const [first] = languages;
  const isStopTerm = ({ words, isPhrase, isExcluded }: Term) =>
    !isPhrase && !isExcluded && first !== undefined && isStopWord(words[0]!, first);
  const significant = terms.filter((term) => !isStopTerm(term));
  return significant.some(({ isExcluded }) => !isExcluded) ? significant : terms;
}
