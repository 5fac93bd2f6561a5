import assert from 'node:assert/strict';
import { emit } from '../src/platform/events.ts';
import { newId } from '../src/platform/ids.ts';
import type { Pool } from '../src/platform/db.ts';
import { startChild } from './support/child.ts';
import { createDatabase } from './support/database.ts';
import type { LoadProcess } from './support/load.ts';
import { measureOrdinary, perSecond, ratiosOf, type Measured } from './support/ordinary.ts';
import { createPetition, createSigners, createUsers } from './support/people.ts';
import { median, print, table } from './support/report.ts';
import { settings } from './support/settings.ts';
import { signingRequest } from './support/signing-round.ts';
import { startService } from './support/start-service.ts';

/** Signers who are told of an update, in the service and by mail. */
const told = Math.ceil(100_000 * settings.scale);

/**
 * What people wait for while an update goes out to everybody who signed, and while none does, in
 * turns, with the fan-out in the process that serves them.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { db, url: databaseUrl } = database;
  const crowd = await createUsers(db, told);
  const popular = await createPetition(db, crowd[0]!, 1);
  await signByAll(db, popular.id, crowd);
  const read = await createPetition(db, crowd[0]!, 2);
  const each = Math.ceil(perSecond.signing * settings.seconds * 1.2);
  const signers = await createSigners(databaseUrl, db, each * (settings.rounds * 2 + 1));
  // Each from an address of its own, also in other rounds.
  const signings = signers.map((signer, n) => signingRequest(read.slug, signer, n));
  await db`vacuum analyze`;
  await using service = await startService({ databaseUrl, worker: true });
  await using load = startChild<LoadProcess>('./load.ts');
  const measure = () => measureOrdinary(load, service.port, read.slug, signings.splice(0, each));

  await measure();
  const quiet: Measured[] = [];
  const busy: Measured[] = [];
  const seconds: number[] = [];
  for (let round = 0; round < settings.rounds; round += 1) {
    quiet.push(await measure());
    const start = performance.now();
    await beginFanOut(db, popular.id);
    busy.push(await measure());
    assert.ok(await isUnderWay(db), 'the fan-out ended while it was measured: raise BENCH_SCALE');
    await endOfFanOut(db);
    seconds.push((performance.now() - start) / 1000);
    await checkAndClear(db);
  }
  report(quiet, busy, seconds);
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

const isUnderWay = async (db: Pool) => (await db`select from notification_fan_outs`).length > 0;

async function endOfFanOut(db: Pool): Promise<void> {
  while (await isUnderWay(db)) await moment();
}

const moment = () => new Promise((resolve) => setTimeout(resolve, 50));

/** Everybody was told once; then nobody was, and no mail goes out. */
async function checkAndClear(db: Pool): Promise<void> {
  // Milestones are told too.
  const [row] = await db`
    select count(t)::int as notifications, count(m)::int as mails
    from notices n
    left join notifications t on t.notice_id = n.id
    left join notification_mails m on m.notice_id = n.id and m.user_id = t.user_id
    where n.type = 'petition_update'`;
  // The creator has signed too.
  assert.deepEqual({ ...row }, { notifications: told - 1, mails: told - 1 });
  await db`truncate notification_inboxes cascade`;
}

function report(quiet: Measured[], busy: Measured[], seconds: number[]): void {
  print(
    `### Ordinary requests while ${told.toLocaleString('en')} signers are told, medians of ${settings.rounds} rounds of ${settings.seconds} s`,
    ratiosOf(quiet, busy, 'the fan-out'),
    table([{ 'the fan-out took, s': median(seconds), 'told a second': told / median(seconds) }]),
  );
}

await main();
