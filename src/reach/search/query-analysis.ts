import { stemsOf } from './analysis.ts';
import { anyLexeme, quoted, tagMark, titleMark } from './document.ts';
import type { Language } from './languages.ts';
import type { TitleQueries } from './matching.ts';
import { parseQuery, type Term } from './parsing.ts';

/** How matches are ranked, as tsqueries on the `title` vector. */
export interface Ranking {
  /** Any of the wanted words. */
  words: string;
  /** Titles that consist of exactly these words. */
  whole: string;
}

/** A typed query as tsqueries. */
export interface AnalyzedQuery {
  terms: readonly Term[];
  languages: readonly Language[];
  /** What is searched as title. */
  fields: TitleFields;
  /** What a document must have; empty without words. */
  words: readonly string[];
  /** The same with all wanted words in the title, by the word index and by the `title` vector of a row. */
  inTitle: TitleQueries | null;
  /** Null if no word is wanted. */
  ranking: Ranking | null;
}

export function analyzeQuery(
  text: string,
  languages: readonly Language[],
  fields = titlesAndTags,
): AnalyzedQuery {
  const { terms, whole } = parseQuery(text, languages);
  const wanted = wantedQueries(terms, languages, anywhere);
  const ranking = wanted.length > 0 ? { words: wanted.join(' | '), whole } : null;
  return toAnalyzed(terms, { languages, fields, ranking });
}

/** The query of other terms, ranked as before. */
export function toAnalyzed(
  terms: readonly Term[],
  { languages, fields, ranking }: Pick<AnalyzedQuery, 'languages' | 'fields' | 'ranking'>,
): AnalyzedQuery {
  const inTitle = ranking && {
    index: allTerms(terms, languages, fields.index),
    row: wantedQueries(terms, languages, fields.row).join(' & '),
  };
  return { terms, languages, fields, ranking, words: allTerms(terms, languages), inTitle };
}

/** What a term of one word is searched by, without what it may be the beginning of. */
export const formsOfTerm = (
  { words: [word = ''], written, joined }: Term,
  languages: readonly Language[],
): string[] => [
  ...new Set([
    ...formsOf(word, languages, written),
    ...joined.flatMap((each) => formsOf(each.word, languages, each.written)),
  ]),
];

/** The unfinished words of a term. */
export const prefixesOf = ({ words: [word = ''], isPrefix, unfinished }: Term): string[] => [
  ...(isPrefix ? [word] : []),
  ...unfinished.map((each) => each.word),
];

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
export const titles: TitleFields = { index: markedBy(titleMark), row: weightedBy('AC') };
export const titlesAndTags: TitleFields = {
  index: markedBy(titleMark, tagMark),
  row: weightedBy('ABCD'),
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
  const { words, otherPhrases, isPhrase, isExcluded, isPrefix, alternatives } = term;
  if (isExcluded) {
    return `!${termQuery({ ...term, isExcluded: false }, languages, anywhere)}`;
  }
  if (isPhrase && !isPrefix) {
    return anyOf([words, ...otherPhrases].flatMap((phrase) => phraseQueries(phrase, field)));
  }
  const lexemes = alternatives ?? (isPhrase ? [] : formsOfTerm(term, languages));
  const prefixes = prefixesOf(term).flatMap((prefix) => field(prefix, true));
  return anyOf([...lexemes.flatMap((lexeme) => field(lexeme)), ...prefixes]);
}

/** The phrase in each of the places. */
function phraseQueries(words: readonly string[], field: Field): string[] {
  const places = words.map((word) => field(word));
  return places[0]!.map((_, n) => places.map((each) => each[n]).join(' <-> '));
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
