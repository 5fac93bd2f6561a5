import type { Db } from '../../platform/db.ts';
import { matches, matchesAmongAll, simply, type Match, type Queries } from './queries.ts';

export interface TitleRow {
  id: string;
  title: string;
  slug: string;
  signature_count: number;
}

/** What is shown of petitions that somebody may mean. */
export async function titlesOf(db: Db, ids: string[]): Promise<TitleRow[]> {
  return db<TitleRow[]>`
    select id, title, slug, signature_count from petitions
    where id = any(${ids}::uuid[]) and listed
    order by signature_count desc, id desc`;
}

export interface KnownWord {
  word: string;
  titles: number;
}

/** Words of titles that may be meant by a misspelt one, the commonest first. */
export async function wordsNear(db: Db, variants: string[]): Promise<KnownWord[]> {
  return db<KnownWord[]>`
    select word, titles from search_words
    where variants && ${variants}
    order by titles desc, word limit 500`;
}

/** Of these words, those that are in titles. */
export async function knownWords(db: Db, words: string[]): Promise<KnownWord[]> {
  return db<KnownWord[]>`select word, titles from search_words where word = any(${words})`;
}

/** In which languages most documents are. */
export async function mainLanguages(db: Db, limit: number): Promise<string[]> {
  const rows = await db`
    select language from search_languages order by documents desc, language limit ${limit}`;
  return rows.map(({ language }) => language as string);
}

export interface TitleFound {
  id: string;
  title: string;
}

/** Titles that have most of the words, in a few thousand that have any. */
export async function titlesLike(
  db: Db,
  match: Match,
  words: string,
  limit: number,
): Promise<TitleFound[]> {
  return db<TitleFound[]>`
    select p.id, p.title from (
      select d.petition_id, ts_rank(d.title, ${words}::tsquery, 1) as rank
      from search_documents d where ${matchesAmongAll(db, match)}
      order by rank desc, d.petition_id desc limit ${limit}
    ) d
    join petitions p on p.id = d.petition_id
    where p.listed and p.status = 'active'
    order by d.rank desc, p.id desc`;
}

/** Whether any document has that. */
export async function isAnywhere(db: Db, all: Queries): Promise<boolean> {
  const [row] = await db`
    select exists (select from search_documents d where ${matches(db, simply(...all))}) as found`;
  return row!.found as boolean;
}
