import type { Db, Tx } from '../../platform/db.ts';
import type { DocumentSource } from './document.ts';

// Any number that nothing else in this database uses as an advisory lock.
const indexingLock = 7_240_121;

export interface PetitionToIndex extends DocumentSource {
  id: string;
}

/**
 * Takes ids of changed petitions, the oldest change first. Only one process indexes at a time: of two, the one that
 * read an older text could write it last.
 */
export async function takeChanges(tx: Tx, limit: number): Promise<string[]> {
  const isLocked = await tx.value<boolean>`
    select pg_try_advisory_xact_lock(${indexingLock}) as held`;
  if (!isLocked) return [];
  return tx.column<string>`
    delete from search_changes
    where id in (select id from search_changes order by id limit ${limit})
    returning petition_id as id`;
}

/** Waits until no other process indexes, and has others wait until the transaction ends. */
export async function lockIndexing(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${indexingLock})`;
}

/** An estimate. */
export const countDocuments = (db: Db): Promise<number> =>
  db.value<number>`
    select greatest(reltuples, 0)::float8 as total from pg_class
    where oid = 'search_documents'::regclass`;

export const documentsAfter = (tx: Tx, after: string, limit: number): Promise<string[]> =>
  tx.column<string>`
    select petition_id as id from search_documents where petition_id > ${after}
    order by petition_id limit ${limit}`;

/** Words and stems of titles and tags as they are indexed, by petition. */
export async function readTitleLexemes(tx: Tx, ids: string[]): Promise<Map<string, Set<string>>> {
  const rows = await tx<{ id: string; lexemes: string[] }[]>`
    select petition_id as id, tsvector_to_array(title) as lexemes
    from search_documents where petition_id = any(${ids}::uuid[])`;
  return new Map(rows.map(({ id, lexemes }) => [id, new Set(lexemes)]));
}

/** Adds the next petitions with a link in Markdown to the changes. Returns the ids of all that it read, in order. */
export const queueLinks = (db: Db, after: string, limit: number): Promise<string[]> =>
  db.column<string>`
    with batch as materialized (
      select id, listed, description from petitions where id > ${after} order by id limit ${limit}
    ),
    queued as (
      insert into search_changes (petition_id)
      select id from batch where listed and (description like '%](%' or description like '%]: %')
    )
    select id from batch order by id`;

/** The listed ones of the petitions. */
export async function readPetitions(tx: Tx, ids: string[]): Promise<PetitionToIndex[]> {
  return tx<PetitionToIndex[]>`
    select id, title, description, tags, tag_keys, status, category_id, language,
      location_country as country
    from petitions where id = any(${ids}::uuid[]) and listed
    order by id`;
}

/** Removes documents of petitions that are not listed or no longer exist. */
export async function removeUnlisted(tx: Tx, ids: string[]): Promise<void> {
  await tx`
    with unlisted as materialized (
      select id from unnest(${ids}::uuid[]) as given (id)
      where not exists (select from petitions p where p.id = given.id and p.listed)
    ),
    sampled as (delete from search_sample where petition_id in (select id from unlisted))
    delete from search_documents where petition_id in (select id from unlisted)`;
}

export interface DocumentToWrite extends Omit<PetitionToIndex, 'title' | 'description' | 'tags'> {
  /** In PostgreSQL's text form of a tsvector, like `document`. */
  title: string;
  document: string;
}

/** Inserts or updates documents. Returns the ids of the inserted ones. */
export async function writeDocuments(tx: Tx, documents: DocumentToWrite[]): Promise<Set<string>> {
  const rows = await tx<{ id: string; added: boolean }[]>`
    with written as materialized (
      select r.id, r.title::tsvector as title, r.document::tsvector as document,
        ${bucketColumns(tx)}, r.language, r.status, r.category_id, r.country, r.tag_keys
      from jsonb_to_recordset(${tx.json(documents)}) as r (id uuid, title text,
        document text, language text, status text, category_id uuid, country text, tag_keys text[])
      join petitions p on p.id = r.id
      order by r.id
    ),
    sampled as (
      insert into search_sample (petition_id, title, document, status, category_id, country,
        tag_keys)
      select id, title, document, status, category_id, country, tag_keys
      from written where is_sampled_for_search(id)
      on conflict (petition_id) do update set title = excluded.title,
        document = excluded.document, status = excluded.status,
        category_id = excluded.category_id, country = excluded.country,
        tag_keys = excluded.tag_keys
    )
    insert into search_documents (petition_id, title, document, known, day, trend, language,
      status, category_id, country, tag_keys)
    select id, title, document, known, day, trend, language, status, category_id, country, tag_keys
    from written
    on conflict (petition_id) do update set title = excluded.title, document = excluded.document,
      known = excluded.known, day = excluded.day, trend = excluded.trend,
      language = excluded.language, status = excluded.status,
      category_id = excluded.category_id, country = excluded.country,
      tag_keys = excluded.tag_keys
    returning petition_id as id, xmax = 0 as added`;
  return new Set(rows.filter(({ added }) => added).map(({ id }) => id));
}

/** Buckets of the petition `p` in each sort order. */
const bucketColumns = (tx: Tx) => tx`search_known(p.signature_count, p.sort_at) as known,
  search_day(p.sort_at) as day, search_trend(p.trend) as trend`;

/** Updates buckets that signing changed. Skips documents that are being written: writing updates buckets too. */
export async function refreshBuckets(tx: Tx, ids: string[]): Promise<void> {
  await tx`
    with moved as materialized (
      select d.petition_id as id, r.known, r.trend
      from search_documents d join petitions p on p.id = d.petition_id
      cross join lateral (select ${bucketColumns(tx)}) r
      where d.petition_id = any(${ids}::uuid[]) and (d.known, d.trend) <> (r.known, r.trend)
      order by d.petition_id
      for no key update of d skip locked
    )
    update search_documents d set known = m.known, trend = m.trend
    from moved m where d.petition_id = m.id`;
}

export interface CountedWord {
  word: string;
  titles: number;
  variants: string[];
}

/** Adds to the counts in the order of the words, so that two writers do not deadlock. */
export async function countWords(tx: Tx, words: CountedWord[]): Promise<void> {
  await tx`
    insert into search_words as existing (word, titles, variants)
    select word, titles, variants
    from jsonb_to_recordset(${tx.json(words)}) as r (word text, titles integer,
      variants text[])
    order by word
    on conflict (word) do update set titles = existing.titles + excluded.titles`;
}

export async function countLanguages(
  tx: Tx,
  languages: { language: string; documents: number }[],
): Promise<void> {
  await tx`
    insert into search_languages as existing (language, documents)
    select language, documents
    from jsonb_to_recordset(${tx.json(languages)}) as r (language text,
      documents integer)
    order by language
    on conflict (language) do update set documents = existing.documents + excluded.documents`;
}
