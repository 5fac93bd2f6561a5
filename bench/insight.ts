import type { Pool } from '../src/platform/db.ts';
import { readCities } from '../src/platform/places/cities.ts';
import { startChild } from './support/child.ts';
import { createDatabase } from './support/database.ts';
import type { LoadProcess } from './support/load.ts';
import { createPetitions } from './support/people.ts';
import { median, percentile, print, table, verdict } from './support/report.ts';
import { settings } from './support/settings.ts';
import { prepareStage, signingRound, type SigningRound } from './support/signing-round.ts';
import { startService } from './support/start-service.ts';

/** Inserts sums of a petition with 1,000,000 signatures in a year, among others. */
const [petitions, hours, places] = [1000, 8760, 2000];
const readsOfEach = 40;

/**
 * Compares signing with and without places and sums, both with a worker that runs all other followers. Then measures
 * reads of large sums.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { url: databaseUrl, db } = database;
  await using load = startChild<LoadProcess>('./load.ts');
  const stage = await prepareStage(
    { databaseUrl, db, load },
    { signatures: settings.signatures, warmUp: 2000 },
  );
  const without: SigningRound[] = [];
  const withAll: SigningRound[] = [];
  const texts = cityNames();
  const plain = () => '{"comment":"I walk there every night."}';
  const placed = (n: number) =>
    JSON.stringify({
      comment: 'I walk there every night.',
      display_location: texts[n % texts.length],
      source: `site-${n % 20}.example`,
    });
  for (let round = 0; round < settings.rounds; round += 1) {
    await using _ = await startService({ databaseUrl, worker: true });
    // At this position the follower finds no events.
    await moveFollower(db, 'beyond');
    without.push(await signingRound(stage, { petitions: 1, bodyOf: plain }));
    await moveFollower(db, 'the end');
    withAll.push(await signingRound(stage, { petitions: 1, bodyOf: placed }));
    await followed(db);
  }
  reportSigning(without, withAll);
  await fill(db, stage.warmUp[0]!.id);
  await reportReading(databaseUrl, stage.warmUp[0]!.token);
}

/** Names of places all over the world. */
function cityNames(): string[] {
  const cities = readCities();
  return Array.from({ length: 1000 }, (_, n) => cities.nameOf((n * 119) % cities.count));
}

/** Sets the position of the follower of sums. */
async function moveFollower(db: Pool, to: 'the end' | 'beyond'): Promise<void> {
  await db`
    update event_followers set position = 0,
      transaction = case ${to} when 'beyond' then '4611686018427387904'::xid8
        else pg_snapshot_xmin(pg_current_snapshot()) end
    where name = 'signature-sums'`;
}

/** Waits until the sums include all events. */
async function followed(db: Pool): Promise<void> {
  for (;;) {
    const [row] = await db`
      select exists (select from events e join event_followers f on f.name = 'signature-sums'
        where (e.transaction, e.position) > (f.transaction, f.position)) as more`;
    if (!row!.more) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function reportSigning(without: SigningRound[], withAll: SigningRound[]): void {
  const of = (rounds: SigningRound[], key: 'rate' | 'p50' | 'p99') =>
    median(rounds.map((round) => round[key]));
  const row = (side: string, rounds: SigningRound[]) => ({
    side,
    'signatures/s': of(rounds, 'rate'),
    'p50 ms': of(rounds, 'p50'),
    'p99 ms': of(rounds, 'p99'),
  });
  const ratio = of(withAll, 'rate') / of(without, 'rate');
  print(
    `### ${settings.signatures.toLocaleString('en')} signatures of one petition over HTTP, 128 connections`,
    table([
      row('without places, sources and sums', without),
      row('of 1,000 places and from 20 sources, summed up', withAll),
    ]),
    table([{ compared: 'signatures/s', ratio, target: verdict(ratio, { atLeast: 0.8 }) }]),
  );
}

/** Inserts sums only: the measured reads do not use signatures. */
async function fill(db: Pool, creatorId: string): Promise<void> {
  await createPetitions(db, [creatorId], petitions);
  await db`update petitions set published_at = now() - interval '366 days'`;
  const [largest] = await db`select id from petitions order by id desc limit 1`;
  await db`
    insert into signature_hours (petition_id, hour, count)
    select p.id, date_trunc('hour', now()) - n * interval '1 hour', 114
    from petitions p, generate_series(0, ${hours} - 1) n
    where p.id = ${largest!.id} or n % 20 = 0
    on conflict do nothing`;
  await db`
    insert into signature_place_hours (petition_id, hour, place, count)
    select p.id, date_trunc('hour', now()) - n * interval '1 hour', 'GB.ENG.' || place, 1 + place % 4
    from petitions p, generate_series(0, 167) n, generate_series(1, ${places}) place
    where p.id = ${largest!.id} and (place + n) % 4 = 0 or (place + n) % 1000 = 0
    on conflict do nothing`;
  await db`
    insert into all_place_hours (hour, place, count)
    select hour, place, sum(count) from signature_place_hours group by 1, 2
    on conflict do nothing`;
  await db`
    insert into signature_region_days (petition_id, day, region, count)
    select p.id, current_date - n, 'C' || chr(65 + region % 26) || '.' || region, 7
    from petitions p, generate_series(0, 365) n, generate_series(1, 400) region
    where p.id = ${largest!.id} or (region + n) % 100 = 0
    on conflict do nothing`;
  await db`
    insert into petition_views (petition_id, day, source, views)
    select p.id, current_date - n, 'site-' || source, 30
    from petitions p, generate_series(0, 365) n, generate_series(1, 101) source
    where p.id = ${largest!.id} or (source + n) % 25 = 0`;
  await db`
    insert into all_country_days (day, country, count)
    select day, left(region, 2), sum(count) from signature_region_days group by 1, 2
    on conflict do nothing`;
  await db`
    analyze signature_hours, signature_place_hours, signature_region_days, petition_views,
      all_place_hours, all_country_days`;
}

async function reportReading(databaseUrl: string, token: string): Promise<void> {
  await using service = await startService({ databaseUrl });
  const origin = `http://127.0.0.1:${service.port}`;
  const list = await fetch(`${origin}/v1/petitions?limit=1`);
  const { data } = (await list.json()) as { data: { id: string }[] };
  const base = `/v1/petitions/${data[0]!.id}`;
  const rows = [];
  // Different parameters each time, to avoid caches.
  for (const [what, pathOf] of [
    ['map of a petition, a week', (n: number) => `${base}/signatures/geo?hours=${168 - n}`],
    [
      'map of all petitions, a week',
      (n: number) => `/v1/petitions/global/signatures/geo?hours=${168 - n}`,
    ],
    ['history, a week of a year', (n: number) => `${base}/history?limit=${168 + n}`],
    ['analytics, a year by day', () => `${base}/analytics`],
    ['statistics, a year', (n: number) => `/v1/analytics/stats?start_date=${daysAgo(365 - n)}`],
  ] as const) {
    const times: number[] = [];
    for (let n = 0; n < readsOfEach; n += 1) {
      const begun = performance.now();
      const answer = await fetch(origin + pathOf(n), {
        headers: { authorization: `Bearer ${token}` },
      });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${pathOf(n)}: ${answer.status}`);
      times.push(performance.now() - begun);
    }
    const sorted = times.toSorted((a, b) => a - b);
    rows.push({ what, 'p50 ms': percentile(sorted, 0.5), 'p90 ms': percentile(sorted, 0.9) });
  }
  print(
    `### Reading sums of ${petitions} petitions, one of which has 1,000,000 signatures`,
    table(rows),
  );
}

const daysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

await main();
