import assert from 'node:assert/strict';
import { emit } from '../src/platform/events.ts';
import { newId } from '../src/platform/ids.ts';
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
import { createPetition, createSigners, createUsers } from './support/people.ts';
import { median, print, table } from './support/report.ts';
import { settings } from './support/settings.ts';
import { startService } from './support/start-service.ts';

/** Signers who are notified of an update, in the service and by mail. */
const signerCount = Math.ceil(100_000 * settings.scale);

/**
 * Measures ordinary requests with and without a fan-out in the same process. The fan-out is paused every other turn, so
 * that other load of the machine affects both sides equally.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { db, url: databaseUrl } = database;
  const crowd = await createUsers(db, signerCount);
  const popular = await createPetition(db, crowd[0]!);
  // Unlisted, so that lists do not change while it is under review.
  await db`update petitions set visibility = 'unlisted' where id = ${popular.id}`;
  await signByAll(db, popular.id, crowd);
  const read = await createPetition(db, crowd[0]!);
  const signers = await createSigners(databaseUrl, db, signersOfRounds);
  await db`vacuum analyze`;
  await using service = await startService({ databaseUrl, worker: true });
  await using load = startChild<LoadProcess>('./load.ts');
  const measure = createMeter(load, service.port, read.slug, signers);

  await measure();
  const rounds: Round[] = [];
  /** Notifications a second during the measurement. */
  const rates: number[] = [];
  for (let n = 0; n < settings.rounds; n += 1) {
    await holdMails(db, crowd);
    await beginFanOut(db, popular.id);
    await pauseFanOut(db, popular.id);
    rounds.push(await measureInTurns(measure, () => withFanOut(db, popular.id, measure, rates)));
    await resumeFanOut(db, popular.id);
    await endOfFanOut(db);
    await checkNotified(db);
    await db`truncate notification_inboxes cascade`;
  }
  report(rounds, rates);
}

async function withFanOut(
  db: Pool,
  petitionId: string,
  measure: () => Promise<Measured>,
  rates: number[],
): Promise<Measured> {
  await resumeFanOut(db, petitionId);
  const [before, start] = [await countNotified(db), performance.now()];
  const measured = await measure();
  const seconds = (performance.now() - start) / 1000;
  assert.ok(await isRunning(db), 'the fan-out ended while it was measured: raise BENCH_SCALE');
  rates.push(((await countNotified(db)) - before) / seconds);
  await pauseFanOut(db, petitionId);
  return measured;
}

async function signByAll(db: Pool, petitionId: string, userIds: string[]): Promise<void> {
  const ids = userIds.map(newId);
  await db`
    insert into signatures (id, petition_id, user_id, version, is_anonymous)
    select id, ${petitionId}, user_id, 1, false
    from unnest(${ids}::uuid[], ${userIds}::uuid[]) as signed (id, user_id)
    order by md5(user_id::text)`;
}

/** Stores an update with its event, and waits for the first notifications. */
async function beginFanOut(db: Pool, petitionId: string): Promise<void> {
  await db.begin(async (tx) => {
    const id = newId();
    await tx`
      insert into updates (id, petition_id, title, body)
      values (${id}, ${petitionId}, 'News', 'There is some.')`;
    const actor = { type: 'system', id: null } as const;
    await emit(tx, { type: 'update.created', petitionId, actor, data: { update_id: id } });
  });
  while ((await db`select from notifications limit 1`).length === 0) await moment();
}

/** Pauses the fan-out: it waits while its petition is under review. */
async function pauseFanOut(db: Pool, petitionId: string): Promise<void> {
  await db`update petitions set status = 'under_review' where id = ${petitionId}`;
  const paused = () => db`
    select from notification_fan_outs where stepped_at < clock_timestamp() - interval '0.5 s'`;
  while ((await paused()).length === 0) await moment();
}

async function resumeFanOut(db: Pool, petitionId: string): Promise<void> {
  const before = await countNotified(db);
  await db`update petitions set status = 'active' where id = ${petitionId}`;
  while ((await countNotified(db)) === before) await moment();
}

async function countNotified(db: Pool): Promise<number> {
  const [row] = await db`select count(*)::integer as n from notifications`;
  return row!.n;
}

const isRunning = async (db: Pool) => (await db`select from notification_fan_outs`).length > 0;

async function endOfFanOut(db: Pool): Promise<void> {
  while (await isRunning(db)) await moment();
}

const moment = () => new Promise((resolve) => setTimeout(resolve, 50));

/** Marks all as just mailed, so that the next mail is due in an hour: measures only notifications. */
async function holdMails(db: Pool, userIds: string[]): Promise<void> {
  await db`
    insert into notification_inboxes (user_id, mailed_at)
    select id, now() from unnest(${userIds}::uuid[]) as signer (id)
    on conflict (user_id) do update set mailed_at = excluded.mailed_at`;
  await db`vacuum analyze notification_inboxes`;
}

/** Checks that everyone has one notification and one pending mail. */
async function checkNotified(db: Pool): Promise<void> {
  // Not those of milestones.
  const [row] = await db`
    select count(t)::int as notifications, count(m)::int as mails
    from notices n
    left join notifications t on t.notice_id = n.id
    left join notification_mails m on m.notice_id = n.id and m.user_id = t.user_id
    where n.type = 'petition_update'`;
  // The creator has signed too, and is not notified.
  assert.deepEqual({ ...row }, { notifications: signerCount - 1, mails: signerCount - 1 });
}

function report(rounds: Round[], rates: number[]): void {
  const rate = median(rates);
  print(
    `### Ordinary requests while ${signerCount.toLocaleString('en')} signers are notified, ${roundsInWords}`,
    ratiosOf(rounds, 'the fan-out'),
    table([{ 'notified a second, beside them': rate, 'that is, s': signerCount / rate }]),
  );
}

await main();
