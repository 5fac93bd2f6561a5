import type { BareProcess } from './support/bare-server.ts';
import { startChild, type Child } from './support/child.ts';
import { createDatabase } from './support/database.ts';
import { toBytes } from './support/http.ts';
import type { Load, LoadProcess, LoadResult } from './support/load.ts';
import { createPetition, createSigners } from './support/people.ts';
import { median, print, table, verdict } from './support/report.ts';
import { settings } from './support/settings.ts';
import { signingRequest } from './support/signing-round.ts';
import { startService } from './support/start-service.ts';

const connections = 32;
/** Enough addresses to stay below the rate limits. */
const addresses = 8192;
const signaturesPerSecond = 50;

/**
 * Compares reading a petition and a list of 20 over HTTP with a route of the bare framework that returns the same bytes.
 * Then measures the petition during signing.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { url: databaseUrl, db } = database;
  const howManySigners = Math.ceil(signaturesPerSecond * settings.seconds * settings.rounds * 1.1);
  const signers = await createSigners(databaseUrl, db, howManySigners);
  const created = [];
  for (let n = 1; n <= 40; n += 1) created.push(await createPetition(db, signers[0]!.id));
  const slug = created.at(-1)!.slug;
  await using service = await startService({ databaseUrl });
  await using load = startChild<LoadProcess>('./load.ts');

  const pages = [
    { name: 'one petition', path: `/v1/petitions/${slug}`, target: 0.6 },
    { name: 'a list of 20', path: '/v1/petitions?limit=20', target: 0.4 },
  ];
  const results = [];
  for (const page of pages) {
    const answer = await fetch(`http://127.0.0.1:${service.port}${page.path}`);
    const body = await answer.text();
    const mediaType = answer.headers.get('content-type')!;
    await using bare = startChild<BareProcess>('./bare-server.ts');
    const { port } = await bare.call('start', { mediaType, body });
    const reader = (to: number) => (round: number) => read(load, reading(to, page.path), round);
    const [ours, bares] = await alternate(reader(service.port), reader(port));
    results.push({ ...page, bytes: body.length, ours, bares });
  }
  const busy = await readWhileSigned();
  report(results, busy);

  async function readWhileSigned(): Promise<[LoadResult, LoadResult][]> {
    const rounds: [LoadResult, LoadResult][] = [];
    const requests = signers.map((signer, n) => signingRequest(slug, signer, n));
    const each = Math.floor(requests.length / settings.rounds);
    for (let round = 0; round < settings.rounds; round += 1) {
      const signing: Load = {
        port: service.port,
        connections: 16,
        requests: requests.slice(round * each, (round + 1) * each),
        seconds: settings.seconds,
        perSecond: signaturesPerSecond,
      };
      const both = await load.call('putLoads', [reading(service.port, pages[0]!.path), signing]);
      rounds.push([checked(both[0]!, 200), checked(both[1]!, 201)]);
    }
    return rounds;
  }
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
      headers: { 'x-forwarded-for': `10.0.${n >> 8}.${n & 255}`, accept: 'application/json' },
    }),
  ),
});

/** Seconds of warm-up, in which code is compiled. */
const warmUp = { first: 6, later: 1 };

/** Reads during the warm-up, then for the round. */
async function read(process: Child<LoadProcess>, load: Load, round: number): Promise<LoadResult> {
  await process.call('putLoads', [{ ...load, seconds: round === 0 ? warmUp.first : warmUp.later }]);
  const [result] = await process.call('putLoads', [load]);
  return checked(result!, 200);
}

type Round<T> = (round: number) => Promise<T>;

async function alternate<T>(one: Round<T>, other: Round<T>): Promise<[T[], T[]]> {
  const results: [T[], T[]] = [[], []];
  for (let round = 0; round < settings.rounds; round += 1) {
    results[0].push(await one(round));
    results[1].push(await other(round));
  }
  return results;
}

function checked(result: LoadResult, status: number): LoadResult {
  if (result.answers === 0 || result.statuses[status] !== result.answers) {
    throw new Error(`Answers other than ${status}: ${JSON.stringify(result.statuses)}`);
  }
  return result;
}

interface PageResult {
  name: string;
  bytes: number;
  target: number;
  ours: LoadResult[];
  bares: LoadResult[];
}

function report(results: PageResult[], busy: [LoadResult, LoadResult][]): void {
  const figures = (rounds: LoadResult[]) => ({
    'answers/s': median(rounds.map(({ rate }) => rate)),
    'p50 ms': median(rounds.map(({ p50 }) => p50)),
    'p99 ms': median(rounds.map(({ p99 }) => p99)),
  });
  const rows = results.flatMap(({ name, bytes, target, ours, bares }) => {
    const [service, bare] = [figures(ours), figures(bares)];
    const ratio = service['answers/s'] / bare['answers/s'];
    return [
      {
        read: `${name}, ${bytes} bytes`,
        ...service,
        ratio,
        target: verdict(ratio, { atLeast: target }),
      },
      { read: `${name}, bare route`, ...bare, ratio: '', target: '' },
    ];
  });
  const readers = figures(busy.map(([one]) => one));
  const signing = figures(busy.map(([, one]) => one));
  print(
    `### Reading from ${connections} connections, medians of ${settings.rounds} rounds of ${settings.seconds} s`,
    table(rows),
    `### The same petition while it is signed ${signaturesPerSecond} times a second`,
    table([
      { what: 'reading', ...readers },
      { what: 'signing', ...signing },
    ]),
  );
}

await main();
