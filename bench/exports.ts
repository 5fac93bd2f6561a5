import assert from 'node:assert/strict';
import type { Pool } from '../src/platform/db.ts';
import { startChild } from './support/child.ts';
import { createDatabase } from './support/database.ts';
import type { LoadProcess } from './support/load.ts';
import {
  measureInTurns,
  createMeter,
  ratiosOf,
  roundsInWords,
  signersOfRounds,
  type Measured,
  type Round,
} from './support/ordinary.ts';
import { createPetition, createSigners, type Signer } from './support/people.ts';
import { median, megabytes, print, table, verdict } from './support/report.ts';
import { settings } from './support/settings.ts';
import { startService } from './support/start-service.ts';

const exported = Math.ceil(1_000_000 * settings.scale);

/** Matches a complete row of an export, with its id. */
const rowIn = {
  csv: /^([0-9a-f-]{36}),.*\r\n/gm,
  json: /\{"id":"([0-9a-f-]{36})".*?"user":(?:null|\{[^}]*\})\}/g,
};
const formats = ['csv', 'json'] as const;

/** The progress of an export. */
interface Progress {
  format: (typeof formats)[number];
  rows: number;
  bytes: number;
  seconds: number;
  lastId: string | undefined;
}

/**
 * Measures ordinary requests with and without an export of the signatures of a large petition, and the memory of the
 * process. The export is interrupted every other turn, so that other load of the machine affects both sides equally.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { db, url: databaseUrl } = database;
  const signers = await createSigners(databaseUrl, db, signersOfRounds);
  const creator = signers[0]!;
  const large = await createPetition(db, creator.id);
  await signByCrowd(db, large.id);
  const read = await createPetition(db, creator.id);
  await db`vacuum analyze`;
  await using service = await startService({ databaseUrl });
  await using load = startChild<LoadProcess>('./load.ts');
  const measure = createMeter(load, service.port, read.slug, signers);

  await measure();
  const rounds: Round[] = [];
  const exports: Progress[] = [];
  const before = await service.process.call('watchMemory');
  for (let n = 0; n < settings.rounds; n += 1) {
    const format = formats[n % formats.length]!;
    const progress: Progress = { format, rows: 0, bytes: 0, seconds: 0, lastId: undefined };
    const resumeExport = (until?: AbortSignal) =>
      resume(service.port, large.id, creator, progress, until);
    rounds.push(await measureInTurns(measure, () => duringExport(measure, resumeExport)));
    await resumeExport();
    assert.equal(progress.rows, exported);
    exports.push(progress);
  }
  const { peak, after } = await service.process.call('memory');
  report(rounds, exports, { before, peak, after });
}

async function duringExport(
  measure: () => Promise<Measured>,
  resumeExport: (until: AbortSignal) => Promise<void>,
): Promise<Measured> {
  const stopping = new AbortController();
  const exporting = resumeExport(stopping.signal);
  const measured = await measure();
  stopping.abort();
  await exporting;
  return measured;
}

/** Continues the export after the last row, to the end or until the signal aborts. */
async function resume(
  port: number,
  petitionId: string,
  { token }: Signer,
  progress: Progress,
  until?: AbortSignal,
): Promise<void> {
  const { format, lastId } = progress;
  const query = new URLSearchParams({ format, ...(lastId && { after: lastId }) }).toString();
  const start = performance.now();
  const response = await fetch(
    `http://127.0.0.1:${port}/v1/petitions/${petitionId}/signatures/export?${query}`,
    { headers: { authorization: `Bearer ${token}` }, signal: until ?? null },
  );
  assert.equal(response.status, 200);
  let rest = '';
  try {
    for await (const chunk of response.body!) {
      progress.bytes += chunk.length;
      const text = rest + Buffer.from(chunk).toString('latin1');
      let end = 0;
      for (const { 0: row, 1: id, index } of text.matchAll(rowIn[format])) {
        progress.rows += 1;
        progress.lastId = id;
        end = index + row.length;
      }
      rest = text.slice(end);
    }
    assert.ok(!until, 'the export ended while it was measured: raise BENCH_SCALE');
  } catch (error) {
    if (!until?.aborted) throw error;
  } finally {
    progress.seconds += (performance.now() - start) / 1000;
  }
}

/** Inserts users and their signatures, a quarter of them with comments. */
async function signByCrowd(db: Pool, petitionId: string): Promise<void> {
  await db.begin(async (tx) => {
    await tx`set local synchronous_commit = off`;
    await tx`
      create temporary table crowd on commit drop as
      select n, at, overlay(overlay(md5(n::text) placing
        lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' from 1 for 13)
        placing '8' from 17 for 1)::uuid as id
      from (select n, now() - (${exported} - n) * interval '1 second' as at
        from generate_series(1, ${exported}::integer) n) times`;
    await tx`
      insert into users (id, email, display_name, slug, email_verified_at)
      select id, n || '@crowd.example.org', 'Signer ' || n, 'signer-' || n, now()
      from crowd order by n`;
    await tx`
      insert into signatures
        (id, petition_id, user_id, version, is_anonymous, comment, display_location, created_at)
      select id, ${petitionId}, id, 1, n % 10 = 0,
        case when n % 4 = 0 then 'I walk there every night, and so do my children.' end,
        case when n % 2 = 0 then 'Leeds, GB' end, at
      from crowd order by n`;
  });
}

function report(
  rounds: Round[],
  exports: Progress[],
  { before, peak, after }: { before: number; peak: number; after: number },
): void {
  const seconds = median(exports.map((one) => one.seconds));
  const peakMegabytes = peak / 2 ** 20;
  print(
    `### Ordinary requests while ${exported.toLocaleString('en')} signatures are exported, ${roundsInWords}`,
    ratiosOf(rounds, 'the export'),
    table([
      {
        'the export took, s': seconds,
        'signatures a second': exported / seconds,
        size: exports.map(({ bytes }) => megabytes(bytes)).join(', '),
      },
    ]),
    '### Memory of the process, resident',
    table([
      {
        before: megabytes(before),
        'at most': megabytes(peak),
        after: megabytes(after),
        target: verdict(peakMegabytes, { atMost: 300 }),
      },
    ]),
  );
}

await main();
