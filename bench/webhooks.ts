import { setTimeout as pause } from 'node:timers/promises';
import { openKeys } from '../src/platform/sealed-keys.ts';
import type { Pool } from '../src/platform/db.ts';
import { newId } from '../src/platform/ids.ts';
import { startChild, type Child } from './support/child.ts';
import { serviceConfig } from './support/config.ts';
import { createDatabase } from './support/database.ts';
import { createPetition, createUsers } from './support/people.ts';
import { median, percentile, print, table, verdict } from './support/report.ts';
import { settings } from './support/settings.ts';
import type { WebhookReceiver } from './support/webhook-receiver.ts';
import type { WebhookWorker } from './support/webhook-worker.ts';

interface Stage {
  db: Pool;
  databaseUrl: string;
  receiver: Child<WebhookReceiver>;
  port: number;
}

/** Deliveries in one measurement of the rate. */
const deliveries = 6000;
/** Events a second during the measurement of latency, each to 50 endpoints. */
const eventRate = 5;

/**
 * Measures webhooks from the event to a local receiver that answers at once: the rate under a backlog, and the latency
 * without one, with and without an endpoint that never answers.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  await using receiver = startChild<WebhookReceiver>('./webhook-receiver.ts');
  const port = await receiver.call('listen');
  const stage = { db: database.db, databaseUrl: database.url, receiver, port };
  await using worker = startChild<WebhookWorker>('./webhook-worker.ts');
  await worker.call('start', database.url);
  const rates = [];
  for (const endpoints of [1, 50]) {
    const measured: number[] = [];
    for (let round = 0; round < settings.rounds; round += 1) {
      measured.push(await rateTo(stage, endpoints));
    }
    rates.push({ endpoints, 'deliveries/s': median(measured) });
  }
  print('### Deliveries a second', table(rates));
  const without: number[][] = [];
  const beside: number[][] = [];
  for (let round = 0; round < settings.rounds; round += 1) {
    without.push(await latencies(stage, false));
    beside.push(await latencies(stage, true));
  }
  const row = (side: string, rounds: number[][]) => ({
    side,
    'median ms': median(rounds.map((one) => percentile(one, 0.5))),
    'p99 ms': median(rounds.map((one) => percentile(one, 0.99))),
  });
  const rows = [row('all answer', without), row('one of them never answers', beside)];
  const ratio = rows[1]!['median ms'] / rows[0]!['median ms'];
  print(
    `### From event to arrival, ${eventRate} events a second, each to 50 endpoints`,
    table(rows),
    table([{ compared: 'median', ratio, target: verdict(ratio, { atMost: 1.5 }) }]),
  );
}

/** Creates a petition with endpoints of its creator. The first may be one that never answers. */
async function petitionWith({ db, databaseUrl, port }: Stage, endpoints: number, stuck: boolean) {
  const [creator] = (await createUsers(db, 1)) as [string];
  const { id } = await createPetition(db, creator);
  const keys = await openKeys(db, serviceConfig(databaseUrl).secret);
  for (let n = 0; n < endpoints; n += 1) {
    const endpoint = newId();
    const secret = keys.seal('webhook-secret', `whsec_${btoa(endpoint)}`, endpoint);
    const url = `http://127.0.0.1:${port}/${stuck && n === 0 ? 'stuck' : n}`;
    await db`
      insert into webhook_endpoints (id, user_id, url, events, secret_sealed)
      values (${endpoint}, ${creator}, ${url}, '{petition.updated}', ${secret})`;
  }
  return { petitionId: id, creator };
}

async function createEvents(db: Pool, petitionId: string, creator: string, howMany: number) {
  await db`
    insert into events (type, petition_id, actor_type, actor_id)
    select 'petition.updated', ${petitionId}, 'user', ${creator} from generate_series(1, ${howMany})`;
  await db`select pg_notify('events', 'bench')`;
}

async function arrive({ receiver }: Stage, howMany: number): Promise<void> {
  const end = Date.now() + 120_000;
  while ((await receiver.call('count')) < howMany) {
    if (Date.now() > end) throw new Error(`fewer than ${howMany} deliveries arrived`);
    await pause(50);
  }
}

async function rateTo(stage: Stage, endpoints: number): Promise<number> {
  const { petitionId, creator } = await petitionWith(stage, endpoints, false);
  await createEvents(stage.db, petitionId, creator, deliveries / endpoints);
  await arrive(stage, deliveries);
  const { first, last } = await stage.receiver.call('take');
  return (deliveries / (last - first)) * 1000;
}

/** Sorted milliseconds. */
async function latencies(stage: Stage, stuck: boolean): Promise<number[]> {
  const { petitionId, creator } = await petitionWith(stage, 50, stuck);
  const events = eventRate * settings.seconds;
  for (let n = 0; n < events; n += 1) {
    await createEvents(stage.db, petitionId, creator, 1);
    await pause(1000 / eventRate);
  }
  await arrive(stage, events * (stuck ? 49 : 50));
  const { latencies: taken } = await stage.receiver.call('take');
  // Removes pending deliveries to the stuck endpoint before the next round.
  await stage.db`update webhook_endpoints set is_active = false where user_id = ${creator}`;
  return taken.toSorted((a, b) => a - b);
}

await main();
