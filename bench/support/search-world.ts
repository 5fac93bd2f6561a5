import { createReadStream, existsSync } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Pool } from '../../src/platform/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { wordsOf } from '../../src/reach/search/analysis.ts';
import { vectorsOf } from '../../src/reach/search/document.ts';
import { isCorrectable, variantsOf } from '../../src/reach/search/typing-errors.ts';
import { print } from './report.ts';

const data = fileURLToPath(new URL('../../../shared/data/', import.meta.url));

/** Random numbers between 0 and 1, the same in each run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface RealTexts {
  /** Every word of every title, so that a random one is drawn by frequency. */
  titleWords: string[];
  titleLengths: number[];
  textWords: string[];
  counts: number[];
}

/** Words and signature counts of the real petitions. */
async function readReal(): Promise<RealTexts> {
  const real: RealTexts = { titleWords: [], titleLengths: [], textWords: [], counts: [] };
  for (const name of ['uk-petitions.csv', 'us-petitions.csv']) {
    if (!existsSync(data + name)) throw new Error(`The benchmark of search needs ${data}${name}.`);
    const rows = createReadStream(data + name).pipe(parse({ columns: true, relax_quotes: true }));
    for await (const row of rows as AsyncIterable<Record<string, string>>) {
      const words = row.title!.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
      real.titleWords.push(...words);
      real.titleLengths.push(Math.max(words.length, 3));
      real.textWords.push(...(row.description?.match(/[\p{L}\p{N}'’-]+/gu) ?? []));
      real.counts.push(Number(row.signature_count) || 0);
    }
  }
  return real;
}

export const commonWord = 'park';
const countries = ['GB', 'US', 'DE', 'FR', 'ES', 'IT', 'PL', 'NL', 'SE', 'IE', 'AU', 'CA', 'MT'];
const tags = Array.from({ length: 300 }, (_, n) => `topic ${n}`);

/**
 * Fills an empty database with petitions of some 70 words, drawn by their frequency in real petitions. A third have
 * one more word in common; each fifth title names one of 50,000 places. Documents are as the indexer writes them.
 */
export async function fillSearchWorld(
  { url, db }: { url: string; db: Pool },
  size: number,
): Promise<void> {
  const begun = performance.now();
  const real = await readReal();
  const random = randomFrom(42);
  const draw = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  /** Draws few values often and most values seldom. */
  const drawFew = <T>(values: readonly T[]): T =>
    values[Math.floor(random() ** 3 * values.length)]!;
  const [creator] = await db`
    insert into users (id, email, display_name, slug) values (${newId()}, 'all@example.org',
      'All', 'all') returning id`;
  const categories = (await db`select id from categories order by slug`).map(
    (row) => row.id as string,
  );
  const restore = await withoutIndexes(db, ['petitions', 'search_documents', 'search_sample']);
  await db`alter table petitions disable trigger user`;
  const petitions = await Lines.into(
    url,
    `copy petitions (id, slug, creator_id, title, description, status,
      signature_count, imported_signature_count, trend, sort_count, sort_trend, category_id, tags, tag_keys,
      location_country, language, created_at, published_at) from stdin`,
  );
  const documents = await Lines.into(
    url,
    `copy search_documents (petition_id, title, document, known, day, trend, language,
      status, category_id, country, tag_keys) from stdin`,
  );
  const words = new Map<string, number>();
  const firstDay = Date.parse('2023-01-01');
  for (let n = 0; n < size; n += 1) {
    const id = newId();
    const titleWords = Array.from({ length: draw(real.titleLengths) }, () => draw(real.titleWords));
    if (random() < 0.2) titleWords.push(placeName(Math.floor(random() * placeCount)));
    if (random() < 0.04) titleWords.push(commonWord);
    const textWords = Array.from({ length: 60 }, () => draw(real.textWords));
    if (random() < 0.32) textWords.splice(Math.floor(random() * 60), 0, commonWord);
    const title = titleWords.join(' ').slice(0, 195).padEnd(5, '.');
    const description = textWords.join(' ').padEnd(50, '.');
    const own = [drawFew(tags), drawFew(tags)].filter((tag, at, all) => all.indexOf(tag) === at);
    const row = {
      title,
      description,
      tags: own,
      tag_keys: own,
      language: 'en',
      status: random() < 0.6 ? 'active' : random() < 0.9 ? 'closed' : 'victory',
      category_id: random() < 0.3 ? null : drawFew(categories),
      country: random() < 0.2 ? null : drawFew(countries),
    };
    const count = draw(real.counts);
    const at = new Date(firstDay + ((n + random()) / size) * 1095 * 86_400_000);
    const trend = count === 0 ? 0 : at.getTime() / 86_400_000 + random() * 60 + Math.log2(count);
    const vectors = vectorsOf(row);
    const array = `{${own.map((tag) => `"${tag}"`).join(',')}}`;
    for (const word of new Set(wordsOf(title))) {
      if (isCorrectable(word)) words.set(word, (words.get(word) ?? 0) + 1);
    }
    await petitions.add([
      id,
      `petition-${n}`,
      creator!.id,
      title,
      description,
      row.status,
      count,
      count,
      trend,
      count,
      trend,
      row.category_id,
      array,
      array,
      row.country,
      'en',
      at.toISOString(),
      at.toISOString(),
    ]);
    await documents.add([
      id,
      vectors.title,
      vectors.document,
      knownOf(count, at),
      Math.floor(at.getTime() / 86_400_000),
      Math.floor(trend),
      'en',
      row.status,
      row.category_id,
      row.country,
      array,
    ]);
  }
  await petitions.end();
  await documents.end();
  await db`alter table petitions enable trigger user`;
  await db`
    insert into search_sample (petition_id, title, document, status, category_id, country, tag_keys)
    select petition_id, title, document, status, category_id, country, tag_keys
    from search_documents
    where is_sampled_for_search(petition_id)`;
  await restore();
  const counted = [...words].map(([word, titles]) => ({
    word,
    titles,
    variants: variantsOf(word),
  }));
  for (let n = 0; n < counted.length; n += 10_000) {
    await db`
      insert into search_words select * from jsonb_to_recordset(
        ${db.json(counted.slice(n, n + 10_000))}) as r (word text, titles integer, variants text[])`;
  }
  await db`insert into search_languages (language, documents) values ('en', ${size})`;
  for (const table of ['petitions', 'search_documents', 'search_sample', 'search_words']) {
    await db.unsafe(`vacuum (analyze) ${table}`);
  }
  const [made] = await db`select pg_size_pretty(pg_database_size(current_database())) as size,
    pg_size_pretty(pg_total_relation_size('search_documents')) as documents`;
  const seconds = Math.round((performance.now() - begun) / 1000);
  print(
    `Made ${size.toLocaleString('en')} petitions in ${seconds} s: ${made!.size}, ${made!.documents} of it for search; ${words.size.toLocaleString('en')} words in titles.`,
  );
}

const syllables = [
  'ba',
  'den',
  'ford',
  'gar',
  'hol',
  'kirk',
  'lan',
  'mor',
  'nor',
  'pen',
  'ros',
  'stan',
  'ton',
  'ver',
  'wick',
  'yar',
];

/** Names of places; each is in about four titles of a million. */
export const placeCount = 50_000;

/** A name that shares no prefix with a real word. */
export const placeName = (n: number): string =>
  `z${[n % 16, (n >> 4) % 16, (n >> 8) % 16, n >> 12].map((at) => syllables[at]).join('')}`;

const asLine = (values: (string | number | null)[]): string =>
  values
    .map((value) =>
      value === null
        ? '\\N'
        : String(value).replace(/[\\\t\n]/g, (sign) => (sign === '\\' ? '\\\\' : ' ')),
    )
    .join('\t');

/** How well known a petition is, as the function `search_known` of the database. */
const knownOf = (signatures: number, at: Date): number =>
  Math.floor(2 * Math.log2(1 + signatures)) * 10_000 +
  (at.getUTCFullYear() - 1970) * 12 +
  at.getUTCMonth();

/** Sends lines in large pieces, which a stream takes faster. */
class Lines {
  #client: Client;
  #stream: Writable;
  #text = '';

  private constructor(client: Client, stream: Writable) {
    this.#client = client;
    this.#stream = stream;
  }

  /** Sends lines to a COPY statement on its own connection. */
  static async into(databaseUrl: string, statement: string): Promise<Lines> {
    const client = new Client(databaseUrl);
    await client.connect();
    return new Lines(client, client.query(copyFrom(statement)));
  }

  async add(values: (string | number | null)[]): Promise<void> {
    this.#text += `${asLine(values)}\n`;
    if (this.#text.length > 1_000_000) await this.#send();
  }

  async end(): Promise<void> {
    await this.#send();
    this.#stream.end();
    await finished(this.#stream);
    await this.#client.end();
  }

  async #send(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (!this.#stream.write(text)) await once(this.#stream, 'drain');
  }
}

/** Drops indexes without constraints. Returns a function that creates them again. */
async function withoutIndexes(db: Pool, tables: string[]): Promise<() => Promise<void>> {
  const indexes = await db`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename = any(${tables})
      and not exists (select from pg_constraint where conname = indexname)`;
  for (const { name } of indexes) await db.unsafe(`drop index ${name}`);
  return async () => {
    await db.begin(async (tx) => {
      await tx`set local maintenance_work_mem = '1GB'`;
      for (const { definition } of indexes) await tx.unsafe(definition as string);
    });
  };
}
