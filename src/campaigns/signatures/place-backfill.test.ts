import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { waitingForLocks } from '../../../test/support/locks.ts';
import {
  createPublished,
  createUsers,
  logInAsAdmin,
  signUp,
  type Person,
  type TestUser,
} from '../../../test/support/people.ts';
import { silent } from '../../../test/support/progress.ts';
import {
  assertPlacesAndSums,
  changePlaceTexts,
  heldAddress,
  holdSignatures,
  placeTexts as texts,
  rereadPlaces,
  signWithText,
  type HowToSign,
} from '../../../test/support/places.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { assertSums, untilSumsSettled } from '../../../test/support/sums.ts';
import { assertVerified } from '../../../test/support/verify.ts';
import { rebuildAll } from '../../cli/rebuild-sums.ts';
import { isBackfillComplete, reopenBackfill } from '../../platform/backfills.ts';
import { transaction } from '../../platform/db.ts';
import { lockFollower } from '../../platform/followers.ts';
import { canonicalPlace } from '../../platform/places.ts';
import { followerName } from '../../reach/analytics/sum-queries.ts';
import { replacePlaces } from './place-queries.ts';
import { lockPetitions } from './signing-queries.ts';
import { placeBackfills, rereadLatePlaces } from './place-backfill.ts';

const name = 'places-2';

describe('reading places again', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true, env: { TRUST_PROXY: '127.0.0.1' } });
    creator = await signUp(service, 'Creator');
    await eventually(() => isBackfillComplete(service.ctx.db, name));
    await holdSignatures(await logInAsAdmin(service));
  });
  after(async () => {
    await assertVerified(service.databaseUrl);
    await service[Symbol.asyncDispose]();
  });

  const withdraw = async ({ api }: TestUser, { id }: { id: string }) =>
    assert.equal((await api.delete(`/v1/petitions/${id}/signatures/me`)).status, 204);
  const sign = (person: TestUser, petition: { id: string }, how: HowToSign = {}) =>
    signWithText(service, person, petition, how);
  const changeTexts = () => changePlaceTexts(service);
  const reread = (batchSize?: number) => rereadPlaces(service, batchSize);
  const assertPlaces = () => assertPlacesAndSums(service);
  const eventsStored = () =>
    service.ctx.db.value<number>`
      select count(*)::integer from events where type = 'signature.restored'`;

  it('moves the sums of counted signatures, and is exact when a step is done again', async () => {
    const petition = await createPublished(creator);
    const people = await createUsers(service, 24);
    for (const [n, person] of people.entries()) {
      const held = n % 8 === 7 && { ip: heldAddress };
      await sign(person, petition, { text: texts[n % texts.length]!, ...held });
    }
    await untilSumsSettled(service);
    await assertSums(service);
    assert.equal(await reread(), 3);
    assert.equal(await eventsStored(), 0);
    await changeTexts();
    // A process that is killed after a step leaves the cursor as it was.
    const backfill = placeBackfills({ batchSize: 10 }).at(-1)!;
    const first = await backfill.step(service.ctx.db, null);
    assert.equal(first!.rows, 10);
    assert.equal(await eventsStored(), 1);
    assert.deepEqual(await backfill.step(service.ctx.db, null), first);
    assert.equal(await eventsStored(), 1);
    assert.equal(await reread(), 3);
    assert.equal(await eventsStored(), 3);
    await assertPlaces();
    const [event] = await service.ctx.db`
      select actor_type, data from events where type = 'signature.restored' limit 1`;
    // As processes of an earlier version read it.
    assert.equal(event!.actor_type, 'system');
    assert.deepEqual(Object.keys(event!.data).toSorted(), ['count', 'parts']);
    const total = event!.data.parts.reduce(
      (sum: number, part: { count: number }) => sum + part.count,
      0,
    );
    assert.deepEqual([event!.data.count, total], [0, 0]);
    await reread();
    assert.equal(await eventsStored(), 3);
    assert.equal(
      (await service.api.get(`/v1/petitions/${petition.id}`)).body.data.signature_count,
      21,
    );
  });

  it('takes the hint that the signature had: the language of its petition, where no country is known', async () => {
    const spanish = await createPublished(creator, { language: 'es' });
    const french = await createPublished(creator, { language: 'fr' });
    const [signer] = await createUsers(service, 1);
    const how = { text: 'Toledo', ip: '192.0.2.1' };
    for (const petition of [spanish, french]) await sign(signer!, petition, how);
    const { db } = service.ctx;
    const ids = [spanish.id, french.id];
    const places = () => db.column<string | null>`
      select split_part(place, '.', 1) from signatures where petition_id = any(${ids}::uuid[])
      order by petition_id = ${french.id}`;
    assert.deepEqual(await places(), ['ES', null]);
    await untilSumsSettled(service);
    await db`update signatures set display_location = 'Toledo, Ohio' where petition_id = any(${ids}::uuid[])`;
    await reread();
    assert.deepEqual(await places(), ['US', 'US']);
    await db`update signatures set display_location = 'Toledo' where petition_id = any(${ids}::uuid[])`;
    await reread();
    assert.deepEqual(await places(), ['ES', null]);
    await assertPlaces();
    // Other tests know no such text.
    for (const petition of [spanish, french]) await withdraw(signer!, petition);
  });

  it('is exact though the sums lack events of the signatures', async () => {
    const petition = await createPublished(creator);
    const [first, second] = await createUsers(service, 2);
    await transaction(service.ctx.pools.main, async (tx) => {
      await lockFollower(tx, followerName);
      await sign(first!, petition);
      await sign(second!, petition);
      await changeTexts();
      await reread();
      await withdraw(first!, petition);
      await assertVerified(service.databaseUrl);
    });
    await assertPlaces();
  });

  it('is exact if two processes read the same signatures', async () => {
    const petition = await createPublished(creator);
    const [signer] = await createUsers(service, 1);
    const { id } = await sign(signer!, petition);
    await untilSumsSettled(service);
    await changeTexts();
    const { db, pools } = service.ctx;
    let other: Promise<number>;
    await transaction(pools.main, async (tx) => {
      await lockPetitions(tx, [petition.id]);
      other = reread(1000);
      // It has read the signature, and waits for the petition.
      await eventually(async () => (await waitingForLocks(db)) > 0);
      const [row] = await tx`select place, display_location from signatures where id = ${id}`;
      const newPlace = canonicalPlace(row!.display_location, { country: 'GB' });
      const key = { petition_id: petition.id, id };
      const change = { ...key, old_place: row!.place, new_place: newPlace };
      assert.equal(await replacePlaces(tx, [change]), 1);
    });
    await other!;
    await assertPlaces();
  });

  it('runs after an upgrade, and again in the nights after it', async () => {
    const { db } = service.ctx;
    const petition = await createPublished(creator);
    const [signer] = await createUsers(service, 1);
    await transaction(db, (tx) => reopenBackfill(tx, name));
    await eventually(() => isBackfillComplete(db, name));
    // Stored by a process of an earlier version.
    await sign(signer!, petition);
    await changeTexts();
    await rereadLatePlaces(service.ctx);
    assert.equal(await isBackfillComplete(db, name), false);
    await eventually(() => isBackfillComplete(db, name));
    await assertPlaces();
    await db`update backfills set started_at = now() - interval '4 days' where name = ${name}`;
    await rereadLatePlaces(service.ctx);
    assert.equal(await isBackfillComplete(db, name), true);
  });

  it('completes the backfills of earlier rules', async () => {
    const backfills = placeBackfills({ reading: 4 });
    assert.deepEqual(
      backfills.map((backfill) => backfill.name),
      ['places-2', 'places-3', 'places-4'],
    );
    for (const backfill of backfills.slice(0, 2)) {
      assert.equal(await backfill.step(service.ctx.db, null), null);
    }
  });
});

it('reading places again brings back no sums of hours that no map shows', async () => {
  await using service = await startService({ worker: true });
  const { db } = service.ctx;
  const petition = await createPublished(await signUp(service));
  for (const { api } of await createUsers(service, 3)) {
    await api.post(`/v1/petitions/${petition.id}/signatures`, { display_location: 'Leeds, GB' });
  }
  await untilSumsSettled(service);
  await db`update signatures set created_at = created_at - interval '10 days'`;
  await rebuildAll(service.ctx, silent);
  await db`update signatures set display_location = 'Lyon, FR'`;
  await placeBackfills().at(-1)!.step(db, null);
  await untilSumsSettled(service);
  assert.deepEqual(await db.column`select place from signature_place_hours`, []);
  assert.deepEqual(await db.column`select place from all_place_hours`, []);
  assert.deepEqual(await db.column`select split_part(region, '.', 1) from signature_region_days`, [
    'FR',
  ]);
  await assertSums(service);
});
