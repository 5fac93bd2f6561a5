import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Pool } from '../src/platform/db.ts';
import { createDatabase, keptDatabase, type BenchDatabase } from './support/database.ts';
import { Reader } from './support/reader.ts';
import { figure, median, percentile, print, table, verdict } from './support/report.ts';
import {
  kindsOf,
  rareWord,
  requests,
  suggestionsOf,
  wordsByFrequency,
} from './support/search-kinds.ts';
import { fillSearchWorld } from './support/search-world.ts';
import { settings } from './support/settings.ts';
import { startService } from './support/start-service.ts';

const size = Math.round(1_000_000 * settings.scale);
const maxSearchMs = 25;
const maxSuggestionMs = 15;

/** Times of one kind in one round, in ms. */
interface Round {
  p50: number;
  p95: number;
  listP50: number;
  listP95: number;
}

/** Compares searching 1,000,000 petitions over HTTP with a list of them, and with ranking all matches. */
async function main(): Promise<void> {
  await using database = await openWorld();
  const { db, url: databaseUrl } = database;
  await readIntoMemory(db);
  const words = await wordsByFrequency(db);
  await using service = await startService({ databaseUrl, lists: 'not remembered' });
  using reader = new Reader(service.port);
  const pathOf = (path: string) => (query: Record<string, string>) =>
    `${path}?${new URLSearchParams(query).toString()}`;
  const search = pathOf('/v1/search/petitions');

  const kinds = kindsOf(words);
  for (const path of kinds.flatMap(({ queries }) => queries.map(search))) await reader.read(path);
  const measured = kinds.map((kind) => ({ kind, rounds: [] as Round[] }));
  for (let n = 0; n < settings.rounds; n += 1) {
    await waitForCaches(reader);
    for (const { kind, rounds } of measured) {
      const lists: number[] = [];
      // A list after each search, so that both are measured under the same load.
      const times = await time(reader, kind.queries.map(search), async () => {
        lists.push(await reader.read('/v1/petitions?limit=20'));
      });
      rounds.push({
        p50: median(times),
        p95: p95(times),
        listP50: median(lists),
        listP95: p95(lists),
      });
    }
  }
  const suggestions = [];
  for (const { name, queries } of suggestionsOf(words)) {
    const times = await time(reader, queries.map(pathOf('/v1/search/suggest')));
    suggestions.push({
      suggest: name,
      'p50 ms': median(times),
      'p95 ms': p95(times),
      target: verdict(p95(times), { atMost: maxSuggestionMs }),
    });
  }
  // Last, since the service closes a connection that is idle for so long.
  const rows = [];
  for (const { kind, rounds } of measured) {
    const plain = kind.plain ? await timePlain(db, kind.plain) : undefined;
    const of = (figureOf: (round: Round) => number) => median(rounds.map(figureOf));
    const p50 = of((round) => round.p50);
    const ninetyFifth = of((round) => round.p95);
    const ofList = of((round) => round.p95 / round.listP95);
    rows.push({
      search: kind.name,
      'p50 ms': p50,
      'p95 ms': ninetyFifth,
      target: verdict(ninetyFifth, { atMost: maxSearchMs }),
      'list, p95 ms': of((round) => round.listP95),
      'ratio to list': ofList,
      'plain way, p50 ms': plain ? figure(median(plain)) : '',
      'ratio of p50': plain ? figure(p50 / median(plain)) : '',
    });
  }
  print(
    `### ${size.toLocaleString('en')} petitions over HTTP, one search after the other, ${requests} of each kind, facets with each, and a list of 20 after each (p50 ${figure(median(measured.flatMap(({ rounds }) => rounds.map(({ listP50 }) => listP50))))} ms), medians of ${settings.rounds} rounds`,
    table(rows),
    '### Suggestions',
    table(suggestions),
  );
}

/** The database with petitions; kept for the next run if BENCH_DATA_DIR is set. */
async function openWorld(): Promise<BenchDatabase> {
  if (settings.dataDir) {
    return keptDatabase(`bench_search_${size}`, worldVersion(), (world) =>
      fillSearchWorld(world, size),
    );
  }
  const database = await createDatabase();
  await fillSearchWorld(database, size);
  return database;
}

/** Reads tables and word indexes into memory, where a server has them that has run for a while. */
async function readIntoMemory(db: Pool): Promise<void> {
  await db.begin(async (tx) => {
    await tx`set local enable_seqscan = off`;
    await tx`set local work_mem = '512MB'`;
    // By an index: PostgreSQL does not keep the pages of a sequential scan of a large table.
    const noId = '00000000-0000-0000-0000-000000000000';
    await tx`
      select count(length(document)), count(title) from search_documents where petition_id > ${noId}`;
    await tx`select count(length(document)) from search_sample where petition_id > ${noId}`;
    await tx`select count(title) from petitions where id > ${noId}`;
    const anyWord = Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n))
      .filter((sign) => !"'\\".includes(sign))
      .map((sign) => `'${sign}':*`)
      .join(' | ');
    for (const rows of [
      'search_documents where true',
      'search_sample where true',
      'search_sample where is_coarse',
    ]) {
      await tx`select count(*) from ${tx.unsafe(rows)} and document @@ ${anyWord}::tsquery`;
    }
  });
}

/** A hash of what the database is made by: schema, generator, and code that writes documents. */
function worldVersion(): string {
  const hash = createHash('sha256');
  for (const path of [
    '../migrations/0021_search.sql',
    '../migrations/0029_search_rungs.sql',
    '../migrations/0045_search_scans.sql',
    './support/search-world.ts',
    '../src/reach/search/document.ts',
    '../src/reach/search/analysis.ts',
  ]) {
    hash.update(readFileSync(new URL(path, import.meta.url)));
  }
  return hash.digest('hex').slice(0, 12);
}

const p95 = (times: number[]) =>
  percentile(
    times.toSorted((a, b) => a - b),
    0.95,
  );

/** Searches for other words until all caches have expired: the service would close an idle connection. */
async function waitForCaches(reader: Reader): Promise<void> {
  const end = performance.now() + 65_000;
  for (let n = 0; performance.now() < end; n += 1) {
    await reader.read(`/v1/search/petitions?q=${rareWord(2 * n + 1)}`);
    await reader.read('/v1/petitions?limit=20');
  }
}

/** Times of reading each path once, after a few to warm up; `after` runs after each. */
async function time(
  reader: Reader,
  paths: string[],
  after?: () => Promise<void>,
): Promise<number[]> {
  for (const path of paths.slice(0, 10)) await reader.read(path);
  const times = [];
  for (const path of paths) {
    times.push(await reader.read(path));
    await after?.();
  }
  return times;
}

/** Times of ranking and counting every match, without HTTP. */
async function timePlain(db: Pool, queries: string[]): Promise<number[]> {
  const times = [];
  for (const query of queries.slice(0, 5)) {
    const begun = performance.now();
    await db`
      select p.id, p.title, ts_rank(d.document, ${query}::tsquery) as rank
      from search_documents d join petitions p on p.id = d.petition_id
      where d.document @@ ${query}::tsquery and p.listed
      order by rank desc, p.id desc limit 20`;
    for (const column of [
      'p.status',
      'p.category_id',
      'p.location_country',
      'unnest(p.tag_keys)',
    ]) {
      await db`
        select ${db.unsafe(column)} as value, count(*) from search_documents d
        join petitions p on p.id = d.petition_id
        where d.document @@ ${query}::tsquery and p.listed
        group by 1 order by 2 desc limit 20`;
    }
    times.push(performance.now() - begun);
  }
  return times;
}

await main();
