import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createContext } from '../src/context.ts';
import { Sessions } from '../src/identity/sessions/sessions.ts';
import type { Pool } from '../src/platform/db.ts';
import { newId } from '../src/platform/ids.ts';
import { startChild } from './support/child.ts';
import { serviceConfig } from './support/config.ts';
import { createDatabase } from './support/database.ts';
import type { LoadProcess, LoadResult } from './support/load.ts';
import { createPetitions, createUsers, type Signer } from './support/people.ts';
import { median, percentile, print, table, verdict } from './support/report.ts';
import { settings } from './support/settings.ts';
import { prepareStage, signAll } from './support/signing-round.ts';
import { startService, type Service } from './support/start-service.ts';

/** Petitions that have older signatures. */
const petitions = 50;
const receipts = 2000;
/** Signatures a second while publishing is timed, and for how long. */
const steadyRate = 200;
const steadySeconds = 20;

/**
 * Measures the public log: how fast it takes older signatures, what one costs in bytes, how long a receipt takes, how soon
 * a signature is published, and what signing costs with it and without it, in turns.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { db, url: databaseUrl } = database;
  await using folder = await temporaryFolder();
  const dataDir = folder.path;
  await insertOlder(db, settings.olderSignatures);
  await begin(databaseUrl, db, dataDir);
  await using service = await startService({ databaseUrl, worker: true, hasLog: true, dataDir });
  await measureReceipts(databaseUrl, db, service);
  await measurePublishing(databaseUrl, db, service);
}

async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'petitions-log-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Inserts signatures of before the log, as an upgraded database has them. */
async function insertOlder(db: Pool, count: number): Promise<void> {
  const [creator] = await createUsers(db, 1);
  const created = await createPetitions(db, [creator!], petitions);
  const ids = created.map(({ id }) => id);
  await db.unsafe('alter table signatures disable trigger user');
  for (let done = 0; done < count; done += 100_000) {
    const signers = await createUsers(db, Math.min(100_000, count - done));
    await db`
      insert into signatures (id, petition_id, user_id, version, is_anonymous, is_proven, mailbox)
      select uuid_v7(), (${ids}::uuid[])[1 + n % ${petitions}], id, 1, false, true, sha256(uuid_send(id))
      from unnest(${signers}::uuid[]) with ordinality as s (id, n)`;
  }
  await db.unsafe('alter table signatures enable trigger user');
  await db`
    update petitions p set signature_count = s.n
    from (select petition_id, count(*) as n from signatures group by 1) s where s.petition_id = p.id`;
  await db.unsafe('vacuum analyze');
}

const sizeOf = (db: Pool): Promise<number> =>
  db.value<number>`select coalesce(max(size), 0)::float8 from transparency_log`;

/** Waits until all that counts is in the published log. */
async function untilPublished(db: Pool): Promise<void> {
  const isDone = () => db.exists`
    select from transparency_log
    where scan is null and not has_gap and published_size = size
      and (select count(*) from transparency_leaves where not is_undone) = (
        select count(*) from signatures where state = 'counted')`;
  while (!(await isDone())) await pause(50);
}

/** Times the first start with older signatures, and measures what they take. */
async function begin(databaseUrl: string, db: Pool, dataDir: string): Promise<void> {
  await using _ = await startService({ databaseUrl, worker: true, hasLog: true, dataDir });
  while ((await sizeOf(db)) === 0) await pause(10);
  const [sizeAtStart, startedAt] = [await sizeOf(db), performance.now()];
  const rateNow = async () =>
    (((await sizeOf(db)) - sizeAtStart) / (performance.now() - startedAt)) * 1000;
  while (await db.exists`select from transparency_log where scan is not null`) await pause(20);
  const sequenced = await rateNow();
  await untilPublished(db);
  const published = await rateNow();
  const count = settings.olderSignatures;
  const sizes = await db<{ name: string; bytes: number }[]>`
    select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class
    where relkind = 'r' and relname in ('transparency_leaves', 'transparency_openings', 'transparency_entry_lists')`;
  const files = await filesIn(join(dataDir, 'media', 'log'));
  const bytes = {
    ...Object.fromEntries(sizes.map(({ name, bytes: size }) => [name, size / count])),
    'bundles of entries': sum(files.filter(({ path }) => path.includes('/entries/'))) / count,
    'tiles of hashes': sum(files.filter(({ path }) => !path.includes('/entries/'))) / count,
  };
  const all = Object.values(bytes).reduce((total, one) => total + one, 0);
  print(
    `### ${count.toLocaleString('en')} older signatures`,
    table([
      {
        'signatures/s, sequenced': sequenced,
        wanted: verdict(sequenced, { atLeast: 20_000 }),
        published,
        ...bytes,
        'bytes a signature': all,
        'wanted bytes': verdict(all, { atMost: 400 }),
      },
    ]),
  );
}

const sum = (files: { size: number }[]) => files.reduce((total, { size }) => total + size, 0);

async function filesIn(folder: string): Promise<{ path: string; size: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        return { path, size: (await stat(path)).size };
      }),
  );
}

async function tokensOf(databaseUrl: string, ids: readonly string[]): Promise<Signer[]> {
  await using ctx = await createContext(serviceConfig(databaseUrl), databaseUrl);
  const { signingKeys, tokens } = new Sessions(ctx);
  await signingKeys.start();
  return await Promise.all(
    ids.map(async (id) => ({ id, token: await tokens.issueAccessToken(id, newId()) })),
  );
}

async function timeReceipt(port: number, petitionId: string, { token }: Signer) {
  const startedAt = performance.now();
  const answer = await fetch(
    `http://127.0.0.1:${port}/v1/petitions/${petitionId}/signatures/me/receipt`,
    {
      headers: { authorization: `Bearer ${token}` },
    },
  );
  await answer.arrayBuffer();
  return { status: answer.status, ms: performance.now() - startedAt };
}

/** Times receipts of random signers, one after the other. */
async function measureReceipts(databaseUrl: string, db: Pool, { port }: Service): Promise<void> {
  const rows = await db<{ user_id: string; petition_id: string }[]>`
    select user_id, petition_id from signatures order by random() limit ${receipts}`;
  const signers = await tokensOf(
    databaseUrl,
    rows.map(({ user_id: id }) => id),
  );
  const times: number[] = [];
  for (const [n, row] of rows.entries()) {
    const { status, ms } = await timeReceipt(port, row.petition_id, signers[n]!);
    assert.equal(status, 200);
    times.push(ms);
  }
  times.sort((a, b) => a - b);
  const p95 = percentile(times, 0.95);
  print(
    '### Receipts, one at a time',
    table([
      { 'p50 ms': percentile(times, 0.5), 'p95 ms': p95, wanted: verdict(p95, { atMost: 20 }) },
    ]),
  );
}

/** Times how long after its answer a signature is in a published checkpoint, while people sign steadily. */
async function measurePublishing(databaseUrl: string, db: Pool, { port }: Service): Promise<void> {
  const ids = await createUsers(db, steadyRate * steadySeconds);
  const signers = await tokensOf(databaseUrl, ids);
  const [petition] = await createPetitions(db, [ids[0]!], 1);
  const waits: number[] = [];
  const startedAt = performance.now();
  const one = async (signer: Signer, n: number) => {
    await pause(Math.max(0, startedAt + (n * 1000) / steadyRate - performance.now()));
    const answer = await fetch(`http://127.0.0.1:${port}/v1/petitions/${petition!.id}/signatures`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${signer.token}`,
        'x-forwarded-for': `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
      },
    });
    await answer.arrayBuffer();
    assert.equal(answer.status, 201);
    const signedAt = performance.now();
    // One in ten is looked for, so that looking is not the load.
    if (n % 10 > 0) return;
    while ((await timeReceipt(port, petition!.id, signer)).status === 202) await pause(50);
    waits.push(performance.now() - signedAt);
  };
  await Promise.all(signers.map(one));
  waits.sort((a, b) => a - b);
  const p99 = percentile(waits, 0.99);
  print(
    `### From a signature to its receipt, ${steadyRate} signatures a second`,
    table([
      { 'p50 ms': percentile(waits, 0.5), 'p99 ms': p99, wanted: verdict(p99, { atMost: 3000 }) },
    ]),
  );
}

/** Compares signing with the log, which a worker in the same process writes, and without it. */
async function compareSigning(): Promise<void> {
  await using database = await createDatabase();
  const { db, url: databaseUrl } = database;
  await using folder = await temporaryFolder();
  await using load = startChild<LoadProcess>('./load.ts');
  const { signatures, rounds } = settings;
  const stage = await prepareStage({ databaseUrl, db, load }, { signatures, warmUp: 500 });
  const results: Record<'on' | 'off', LoadResult[]> = { on: [], off: [] };
  for (let round = 0; round < 2 * rounds; round += 1) {
    const side = round % 2 === 0 ? 'on' : 'off';
    const hasLog = side === 'on';
    await using service = await startService({
      databaseUrl,
      worker: true,
      hasLog,
      dataDir: folder.path,
    });
    await signAll(stage, service.port, { petitions: 1 }, stage.warmUp);
    if (hasLog) await untilPublished(db);
    results[side].push(await signAll(stage, service.port, { petitions: 1 }, stage.signers));
  }
  const of = (side: 'on' | 'off', key: 'rate' | 'p99') =>
    median(results[side].map((one) => one[key]));
  const ratio = of('on', 'rate') / of('off', 'rate');
  print(
    '### Signing with the log on and off, in turns',
    table([
      {
        'signatures/s, on': of('on', 'rate'),
        off: of('off', 'rate'),
        ratio,
        wanted: verdict(ratio, { atLeast: 0.85 }),
        'p99 ms, on': of('on', 'p99'),
        'p99 ms, off': of('off', 'p99'),
        'ratio of p99': of('on', 'p99') / of('off', 'p99'),
      },
    ]),
  );
}

await main();
await compareSigning();
