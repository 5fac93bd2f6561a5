import { createHash } from 'node:crypto';
import {
  compoundsOf,
  joinedWordsOf,
  stemsOf,
  tokensOf,
  wordsOfToken,
  type Token,
} from './analysis.ts';
import { languageOf, type Language } from './languages.ts';

/** What a petition's document is made of. */
export interface DocumentSource {
  title: string;
  description: string;
  tags: string[];
  language: string | null;
  status: string;
  category_id: string | null;
  country: string | null;
  tag_keys: string[];
}

export interface SearchFilters {
  /** Any of these; all if there are none. */
  statuses?: readonly string[];
  category?: string | undefined;
  country?: string | undefined;
  /** For each tag, any of its keys. */
  tagKeys?: readonly (readonly string[])[];
}

const valueLexeme = (name: 'status' | 'category' | 'country' | 'tag', value: string): string =>
  `=${name} ${value}`;

/**
 * Filters as tsqueries of lexemes of the document, so that one scan of one index serves words and filters, led by the
 * rarer. No word contains `=`.
 */
export const filterQueries = ({
  statuses = [],
  category,
  country,
  tagKeys = [],
}: SearchFilters): string[] => [
  ...(statuses.length > 0 ? [anyValue('status', statuses)] : []),
  ...(category ? [quoted(valueLexeme('category', category))] : []),
  ...(country ? [quoted(valueLexeme('country', country))] : []),
  ...tagKeys.map((keys) => anyValue('tag', keys)),
];

const anyValue = (name: 'status' | 'tag', values: readonly string[]): string =>
  `(${values.map((value) => quoted(valueLexeme(name, value))).join(' | ')})`;

/** A lexeme of every document, for queries that only exclude. */
export const anyLexeme = '=';

/** Prefixes of lexemes for words in the title and in tags. Each word is a lexeme without prefix, too. */
export const titleMark = '^';
export const tagMark = '#';

/** A lexeme of titles that consist of exactly these words in this order, however they are joined. */
export function wholeLexeme(text: string): string {
  const letters = tokensOf(text).flatMap(wordsOfToken).join('');
  return `=whole ${createHash('sha256').update(letters).digest('base64url').slice(0, 12)}`;
}

export const quoted = (lexeme: string): string => `'${lexeme.replace(/['\\]/g, '$&$&')}'`;

/** PostgreSQL's limits of a tsvector: positions per lexeme, and the highest position. */
const maxPositions = 255;
const maxPosition = 16_383;
/** PostgreSQL allows 1 MB; lexemes beyond this are left out. */
const maxBytes = 900_000;

/** Collects lexemes and writes them in PostgreSQL's text form of a tsvector. */
class Vector {
  #positions = new Map<string, string[]>();
  #next = 1;
  #bytes = 0;

  /**
   * Adds the words of a text, and the stems of each at the same position or without one.
   *
   * What an apostrophe separates has one position, so that phrases match with and without it. What a hyphen separates
   * has positions of its own, as when it is written with spaces; the joined word has the first and the last of them.
   */
  add(text: string, options: AddOptions): void {
    for (const compound of compoundsOf(text)) {
      const positions: number[] = [];
      for (const token of compound) {
        if (token.isAfterApostrophe) this.#next -= 1;
        positions.push(this.#next);
        for (const word of wordsOfToken(token)) {
          this.#addWord(word, token, [this.#next], options);
          this.#next += 1;
        }
      }
      for (const { word, written, first, last } of joinedWordsOf(compound)) {
        const ends = [positions[first]!, positions[last]!];
        this.#addWord(word, { written, isRun: false }, ends, {
          ...options,
          weight: options.joinedWeight,
        });
      }
    }
    // A gap, so that no phrase spans two texts.
    this.#next += 10;
  }

  /** Adds a lexeme without a position. */
  addBare(lexeme: string): void {
    this.#put(lexeme, []);
  }

  #addWord(
    word: string,
    { written, isRun }: Pick<Token, 'written' | 'isRun'>,
    positions: number[],
    { language, weight, stems, mark }: AddOptions,
  ): void {
    this.#put(word, positions, weight);
    if (mark) this.#put(mark + word, positions, weight);
    if (!language || isRun) return;
    for (const stem of stemsOf(written, language)) {
      this.#put(stem, stems === 'positioned' ? positions : [], weight);
      if (mark) this.#put(mark + stem, []);
    }
  }

  #put(lexeme: string, added: readonly number[], weight: Weight | '' = ''): void {
    let positions = this.#positions.get(lexeme);
    if (!positions) {
      if (this.#bytes > maxBytes) return;
      this.#bytes += Buffer.byteLength(lexeme) + 4;
      this.#positions.set(lexeme, (positions = []));
    }
    for (const position of added) {
      if (this.#bytes > maxBytes || position > maxPosition || positions.length >= maxPositions) {
        return;
      }
      const place = position + weight;
      if (positions.at(-1) === place) continue;
      this.#bytes += 2;
      positions.push(place);
    }
  }

  toString(): string {
    let text = '';
    for (const [lexeme, positions] of this.#positions) {
      text += quoted(lexeme);
      if (positions.length > 0) text += `:${positions.join(',')}`;
      text += ' ';
    }
    return text;
  }
}

type Weight = 'A' | 'B' | 'C' | 'D';

interface AddOptions {
  language: Language | undefined;
  weight?: Weight | undefined;
  /** Of joined words, lower: `tax` shall not rank tax-free higher than tax. */
  joinedWeight?: Weight | undefined;
  stems: 'positioned' | 'bare';
  /** Adds each word and stem with this prefix too. */
  mark?: string;
}

/** `document` finds a petition; `title` (weights: title A, tags B; their joined words C and D) ranks it. */
export function vectorsOf(petition: DocumentSource): { title: string; document: string } {
  const language = petition.language ? languageOf(petition.language) : undefined;
  const [title, document] = [new Vector(), new Vector()];
  const { status, category_id: category, country, tag_keys: tagKeys } = petition;
  document.addBare(valueLexeme('status', status));
  if (category !== null) document.addBare(valueLexeme('category', category));
  if (country !== null) document.addBare(valueLexeme('country', country));
  for (const key of tagKeys) document.addBare(valueLexeme('tag', key));
  document.addBare(anyLexeme);
  title.addBare(wholeLexeme(petition.title));
  title.add(petition.title, { language, weight: 'A', joinedWeight: 'C', stems: 'positioned' });
  document.add(petition.title, { language, stems: 'bare', mark: titleMark });
  for (const tag of petition.tags) {
    title.add(tag, { language, weight: 'B', joinedWeight: 'D', stems: 'positioned' });
    document.add(tag, { language, stems: 'bare', mark: tagMark });
  }
  document.add(petition.description, { language, stems: 'bare' });
  return { title: title.toString(), document: document.toString() };
}
