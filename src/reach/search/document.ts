import { createHash } from 'node:crypto';
import { stemsOf, tokensOf, wordsOf, wordsOfToken } from './analysis.ts';
import { languageOf, type Language } from './languages.ts';

/** What of a petition is searched. */
export interface Searched {
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
  tag?: string | undefined;
}

/**
 * Filters are lexemes beside the words, so that one look into one index serves both, whichever is the
 * rarer. No word has this sign.
 */
export const filterLexemes = ({ status, category, country, tag }: SearchFilters): string[] => [
  ...(status ? [`=status ${status}`] : []),
  ...(category ? [`=category ${category}`] : []),
  ...(country ? [`=country ${country}`] : []),
  ...(tag ? [`=tag ${tag}`] : []),
];

/** Of every document: what is looked for where nothing is wanted but what is excluded. */
export const anyLexeme = '=';

/** Where a word stands is a sign before it; without one, it stands anywhere. */
export type Mark = '' | '^' | '#';
export const titleMark = '^';
export const tagMark = '#';
/** In titles and tags. */
export const inFront: Mark[] = [titleMark, tagMark];

/** Of all texts with these words in this order, and of no others. */
export const wholeLexeme = (words: readonly string[]): string =>
  `=whole ${createHash('sha256').update(words.join(' ')).digest('base64url').slice(0, 12)}`;

export const quoted = (lexeme: string): string => `'${lexeme.replace(/['\\]/g, '$&$&')}'`;

/** What PostgreSQL keeps of one lexeme, and of positions. */
const mostPositions = 255;
const lastPosition = 16_383;
/** A tsvector has a megabyte; what is beyond is not found by. */
const mostBytes = 900_000;

/** Gathers lexemes and writes them as PostgreSQL reads a tsvector. */
class Vector {
  #positions = new Map<string, string[]>();
  #next = 1;
  #bytes = 0;

  /** Adds words one after the other, and with each its stem, at the same position or without one. */
  add(text: string, { language, weight, stems, mark }: AddOptions): void {
    const placed = weight ?? '';
    for (const token of tokensOf(text)) {
      for (const word of wordsOfToken(token)) {
        this.#put(word, placed);
        if (mark) this.#put(mark + word, placed);
        if (language && !token.isRun) {
          for (const stem of stemsOf(token.written, language)) {
            this.#put(stem, stems === 'placed' ? placed : null);
            if (mark) this.#put(mark + stem, null);
          }
        }
        this.#next += 1;
      }
    }
    // No phrase reaches over the end of a text.
    this.#next += 10;
  }

  /** Adds what has no place in the text. */
  addBare(lexeme: string): void {
    this.#put(lexeme, null);
  }

  #put(lexeme: string, weight: string | null): void {
    let places = this.#positions.get(lexeme);
    if (!places) {
      if (this.#bytes > mostBytes) return;
      this.#bytes += Buffer.byteLength(lexeme) + 4;
      this.#positions.set(lexeme, (places = []));
    }
    if (
      this.#bytes > mostBytes ||
      weight === null ||
      this.#next > lastPosition ||
      places.length >= mostPositions
    )
      return;
    const place = this.#next + weight;
    if (places.at(-1) === place) return;
    this.#bytes += 2;
    places.push(place);
  }

  toString(): string {
    let text = '';
    for (const [lexeme, places] of this.#positions) {
      text += quoted(lexeme);
      if (places.length > 0) text += `:${places.join(',')}`;
      text += ' ';
    }
    return text;
  }
}

interface AddOptions {
  language: Language | undefined;
  weight?: 'A' | 'B';
  stems: 'placed' | 'bare';
  /** Words and stems are added with it too. */
  mark?: Mark;
}

/** By which a petition is ranked, and by which it is found. */
export function vectorsOf(petition: Searched): { title: string; document: string } {
  const language = petition.language ? languageOf(petition.language) : undefined;
  const [title, document] = [new Vector(), new Vector()];
  const { status, category_id: category, country, tag_keys: tagKeys } = petition;
  for (const lexeme of [
    ...filterLexemes({ status, category: category ?? undefined, country: country ?? undefined }),
    ...tagKeys.flatMap((tag) => filterLexemes({ tag })),
  ]) {
    document.addBare(lexeme);
  }
  document.addBare(anyLexeme);
  title.addBare(wholeLexeme(wordsOf(petition.title)));
  title.add(petition.title, { language, weight: 'A', stems: 'placed' });
  document.add(petition.title, { language, stems: 'bare', mark: titleMark });
  for (const tag of petition.tags) {
    title.add(tag, { language, weight: 'B', stems: 'placed' });
    document.add(tag, { language, stems: 'bare', mark: tagMark });
  }
  document.add(petition.description, { language, stems: 'bare' });
  return { title: title.toString(), document: document.toString() };
}
