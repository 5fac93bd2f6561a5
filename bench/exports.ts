import assert from 'node:assert/strict';
import type { Pool } from '../src/platform/db.ts';
import { startChild } from './support/child.ts';
import { createDatabase } from './support/database.ts';
import type { LoadProcess } from './support/load.ts';
import { measureOrdinary, perSecond, ratiosOf, type Measured } from './support/ordinary.ts';
import { createPetition, createSigners, type Signer } from './support/people.ts';
import { median, megabytes, print, table, verdict } from './support/report.ts';
import { settings } from './support/settings.ts';
import { signingRequest } from './support/signing-round.ts';
import { startService } from './support/start-service.ts';

const exported = Math.ceil(1_000_000 * settings.scale);
const formats = ['csv', 'json'] as const;

interface Exported {
  seconds: number;
  bytes: number;
}

/**
 * What people wait for while the signatures of a large petition are exported, and while none are, in
 * turns, and what memory the process takes meanwhile.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { db, url: databaseUrl } = database;
  const each = Math.ceil(perSecond.signing * settings.seconds * 1.2);
  const signers = await createSigners(databaseUrl, db, each * (settings.rounds * 2 + 1));
  const creator = signers[0]!;
  const large = await createPetition(db, creator.id, 1);
  await signByCrowd(db, large.id);
  const read = await createPetition(db, creator.id, 2);
  const signings = signers.map((signer, n) => signingRequest(read.slug, signer, n));
  await db`vacuum analyze`;
  await using service = await startService({ databaseUrl });
  await using load = startChild<LoadProcess>('./load.ts');
  const measure = () => measureOrdinary(load, service.port, read.slug, signings.splice(0, each));

  await measure();
  const quiet: Measured[] = [];
  const busy: Measured[] = [];
  const exports: Exported[] = [];
  const before = await service.process.call('watchMemory');
  for (let round = 0; round < settings.rounds; round += 1) {
    quiet.push(await measure());
    let underWay = true;
    const format = formats[round % formats.length]!;
    const exporting = exportAll(service.port, large.id, creator, format).finally(
      () => (underWay = false),
    );
    busy.push(await measure());
    assert.ok(underWay, 'the export ended while it was measured: raise BENCH_SCALE');
    exports.push(await exporting);
  }
  const { peak, after } = await service.process.call('memory');
  report(quiet, busy, exports, { before, peak, after });
}

/** As many users and their signatures, a quarter of them with comments. */
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

/** Reads the export as fast as it comes, and makes sure that it is whole. */
async function exportAll(
  port: number,
  petitionId: string,
  { token }: Signer,
  format: (typeof formats)[number],
): Promise<Exported> {
  const start = performance.now();
  const response = await fetch(
    `http://127.0.0.1:${port}/v1/petitions/${petitionId}/signatures/export?format=${format}`,
    { headers: { authorization: `Bearer ${token}` } },
  );
  assert.equal(response.status, 200);
  const endOfRow = format === 'csv' ? '\n' : '"created_at"';
  let [bytes, rows, rest] = [0, 0, ''];
  for await (const chunk of response.body!) {
    bytes += chunk.length;
    const text = rest + Buffer.from(chunk).toString('latin1');
    const parts = text.split(endOfRow);
    rows += parts.length - 1;
    rest = parts.at(-1)!.slice(-endOfRow.length);
  }
  assert.equal(rows, format === 'csv' ? exported + 1 : exported);
  return { seconds: (performance.now() - start) / 1000, bytes };
}

function report(
  quiet: Measured[],
  busy: Measured[],
  exports: Exported[],
  { before, peak, after }: { before: number; peak: number; after: number },
): void {
  const seconds = median(exports.map((one) => one.seconds));
  const mostMemory = peak / 2 ** 20;
  print(
    `### Ordinary requests while ${exported.toLocaleString('en')} signatures are exported, medians of ${settings.rounds} rounds of ${settings.seconds} s`,
    ratiosOf(quiet, busy, 'the export'),
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
        target: verdict(mostMemory, { atMost: 300 }),
      },
    ]),
  );
}

await main();
