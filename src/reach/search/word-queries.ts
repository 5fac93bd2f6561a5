import type { Db } from '../../platform/db.ts';
import { byWordIndex, type Match } from './matching.ts';
import type { Suggestion } from './schema.ts';

/** The listed petitions of the ids, the best known first. */
export async function readSuggestions(
  db: Db,
  ids: string[],
): Promise<(Suggestion & { id: string })[]> {
  return db<(Suggestion & { id: string })[]>`
    select id, title, language, slug, signature_count from petitions
    where id = any(${ids}::uuid[]) and listed
    order by signature_count desc, id desc`;
}

/** A word, and how many titles have it. */
export interface TitleWord {
  word: string;
  titles: number;
}

/** Words of titles with any of the variants, the commonest first. */
export async function wordsWithVariants(
  db: Db,
  variants: string[],
  limit: number,
): Promise<TitleWord[]> {
  return db<TitleWord[]>`
    select word, titles from search_words
    where variants && ${variants}
    order by titles desc, word limit ${limit}`;
}

/** Words of titles that begin with the prefix, the commonest first. */
export async function wordsWithPrefix(db: Db, prefix: string, limit: number): Promise<TitleWord[]> {
  return db<TitleWord[]>`
    select word, titles from search_words
    where word >= ${prefix} and word < ${prefix} || U&'\\+10FFFF'
    order by titles desc, word limit ${limit}`;
}

/** Those of the words that titles have. */
export async function countTitles(db: Db, words: string[]): Promise<TitleWord[]> {
  return db<TitleWord[]>`select word, titles from search_words where word = any(${words})`;
}

/** The languages of most documents. */
export async function mainLanguages(db: Db, limit: number): Promise<string[]> {
  return db.column<string>`
    select language from search_languages order by documents desc, language limit ${limit}`;
}

/** Titles of active petitions, those with most of the words first. */
export async function findSimilarTitles(
  db: Db,
  match: Match,
  words: string,
  limit: number,
): Promise<{ id: string; title: string }[]> {
  return db<{ id: string; title: string }[]>`
    select p.id, p.title from (
      select d.petition_id, ts_rank(d.title, ${words}::tsquery, 1) as rank
      from search_documents d where ${byWordIndex(db, match)} and d.status = 'active'
      order by rank desc, d.petition_id desc limit ${limit}
    ) d
    join petitions p on p.id = d.petition_id
    where p.listed and p.status = 'active'
    order by d.rank desc, p.id desc`;
}

/** Whether any document has all the words. */
export async function isAnywhere(db: Db, words: readonly string[]): Promise<boolean> {
  return db.value<boolean>`
    select exists (
      select from search_documents d where ${byWordIndex(db, { words, filters: {} })}
    ) as found`;
}
