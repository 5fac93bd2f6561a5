import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { emit } from '../src/platform/events.ts';
import { newId } from '../src/platform/ids.ts';
import type { Pool } from '../src/platform/db.ts';
import { startChild, type Child } from './support/child.ts';
import { createDatabase } from './support/database.ts';
import { createPetition, createUsers } from './support/people.ts';
import { percentile, print, table, verdict } from './support/report.ts';
import { settings } from './support/settings.ts';
import type { SlowMailServer } from './support/slow-mail-server.ts';
import { startService } from './support/start-service.ts';

/** Confirmations asked for in a second. */
const confirmationRate = 10;
/** Length of the measurement without a victory, in seconds. */
const quietSeconds = 10 * settings.seconds;

interface Stage {
  db: Pool;
  server: Child<SlowMailServer>;
  /** Address of the service. */
  origin: string;
  petitionId: string;
}

/**
 * Measures how long the mail that confirms a signature takes, from the request to the mail server's answer, with and
 * without a victory that is mailed to many by the same process and the same server. That takes 50 ms for each mail.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { db, url: databaseUrl } = database;
  await using server = startChild<SlowMailServer>('./slow-mail-server.ts');
  const smtpUrl = `smtp://127.0.0.1:${await server.call('listen')}`;
  const signers = await createUsers(db, settings.recipients + 1);
  const won = await createPetition(db, signers[0]!);
  const open = await createPetition(db, signers[0]!);
  await signByAll(db, won.id, signers);
  await db`vacuum analyze`;
  await using service = await startService({ databaseUrl, worker: true, smtpUrl });
  const origin = `http://127.0.0.1:${service.port}`;
  const stage: Stage = { db, server, origin, petitionId: open.id };

  await prepareVictory(db, won.id);
  await delaysDuring(stage, pause(2000));
  const quiet = await delaysDuring(stage, pause(quietSeconds * 1000));
  const start = Date.now();
  await db`update notification_inboxes set mail_due_at = now() where mail_due_at is not null`;
  const busy = await delaysDuring(stage, allMailed(db));
  const mailed = Object.entries(busy.times).filter(([to]) => !isConfirmation(to));
  assert.equal(mailed.length, settings.recipients);
  const seconds = (Math.max(...mailed.map(([, time]) => time)) - start) / 1000;
  report(quiet, busy, mailed.length / seconds);
}

async function signByAll(db: Pool, petitionId: string, userIds: string[]): Promise<void> {
  await db`
    insert into signatures (id, petition_id, user_id, version, is_anonymous)
    select uuid_v7(), ${petitionId}, user_id, 1, false
    from unnest(${userIds}::uuid[]) as signed (user_id)`;
}

/** Notifies all signers but the creator. Their mails are due in two minutes, later than the measurement ends. */
async function prepareVictory(db: Pool, petitionId: string): Promise<void> {
  await db.begin(async (tx) => {
    await tx`update petitions set status = 'victory' where id = ${petitionId}`;
    const actor = { type: 'system', id: null } as const;
    await emit(tx, { type: 'petition.victory', petitionId, actor, data: {} });
  });
  const count = () => db.one<{ n: number }>`select count(*)::integer as n from notification_mails`;
  while ((await count()).n < settings.recipients) await pause(200);
  await db`
    update notification_inboxes set mail_due_at = now() + interval '1 hour'
    where mail_due_at is not null`;
}

/** Resolves when no mail to signers waits. */
async function allMailed(db: Pool): Promise<void> {
  while (await db.exists`select from notification_mails`) await pause(500);
}

interface Measured {
  /** Sorted milliseconds from the request for a confirmation to its mail. */
  delays: number[];
  /** When each mail arrived. */
  times: Record<string, number>;
  connections: number;
}

let asked = 0;
const isConfirmation = (to: string): boolean => to.startsWith('confirm-');

/** Asks for confirmations at a steady rate until this ends, and waits for their mails. */
async function delaysDuring(stage: Stage, end: Promise<unknown>): Promise<Measured> {
  await stage.server.call('take');
  const requested = new Map<string, number>();
  const requests: Promise<void>[] = [];
  const over = new AbortController();
  const ended = end.finally(() => over.abort());
  for (let next = Date.now(); !over.signal.aborted; next += 1000 / confirmationRate) {
    await pause(Math.max(0, next - Date.now()));
    const email = `confirm-${(asked += 1)}@example.org`;
    requested.set(email, Date.now());
    requests.push(askForConfirmation(stage, email));
  }
  await ended;
  await Promise.all(requests);
  const times: Record<string, number> = {};
  let connections = 0;
  for (let tries = 0; [...requested.keys()].some((email) => !times[email]); tries += 1) {
    assert.ok(tries < 300, 'not all confirmations were mailed');
    await pause(100);
    const taken = await stage.server.call('take');
    Object.assign(times, taken.times);
    connections = Math.max(connections, taken.connections);
  }
  const delays = [...requested].map(([email, time]) => times[email]! - time);
  return { delays: delays.toSorted((a, b) => a - b), times, connections };
}

async function askForConfirmation({ origin, petitionId }: Stage, email: string): Promise<void> {
  const address = `10.${(asked >> 16) & 255}.${(asked >> 8) & 255}.${asked & 255}`;
  const answer = await fetch(`${origin}/v1/petitions/${petitionId}/signatures/pending`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': newId(),
      'x-forwarded-for': address,
    },
    body: JSON.stringify({ display_name: 'Ada Lovelace', email }),
  });
  assert.equal(answer.status, 202, await answer.text());
}

function report(quiet: Measured, busy: Measured, rate: number): void {
  const row = (side: string, { delays, connections }: Measured) => ({
    side,
    confirmations: delays.length,
    'median ms': percentile(delays, 0.5),
    'p99 ms': percentile(delays, 0.99),
    'connections to the mail server': connections,
  });
  const rows = [row('without a victory', quiet), row('during the victory', busy)];
  const ratio = rows[1]!['p99 ms'] / rows[0]!['p99 ms'];
  const perDay = rate * 86_400;
  print(
    `### Confirmations, ${confirmationRate} a second, while ${settings.recipients.toLocaleString('en')} mails of a victory leave`,
    table(rows),
    table([
      { measured: 'p99, of that without', figure: ratio, target: verdict(ratio, { atMost: 1.5 }) },
      { measured: 'mails of the victory a second', figure: rate, target: '' },
      {
        measured: 'that is, a day',
        figure: perDay,
        target: verdict(perDay, { atLeast: 500_000 }),
      },
    ]),
  );
}

await main();
