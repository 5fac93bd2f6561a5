import { createHash } from 'node:crypto';
import { stemsOf, tokensOf, wordsOf, wordsOfToken } from './analysis.ts';
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
  status?: string | undefined;
  category?: string | undefined;
  country?: string | undefined;
  /** Any of the keys of one tag. */
  tagKeys?: readonly string[] | undefined;
}

const valueLexeme = (name: 'status' | 'category' | 'country' | 'tag', value: string): string =>
  `=${name} ${value}`;

/**
 * Filters as tsqueries of lexemes of the document, so that one scan of one index serves words and filters, led by the
 * rarer. No word contains `=`.
 */
export const filterQueries = ({ status, category, country, tagKeys }: SearchFilters): string[] => [
  ...(status ? [quoted(valueLexeme('status', status))] : []),
  ...(category ? [quoted(valueLexeme('category', category))] : []),
  ...(country ? [quoted(valueLexeme('country', country))] : []),
  ...(tagKeys ? [`(${tagKeys.map((key) => quoted(valueLexeme('tag', key))).join(' | ')})`] : []),
];

/** A lexeme of every document, for queries that only exclude. */
export const anyLexeme = '=';

/** Prefixes of lexemes for words in the title and in tags. Each word is a lexeme without prefix, too. */
export const titleMark = '^';
export const tagMark = '#';

/** A lexeme of titles that consist of exactly these words in this order. */
export const wholeLexeme = (words: readonly string[]): string =>
  `=whole ${createHash('sha256').update(words.join(' ')).digest('base64url').slice(0, 12)}`;

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

  /** Adds the words of a text, and the stems of each at the same position or without one. */
  add(text: string, { language, weight, stems, mark }: AddOptions): void {
    const positioned = weight ?? '';
    for (const token of tokensOf(text)) {
      for (const word of wordsOfToken(token)) {
        this.#put(word, positioned);
        if (mark) this.#put(mark + word, positioned);
        if (language && !token.isRun) {
          for (const stem of stemsOf(token.written, language)) {
            this.#put(stem, stems === 'positioned' ? positioned : null);
            if (mark) this.#put(mark + stem, null);
          }
        }
        this.#next += 1;
      }
    }
    // A gap, so that no phrase spans two texts.
    this.#next += 10;
  }

  /** Adds a lexeme without a position. */
  addBare(lexeme: string): void {
    this.#put(lexeme, null);
  }

  #put(lexeme: string, weight: string | null): void {
    let positions = this.#positions.get(lexeme);
    if (!positions) {
      if (this.#bytes > maxBytes) return;
      this.#bytes += Buffer.byteLength(lexeme) + 4;
      this.#positions.set(lexeme, (positions = []));
    }
    if (
      this.#bytes > maxBytes ||
      weight === null ||
      this.#next > maxPosition ||
      positions.length >= maxPositions
    )
      return;
    const position = this.#next + weight;
    if (positions.at(-1) === position) return;
    this.#bytes += 2;
    positions.push(position);
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

interface AddOptions {
  language: Language | undefined;
  weight?: 'A' | 'B';
  stems: 'positioned' | 'bare';
  /** Adds each word and stem with this prefix too. */
  mark?: string;
}

/** `document` finds a petition; `title` (weights: title A, tags B) ranks it. */
export function vectorsOf(petition: DocumentSource): { title: string; document: string } {
  const language = petition.language ? languageOf(petition.language) : undefined;
  const [title, document] = [new Vector(), new Vector()];
  const { status, category_id: category, country, tag_keys: tagKeys } = petition;
  document.addBare(valueLexeme('status', status));
  if (category !== null) document.addBare(valueLexeme('category', category));
  if (country !== null) document.addBare(valueLexeme('country', country));
  for (const key of tagKeys) document.addBare(valueLexeme('tag', key));
  document.addBare(anyLexeme);
  title.addBare(wholeLexeme(wordsOf(petition.title)));
  title.add(petition.title, { language, weight: 'A', stems: 'positioned' });
  document.add(petition.title, { language, stems: 'bare', mark: titleMark });
  for (const tag of petition.tags) {
    title.add(tag, { language, weight: 'B', stems: 'positioned' });
    document.add(tag, { language, stems: 'bare', mark: tagMark });
  }
  document.add(petition.description, { language, stems: 'bare' });
  return { title: title.toString(), document: document.toString() };
}
