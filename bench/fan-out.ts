import assert from 'node:assert/strict';
import { emit } from '../src/platform/events.ts';
import { newId } from '../src/platform/ids.ts';
import type { Pool } from '../src/platform/db.ts';
import { startChild } from './support/child.ts';
import { createDatabase } from './support/database.ts';
import type { LoadProcess } from './support/load.ts';
import {
  inTurns,
  ordinaryMeter,
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

/** Signers who are told of an update, in the service and by mail. */
const told = Math.ceil(100_000 * settings.scale);

/**
 * What people wait for while an update goes out to everybody who signed, with the fan-out in the process
 * that serves them. It is held up every other turn, so that what else a machine does meets both sides.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { db, url: databaseUrl } = database;
  const crowd = await createUsers(db, told);
  const popular = await createPetition(db, crowd[0]!, 1);
  // Lists stay as they are while it is under review.
  await db`update petitions set visibility = 'unlisted' where id = ${popular.id}`;
  await signByAll(db, popular.id, crowd);
  const read = await createPetition(db, crowd[0]!, 2);
  const signers = await createSigners(databaseUrl, db, signersOfRounds);
  await db`vacuum analyze`;
  await using service = await startService({ databaseUrl, worker: true });
  await using load = startChild<LoadProcess>('./load.ts');
  const measure = ordinaryMeter(load, service.port, read.slug, signers);

  await measure();
  const rounds: Round[] = [];
  /** How many are told in a second meanwhile. */
  const rates: number[] = [];
  for (let n = 0; n < settings.rounds; n += 1) {
    await holdMails(db, crowd);
    await beginFanOut(db, popular.id);
    await holdUp(db, popular.id);
    rounds.push(await inTurns(measure, () => withFanOut(db, popular.id, measure, rates)));
    await goOn(db, popular.id);
    await endOfFanOut(db);
    await checkTold(db);
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
  await goOn(db, petitionId);
  const [before, start] = [await countTold(db), performance.now()];
  const measured = await measure();
  const seconds = (performance.now() - start) / 1000;
  assert.ok(await isUnderWay(db), 'the fan-out ended while it was measured: raise BENCH_SCALE');
  rates.push(((await countTold(db)) - before) / seconds);
  await holdUp(db, petitionId);
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

/** Posts an update as far as the service's own parts see it, and waits until signers are told. */
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

/** A fan-out waits while its petition is under review. */
async function holdUp(db: Pool, petitionId: string): Promise<void> {
  await db`update petitions set status = 'under_review' where id = ${petitionId}`;
  const resting = () => db`
    select from notification_fan_outs where stepped_at < clock_timestamp() - interval '0.5 s'`;
  while ((await resting()).length === 0) await moment();
}

async function goOn(db: Pool, petitionId: string): Promise<void> {
  const before = await countTold(db);
  await db`update petitions set status = 'active' where id = ${petitionId}`;
  while ((await countTold(db)) === before) await moment();
}

async function countTold(db: Pool): Promise<number> {
  const [row] = await db`select count(*)::integer as n from notifications`;
  return row!.n;
}

const isUnderWay = async (db: Pool) => (await db`select from notification_fan_outs`).length > 0;

async function endOfFanOut(db: Pool): Promise<void> {
  while (await isUnderWay(db)) await moment();
}

const moment = () => new Promise((resolve) => setTimeout(resolve, 50));

/** Everybody had a mail a moment ago, so that the next goes out an hour later: only telling is measured. */
async function holdMails(db: Pool, userIds: string[]): Promise<void> {
  await db`
    insert into notification_inboxes (user_id, mailed_at)
    select id, now() from unnest(${userIds}::uuid[]) as told (id)
    on conflict (user_id) do update set mailed_at = excluded.mailed_at`;
  await db`vacuum analyze notification_inboxes`;
}

/** Everybody was told once, in the service and by a mail that waits. */
async function checkTold(db: Pool): Promise<void> {
  // Milestones are told too.
  const [row] = await db`
    select count(t)::int as notifications, count(m)::int as mails
    from notices n
    left join notifications t on t.notice_id = n.id
    left join notification_mails m on m.notice_id = n.id and m.user_id = t.user_id
    where n.type = 'petition_update'`;
  // The creator has signed too.
  assert.deepEqual({ ...row }, { notifications: told - 1, mails: told - 1 });
}

function report(rounds: Round[], rates: number[]): void {
  const rate = median(rates);
  print(
    `### Ordinary requests while ${told.toLocaleString('en')} signers are told, ${roundsInWords}`,
    ratiosOf(rounds, 'the fan-out'),
    table([{ 'told a second, beside them': rate, 'that is, s': told / rate }]),
  );
}

await main();
