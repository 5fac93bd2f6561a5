import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { createDatabase, keptDatabase, type BenchDatabase } from './support/database.ts';
import { cursorsTo, listsOf, type List } from './support/lists.ts';
import { planOf, statementOf, withCursor } from './support/plans.ts';
import { figure, median, print, table, verdict } from './support/report.ts';
import { Reader } from './support/reader.ts';
import { settings } from './support/settings.ts';
import { startService } from './support/start-service.ts';
import { fillWorld, worldSize } from './support/world.ts';

const limit = 20;
const deepPage = Math.max(2, Math.round(10_000 * settings.scale));
/** Number of deep pages that are read in turn, to avoid caches. */
const neighbours = Math.min(100, Math.ceil(deepPage / 10));
const passes = 4;
const deepName = `page ${deepPage.toLocaleString('en')}`;

/** Compares the first page of each list with the 10,000th, which starts 200,000 rows deeper. */
async function main(): Promise<void> {
  await using database = await openWorld();
  const { db, url: databaseUrl } = database;
  await using service = await startService({ databaseUrl, lists: 'not remembered' });
  using reader = new Reader(service.port);
  const times = [];
  const plans = [];
  for (const list of await listsOf(db, limit)) {
    const cursors = await cursorsTo(db, list, { from: deepPage, howMany: neighbours, limit });
    times.push(await time(reader, list, cursors));
    plans.push(...(await explain(database, list, cursors[0]!)));
  }
  print(
    `### Pages of ${limit} over HTTP, one after the other: medians of ${neighbours * passes} times, in ms`,
    table(times),
    '### How the database reads them',
    table(plans),
  );
}

/** Opens the database of the benchmark, which BENCH_DATA_DIR keeps for later runs. */
async function openWorld(): Promise<BenchDatabase> {
  const size = worldSize(settings.scale);
  if (settings.dataDir) {
    const name = `bench_world_${size.petitions}`;
    return keptDatabase(name, worldVersion(), ({ db }) => fillWorld(db, size));
  }
  const database = await createDatabase();
  await fillWorld(database.db, size);
  return database;
}

/** Version of the data: a hash of the schema and the generator. */
function worldVersion(): string {
  const migrations = new URL('../migrations/', import.meta.url);
  const hash = createHash('sha256');
  for (const name of globSync('[0-9]*.sql', { cwd: migrations }).toSorted()) {
    hash.update(readFileSync(new URL(name, migrations)));
  }
  hash.update(readFileSync(new URL('support/world.ts', import.meta.url)));
  return hash.digest('hex').slice(0, 12);
}

/** Measures both pages in turn, after reading each once. */
async function time(reader: Reader, list: List, cursors: string[]) {
  const deepPath = (cursor: string) => `${list.path}&cursor=${cursor}`;
  const never: number[] = [];
  const first: number[] = [];
  const deep: number[] = [];
  for (const cursor of cursors) {
    await reader.read(list.path);
    never.push(await reader.read(deepPath(cursor)));
  }
  for (let pass = 0; pass < passes; pass += 1) {
    for (const cursor of cursors) {
      first.push(await reader.read(list.path));
      deep.push(await reader.read(deepPath(cursor)));
    }
  }
  const ratio = median(deep) / median(first);
  return {
    list: list.name,
    'page 1': median(first),
    [deepName]: median(deep),
    'the same, read for the first time': median(never),
    ratio,
    target: verdict(ratio, { atMost: 1.3 }),
  };
}

/** Compares the plans of both pages with the intended index. */
async function explain({ db, url }: BenchDatabase, list: List, cursor: string) {
  const rows = [];
  for (const [page, at] of [
    ['page 1', undefined],
    [deepName, cursor],
  ] as const) {
    const plan = await planOf(db, await statementOf(url, withCursor(list.page, at)));
    if (settings.verbose) print(`#### ${list.name}, ${page}`, `\`\`\`\n${plan.text}\n\`\`\``);
    const asMeant = plan.indexes.includes(list.index) && !plan.wasteful;
    rows.push({
      list: list.name,
      page,
      'by index': list.index,
      'as meant': asMeant ? 'yes' : `no: ${plan.indexes.join(', ') || 'none'}`,
      'database pages': plan.buffers,
      ms: figure(plan.milliseconds),
    });
  }
  return rows;
}

await main();
