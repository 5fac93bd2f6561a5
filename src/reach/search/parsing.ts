import {
  compoundsOf,
  isStopWord,
  joinedWordsOf,
  pairsOf,
  searchedWordsOf,
  type Compound,
  type JoinedWord,
  type SearchedWord,
  type Token,
} from './analysis.ts';
import { quoted, wholeLexeme } from './document.ts';
import type { Language } from './languages.ts';

/** A word or a phrase of a query. */
export interface Term {
  /** The words of a phrase in order; else one word. */
  words: string[];
  /** The first word, with accents. */
  written: string;
  isPhrase: boolean;
  /** Other ways to write the phrase, with and without its apostrophes and hyphens. */
  otherPhrases: readonly (readonly string[])[];
  /** Joined words of its compound, which are searched, too. */
  joined: readonly JoinedWord[];
  /** Those of the joined words that may be unfinished. */
  unfinished: readonly JoinedWord[];
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
    const compounds = compoundsOf(phrase ?? bare ?? '');
    if (compounds.length === 0) continue;
    if (phrase !== undefined || isExcluded) {
      terms.push({ ...phraseTerm(compounds, phrase !== undefined), isExcluded });
    } else {
      terms.push(...compounds.flatMap(searchedWordsOf).map(wordTerm));
    }
  }
  const endsWithQuote = new RegExp(`[${quotes}]\\s*$`).test(text);
  const whole = quoted(wholeLexeme(text));
  const typed = endsWithQuote ? terms : withPrefix(terms);
  return { terms: withoutStopWords(typed, languages), whole };
}

function wordTerm({ token, joined }: SearchedWord): Term {
  const words = wordsOfQuery(token);
  return {
    words,
    written: token.written,
    isPhrase: token.isRun,
    otherPhrases: [],
    joined,
    unfinished: [],
    isExcluded: false,
    isPrefix: false,
  };
}

/** Words in their order. A single word that is excluded is no phrase, so that its forms are excluded too. */
function phraseTerm(compounds: Compound[], isQuoted: boolean): Omit<Term, 'isExcluded'> {
  const tokens = compounds.flat();
  const words = tokens.flatMap(wordsOfQuery);
  const asIndexed = compounds.flatMap((compound) => wordsBetween(compound, isHyphenBefore));
  const asOne = compounds.flatMap((compound) => wordsBetween(compound, () => false));
  const phrases = new Map([words, asIndexed, asOne].map((each) => [each.join(' '), each]));
  return {
    words,
    written: tokens[0]!.written,
    isPhrase: isQuoted || words.length > 1,
    otherPhrases: [...phrases.values()].slice(1),
    joined: [],
    unfinished: [],
    isPrefix: false,
  };
}

const isHyphenBefore = (token: Token): boolean => !token.isAfterApostrophe;

/** The words of a compound that is written as one word except where a token begins a new one. */
function wordsBetween(compound: Compound, isNewWord: (token: Token) => boolean): string[] {
  if (compound.length === 1) return wordsOfQuery(compound[0]!);
  const all = joinedWordsOf(compound);
  const starts = compound.flatMap((token, n) => (n === 0 || isNewWord(token) ? [n] : []));
  return starts.flatMap((first, n) => {
    const last = (starts[n + 1] ?? compound.length) - 1;
    const joined = all.find((each) => each.first === first && each.last === last);
    return joined ? [joined.word] : compound.slice(first, last + 1).flatMap(wordsOfQuery);
  });
}

/** Marks the last word as unfinished, and the joined words that end like it. */
function withPrefix(terms: readonly Term[]): Term[] {
  const last = terms.at(-1);
  if (!last || last.isExcluded || last.words.length !== 1) return [...terms];
  const end = Math.max(...last.joined.map((joined) => joined.last));
  const unfinished = new Set(
    last.joined.filter((joined) => joined.last === end && canBePrefix(joined.word)),
  );
  return terms.map((term) => ({
    ...term,
    isPrefix: term === last && canBePrefix(last.words[0]!),
    unfinished: term.joined.filter((joined) => unfinished.has(joined)),
  }));
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
