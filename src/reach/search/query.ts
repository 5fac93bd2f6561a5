import { isStopWord, pairsOf, stemsOf, tokensOf, wordsOf, type Token } from './analysis.ts';
import { anyLexeme, quoted, tagMark, titleMark, wholeLexeme } from './document.ts';
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

/** A word and its stems. */
export const formsOf = (word: string, languages: readonly Language[], written = word): string[] => [
  ...new Set([word, ...languages.flatMap((language) => stemsOf(written, language))]),
];

/** Where a lexeme is searched: writes it, in each of its places, as an operand of a tsquery. */
export type Field = (lexeme: string, isPrefix?: boolean) => string[];

const markedBy =
  (...marks: string[]): Field =>
  (lexeme, isPrefix) =>
    marks.map((mark) => quoted(mark + lexeme) + (isPrefix ? ':*' : ''));
const weightedBy =
  (weights: string): Field =>
  (lexeme, isPrefix) => [`${quoted(lexeme)}:${isPrefix ? '*' : ''}${weights}`];

/** Anywhere in `document`. */
export const anywhere = markedBy('');

/** A part of a petition that is searched first: by the word index, and by the short `title` vector of a row. */
export interface TitleFields {
  index: Field;
  row: Field;
}
export const titles: TitleFields = { index: markedBy(titleMark), row: weightedBy('A') };
export const titlesAndTags: TitleFields = {
  index: markedBy(titleMark, tagMark),
  row: weightedBy('AB'),
};

/** Any of the words or their stems, as tsquery. */
export const wordQuery = (
  words: readonly string[],
  languages: readonly Language[],
  field = anywhere,
): string =>
  anyOf(words.flatMap((word) => formsOf(word, languages)).flatMap((form) => field(form)));

const anyOf = (operands: readonly string[]) => `(${operands.join(' | ')})`;

/** A term as tsquery. An exclusion applies to the whole document. */
function termQuery(term: Term, languages: readonly Language[], field: Field): string {
  const { words, written, isPhrase, isExcluded, isPrefix, alternatives } = term;
  const [word = ''] = words;
  if (isExcluded) {
    return `!${termQuery({ ...term, isExcluded: false }, languages, anywhere)}`;
  }
  if (isPhrase && !isPrefix) {
    const places = words.map((each) => field(each));
    return anyOf(places[0]!.map((_, n) => places.map((each) => each[n]).join(' <-> ')));
  }
  const lexemes = alternatives ?? (isPhrase ? [] : formsOf(word, languages, written));
  const prefix = isPrefix ? field(word, true) : [];
  return anyOf([...lexemes.flatMap((lexeme) => field(lexeme)), ...prefix]);
}

/** The terms that a document must have, as one tsquery each. */
export const wantedQueries = (
  terms: readonly Term[],
  languages: readonly Language[],
  field: Field,
): string[] =>
  terms.filter(({ isExcluded }) => !isExcluded).map((term) => termQuery(term, languages, field));

/** Each number of conditions is a prepared statement of its own. */
const maxConditions = 4;

/**
 * All terms as tsqueries that must all match; empty without terms. Conditions are separate because GIN skips between
 * the lists of several conditions, but tries each entry within one.
 */
export function allTerms(
  terms: readonly Term[],
  languages: readonly Language[],
  field = anywhere,
): string[] {
  if (terms.length === 0) return [];
  const wanted = wantedQueries(terms, languages, field);
  const excluded = terms
    .filter(({ isExcluded }) => isExcluded)
    .map((term) => termQuery(term, languages, field));
  // An index scan needs something to find.
  if (wanted.length === 0) wanted.push(quoted(anyLexeme));
  const last = Math.min(wanted.length, maxConditions) - 1;
  return [...wanted.slice(0, last), [...wanted.slice(last), ...excluded].join(' & ')];
}
