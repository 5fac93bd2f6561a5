import assert from 'node:assert/strict';
import { it } from 'node:test';
import { countInsertedSignatures } from '../../../test/support/given-signatures.ts';
import {
  createPublished,
  createUsers,
  logInAsAdmin,
  signUp,
  type TestUser,
} from '../../../test/support/people.ts';
import {
  assertPlacesAndSums,
  changePlaceTexts,
  heldAddress,
  holdSignatures,
  placeTexts as texts,
  rereadPlaces,
  signWithText,
} from '../../../test/support/places.ts';
import { startService } from '../../../test/support/service.ts';
import { invalidateBy, undo } from '../../../test/support/signing.ts';
import { assertSums, untilSumsSettled } from '../../../test/support/sums.ts';
import { assertVerified } from '../../../test/support/verify.ts';
import { placeBackfills } from './place-backfill.ts';

const howMany = 100_000;
const petitionCount = 5;
/** Several times what a step takes, since other work shares the machine. */
const maxMedianMs = 100;

/** Runs all steps. Returns their times in milliseconds, in ascending order. */
async function run(step: (cursor: string | null) => Promise<string | null>): Promise<number[]> {
  const times: number[] = [];
  let cursor: string | null = null;
  do {
    const startedAt = performance.now();
    cursor = await step(cursor);
    times.push(performance.now() - startedAt);
  } while (cursor !== null);
  return times.toSorted((a, b) => a - b);
}

it('reads the places of 100,000 signatures again in short steps', async (t) => {
  await using service = await startService();
  const { db } = service.ctx;
  const creator = await signUp(service);
  const ids: string[] = [];
  for (let n = 0; n < petitionCount; n += 1) ids.push((await createPublished(creator)).id);
  await db`
    insert into signatures (id, petition_id, version, is_anonymous, created_at, country,
      display_location, place, source)
    select uuid_v7(), (${ids}::uuid[])[1 + n % ${petitionCount}], 1, false,
      -- Older than the petitions, since newer ones must have events.
      now() - interval '1 hour' - n % 2000 * interval '3 minutes', 'GB',
      case when n % 4 <> 0 then 'District ' || n % 20000 || ', Lyon, FR' end, 'GB', null
    from generate_series(1, ${howMany}::integer) n`;
  await db`vacuum analyze signatures`;
  for (const id of ids) await countInsertedSignatures(service, id);
  const backfill = placeBackfills().at(-1)!;
  const step = async (cursor: string | null) => (await backfill.step(db, cursor))?.cursor ?? null;
  const scans = () =>
    db.value<number>`select seq_scan::integer from pg_stat_user_tables where relname = 'signatures'`;

  for (const what of ['with changes', 'without changes']) {
    const scansBefore = await scans();
    const times = await run(step);
    const total = times.reduce((sum, time) => sum + time, 0);
    const at = (share: number) => times[Math.floor(times.length * share)]!;
    t.diagnostic(
      `${what}: ${Math.round((howMany / total) * 1000)} signatures/s; steps of ` +
        `${Math.round(at(0.5))} ms (median), ${Math.round(at(0.99))} ms (p99), ${Math.round(times.at(-1)!)} ms (highest)`,
    );
    assert.ok(at(0.5) <= maxMedianMs, `${at(0.5)} ms`);
    await db`select pg_stat_force_next_flush()`;
    // Connections report late what they scanned before.
    const scanned = (await scans()) - scansBefore;
    assert.ok(scanned < times.length / 2, `steps read by the primary key: ${scanned} scans`);
  }
  await using _ = await startService({ worker: true, beside: service });
  await untilSumsSettled(service, 60_000);
  await assertSums(service);
  const changed = await db.value<number>`
    select count(*)::integer from signatures where place like 'FR.%'`;
  assert.equal(changed, (howMany / 4) * 3);
});

it('reading places again is exact while people sign and withdraw, and moderators invalidate, restore and release', async () => {
  await using service = await startService({ worker: true, env: { TRUST_PROXY: '127.0.0.1' } });
  const creator = await signUp(service, 'Creator');
  const admin = await logInAsAdmin(service);
  await holdSignatures(admin);
  const petitions = [await createPublished(creator), await createPublished(creator)];
  const people = await createUsers(service, 6);
  const fixed = await createUsers(service, 20, 'farm.example');
  const held: string[] = [];
  for (const [n, person] of fixed.entries()) {
    for (const petition of petitions) {
      const { id, state } = await signWithText(service, person, petition, {
        text: texts[n % texts.length]!,
        ...(n % 4 === 0 && { ip: heldAddress }),
      });
      if (state === 'held') held.push(id);
    }
  }
  const stopping = new AbortController();
  const until = async (work: (round: number) => Promise<void>) => {
    try {
      for (let n = 0; !stopping.signal.aborted; n += 1) await work(n);
    } finally {
      stopping.abort();
    }
  };
  let signings = 0;
  const signAndWithdraw = (person: TestUser, index: number) =>
    until(async (n) => {
      const petition = petitions[(index + n) % 2]!;
      await signWithText(service, person, petition, { text: texts[n % texts.length]! });
      const { status } = await person.api.delete(`/v1/petitions/${petition.id}/signatures/me`);
      assert.equal(status, 204);
      signings += 1;
    });
  const moderate = (petition: { id: string }) =>
    until(async () => {
      const rule = await invalidateBy(admin, petition, { domain: 'farm.example' });
      await undo(admin, rule);
    });
  const release = async () => {
    for (const id of held) {
      const { status } = await admin.api.post(`/v1/admin/signatures/${id}/release`, {});
      assert.equal(status, 200);
    }
  };
  const others = Promise.all([
    ...people.map(signAndWithdraw),
    ...petitions.map(moderate),
    release(),
  ]);
  others.catch(() => stopping.abort());
  for (let pass = 0; pass < 20 && !stopping.signal.aborted; pass += 1) {
    await changePlaceTexts(service);
    await rereadPlaces(service, 7);
    await assertSums(service);
  }
  stopping.abort();
  await others;
  assert.ok(signings > 10, `${signings}`);
  await rereadPlaces(service);
  await assertPlacesAndSums(service);
  await assertVerified(service.databaseUrl);
});
