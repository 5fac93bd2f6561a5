import { createDatabase } from './support/database.ts';
import { startChild } from './support/child.ts';
import type { LoadProcess, LoadResult } from './support/load.ts';
import { createPetition, createSigners, type Signer } from './support/people.ts';
import { median, megabytes, print, table, verdict } from './support/report.ts';
import { settings } from './support/settings.ts';
import { signingRequest } from './support/signing-round.ts';
import { startService, type Service } from './support/start-service.ts';
import type { WatchersProcess } from './support/watchers.ts';

const howMany = Math.round(10_000 * settings.scale);
const perSecond = 500;
const seconds = 8;
const connections = 64;

/**
 * Measures one petition with 10,000 watchers on WebSockets and 500 signatures a second: the time until all watchers have
 * the last count, the cost of a connection, and the effect on signing.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { url: databaseUrl, db } = database;
  const flatOut = Math.min(settings.signatures, 10_000);
  const signers = await createSigners(databaseUrl, db, perSecond * seconds + flatOut);
  await using load = startChild<LoadProcess>('./load.ts');
  await using crowd = startChild<WatchersProcess>('./watchers.ts');
  /** Runs one process with or without watchers: signing at a fixed rate, then at full speed. */
  const round = async (watched: boolean): Promise<Round> => {
    await using service = await startService({ databaseUrl });
    const { id, slug } = await createPetition(db, signers[0]!.id);
    await warmUp(service, slug);
    const before = await service.process.call('watchMemory');
    if (watched) await crowd.call('open', { port: service.port, petitionId: id, howMany });
    const { after } = await service.process.call('memory');
    const sign = async (people: Signer[], pace?: number): Promise<LoadResult> => {
      const requests = people.map((signer, n) => signingRequest(slug, signer, n));
      const job = { port: service.port, connections, requests, ...(pace && { perSecond: pace }) };
      const [result] = await load.call('putLoads', [job]);
      return result!;
    };
    const paced = await sign(signers.slice(0, perSecond * seconds), perSecond);
    const endedAt = performance.timeOrigin + performance.now();
    const heard = watched ? await crowd.call('allHeard', paced.answers) : undefined;
    const full = await sign(signers.slice(perSecond * seconds));
    if (watched) {
      await crowd.call('allHeard', paced.answers + full.answers);
      await crowd.call('close');
    }
    return {
      paced,
      full,
      lag: heard ? heard.lastHeardAt - endedAt : 0,
      messages: heard ? heard.messages / howMany / paced.seconds : 0,
      bytesEach: (after - before) / howMany,
    };
  };

  const alone: Round[] = [];
  const watched: Round[] = [];
  for (let n = 0; n < settings.rounds; n += 1) {
    alone.push(await round(false));
    watched.push(await round(true));
  }
  report(alone, watched);
}

interface Round {
  paced: LoadResult;
  full: LoadResult;
  /** Milliseconds from the last answer until the last watcher has its count. */
  lag: number;
  /** Messages to each watcher, a second. */
  messages: number;
  bytesEach: number;
}

async function warmUp(service: Service, slug: string): Promise<void> {
  for (let n = 0; n < 200; n += 1) {
    await (await fetch(`http://127.0.0.1:${service.port}/v1/petitions/${slug}`)).text();
  }
}

function report(alone: Round[], watched: Round[]): void {
  const row = (side: string, rounds: Round[]) => {
    const of = (value: (round: Round) => number) => median(rounds.map(value));
    return {
      side,
      'p99 ms at 500/s': of(({ paced }) => paced.p99),
      'signatures/s, as fast as it goes': of(({ full }) => full.rate),
      'p99 ms': of(({ full }) => full.p99),
    };
  };
  const rate = (rounds: Round[]) => median(rounds.map(({ full }) => full.rate));
  const ratio = rate(watched) / rate(alone);
  const lag = Math.max(...watched.map((round) => round.lag)) / 1000;
  print(
    `### ${howMany.toLocaleString('en')} watchers of one petition`,
    table([row('without watchers', alone), row('with them', watched)]),
    table([
      {
        measured: 'signatures/s with watchers, of those without',
        value: ratio,
        target: verdict(ratio, { atLeast: 0.7 }),
      },
      {
        measured: 'seconds until the last watcher knows the last count, at most',
        value: lag,
        target: verdict(lag, { atMost: 1 }),
      },
      {
        measured: 'messages a second to each',
        value: median(watched.map(({ messages }) => messages)),
        target: '',
      },
    ]),
    `A connection takes ${megabytes(median(watched.map(({ bytesEach }) => bytesEach)) * 1000)} for each 1,000.`,
  );
}

await main();
