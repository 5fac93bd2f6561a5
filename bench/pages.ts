import { needsChromium } from '../test/browser/chromium.ts';
import { allPages } from '../test/support/every-page.ts';
import { measureFirstLoads, maxFirstLoadBytes } from '../test/support/first-loads.ts';
import { makePageWorld } from '../test/support/page-world.ts';
import { startService as startTestService } from '../test/support/service.ts';
import { startChild, type Child } from './support/child.ts';
import { createDatabase } from './support/database.ts';
import { toBytes } from './support/http.ts';
import type { Load, LoadProcess, LoadResult } from './support/load.ts';
import { createPetition, createSigners } from './support/people.ts';
import { measurePageLoads } from './support/page-loads.ts';
import { median, print, table, verdict } from './support/report.ts';
import { settings } from './support/settings.ts';
import { signingRequest } from './support/signing-round.ts';
import { startService } from './support/start-service.ts';

const connections = 32;
/** Enough addresses to stay below the rate limits. */
const addresses = 8192;
const signaturesPerSecond = 50;

/**
 * Compares the page of a petition with the API's read of it, idle and during signing. Measures the first load of each
 * page, and how a phone shows those that most visitors open.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { url: databaseUrl, db } = database;
  const howMany = Math.ceil(signaturesPerSecond * settings.seconds * settings.rounds * 2.2);
  const signers = await createSigners(databaseUrl, db, howMany);
  const { slug } = await createPetition(db, signers[0]!.id);
  await using service = await startService({ databaseUrl });
  await using load = startChild<LoadProcess>('./load.ts');
  const requests = signers.map((signer, n) => signingRequest(slug, signer, n));
  const [page, api] = [`/p/${slug}`, `/v1/petitions/${slug}`];
  const results: Record<'resting' | 'signed', { page: LoadResult[]; api: LoadResult[] }> = {
    resting: { page: [], api: [] },
    signed: { page: [], api: [] },
  };
  const each = Math.floor(requests.length / settings.rounds / 2);
  for (let round = 0; round < settings.rounds; round += 1) {
    for (const [name, path] of [
      ['page', page],
      ['api', api],
    ] as const) {
      const reader = reading(service.port, path);
      await load.call('putLoads', [{ ...reader, seconds: round === 0 ? 6 : 1 }]);
      results.resting[name].push(await read(load, reader));
      const signing: Load = {
        port: service.port,
        connections: 16,
        requests: requests.splice(0, each),
        seconds: settings.seconds,
        perSecond: signaturesPerSecond,
      };
      results.signed[name].push(await read(load, reader, signing));
    }
  }
  const { firstLoads, onPhone } = await measureTransfers();
  print(
    `### The page of a petition against the API's read, ${connections} connections, medians of ${settings.rounds} rounds of ${settings.seconds} s`,
    table([
      ...compared('at rest', results.resting, 0.5),
      ...compared(`while it is signed ${signaturesPerSecond} times a second`, results.signed, 0.5),
    ]),
    '### First loads without pictures, in bytes',
    table(firstLoads),
    '### Pages on a phone with a slow mobile network, medians of 5 loads',
    onPhone.length > 0 ? table(onPhone) : 'Chromium is not installed.',
  );
}

/** A load of reads from many addresses behind the trusted proxy. */
const reading = (port: number, path: string): Load => ({
  port,
  connections,
  seconds: settings.seconds,
  requests: Array.from({ length: addresses }, (_, n) =>
    toBytes({
      method: 'GET',
      path,
      headers: {
        'x-forwarded-for': `10.0.${n >> 8}.${n & 255}`,
        'accept-language': 'de,en;q=0.5',
        'accept-encoding': 'gzip, deflate, br, zstd',
      },
    }),
  ),
});

async function read(process: Child<LoadProcess>, load: Load, beside?: Load): Promise<LoadResult> {
  const [result, signed] = await process.call('putLoads', beside ? [load, beside] : [load]);
  requireOnly(result!, 200);
  if (signed) requireOnly(signed, 201);
  return result!;
}

function requireOnly(result: LoadResult, status: number): void {
  if (result.answers === 0 || result.statuses[status] !== result.answers) {
    throw new Error(`Answers other than ${status}: ${JSON.stringify(result.statuses)}`);
  }
}

function compared(
  when: string,
  { page, api }: { page: LoadResult[]; api: LoadResult[] },
  atLeast: number,
) {
  const figures = (rounds: LoadResult[]) => ({
    'answers/s': median(rounds.map(({ rate }) => rate)),
    'p50 ms': median(rounds.map(({ p50 }) => p50)),
    'p99 ms': median(rounds.map(({ p99 }) => p99)),
  });
  const [ours, theirs] = [figures(page), figures(api)];
  const ratio = ours['answers/s'] / theirs['answers/s'];
  return [
    { read: `the page, ${when}`, ...ours, ratio, target: verdict(ratio, { atLeast }) },
    { read: `the API, ${when}`, ...theirs, ratio: '', target: '' },
  ];
}

/** Pages that most visitors open first. */
const entryPages = new Set(['/', '/petitions', '/p/{slug}']);

/** Measures the first load of each page in its first state, and how a phone shows the pages that most visitors open. */
async function measureTransfers() {
  await using database = await createDatabase();
  await using service = await startTestService({ databaseUrl: database.url, worker: true });
  const world = await makePageWorld(service);
  const firstOfEach = Object.entries(allPages(world)).map(([route, [shown]]) => ({
    route,
    shown: shown!,
  }));
  const loads = await measureFirstLoads(
    service,
    world,
    firstOfEach.map(({ shown }) => shown),
  );
  const entries = firstOfEach.filter(({ route }) => entryPages.has(route));
  const paths = entries.map(({ shown }) => shown.path);
  const onPhone = needsChromium.skip ? [] : await measurePageLoads(service.origin, paths);
  return {
    firstLoads: loads.map(({ htmlBytes, bytes, wireBytes }, index) => ({
      page: firstOfEach[index]!.route,
      'of itself': htmlBytes,
      'in all': bytes,
      'on the wire': wireBytes,
      target: verdict(wireBytes, { atMost: maxFirstLoadBytes }),
    })),
    onPhone: onPhone.map(({ wireBytes, requests, cls, lcpMs }, index) => ({
      page: entries[index]!.route,
      'bytes on the wire': wireBytes,
      requests,
      CLS: cls,
      'LCP, ms': lcpMs,
      target: verdict(wireBytes, { atMost: maxFirstLoadBytes }),
    })),
  };
}

await main();
