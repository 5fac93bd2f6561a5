import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { requireOneHistory } from '../../../test/support/log-history.ts';
import { createInstance } from '../../../test/support/log-instance.ts';
import {
  createPublished,
  createUsers,
  logIn,
  logInAsAdmin,
  signUp,
  verifyAddress,
  type Person,
  type TestUser,
} from '../../../test/support/people.ts';
import {
  countedLog,
  logWith,
  recount,
  type LoggedPetition,
  type VerifiedLog,
} from '../../../test/support/public-log.ts';
import type { Service } from '../../../test/support/service.ts';
import { invalidateBy, undo } from '../../../test/support/signing.ts';

/** Signs, and returns the id of the signature. */
async function sign({ api }: Pick<TestUser, 'api'>, { id }: LoggedPetition): Promise<string> {
  const { status, body } = await api.post(`/v1/petitions/${id}/signatures`);
  assert.equal(status, 201, JSON.stringify(body));
  return body.data.id;
}

async function erase({ api, password }: Person): Promise<void> {
  assert.equal((await api.delete('/v1/users/me', { password })).status, 204);
}

/** Those of the signatures whose commitments the database opens. */
const openable = ({ ctx }: Service, signatureIds: string[]) => ctx.db.column<string>`
  select l.signature_id from transparency_leaves l join transparency_openings o on o.leaf = l.leaf
  where l.signature_id = any(${signatureIds}::uuid[]) order by l.signature_id`;

/** Where the `sign` entries of the signatures are. */
const leavesOf = ({ ctx }: Service, signatureIds: string[]) => ctx.db<
  { id: string; leaf: number }[]
>`
  select signature_id as id, leaf::int from transparency_leaves
  where signature_id = any(${signatureIds}::uuid[])`;

/** What the log says of the entry of a signature after it, in the order of the log. */
const correctionsOf = ({ entries }: VerifiedLog, leaf: number): string[] =>
  entries.flatMap((entry) => {
    if (entry.type === 'undo' && entry.leaf === leaf) return [`undo ${entry.cause}`];
    return entry.type === 'restore' && entry.leaf === leaf ? ['restore'] : [];
  });

it('adds what happened while it was off, and keeps no erased opening meanwhile', async () => {
  await using instance = await createInstance();
  let petition: LoggedPetition;
  let creator: Person;
  let early: Person;
  let leaving: TestUser;
  let rule: { id: string; petition_id: string };
  let before: VerifiedLog;
  const ids: Record<string, string> = {};
  const leaves = new Map<string, number>();
  {
    await using service = await instance.start();
    creator = await signUp(service, 'Creator');
    await verifyAddress(service, creator);
    petition = await createPublished(creator);
    early = await signUp(service, 'Early');
    leaving = (await createUsers(service, 1))[0]!;
    const [restored] = await createUsers(service, 1, 'restored.example');
    const [invalid] = await createUsers(service, 1, 'invalid.example');
    ids.erased = await sign(early, petition);
    ids.withdrawn = await sign(leaving, petition);
    ids.restored = await sign(restored!, petition);
    ids.invalidated = await sign(invalid!, petition);
    await countedLog(service, petition, 4);
    const admin = await logInAsAdmin(service);
    rule = await invalidateBy(admin, petition, { domain: 'restored.example' });
    before = await countedLog(service, petition, 3);
    for (const { id, leaf } of await leavesOf(service, Object.values(ids))) leaves.set(id, leaf);
  }
  {
    await using service = await instance.start({ env: { LOG: 'off' } });
    const admin = await logInAsAdmin(service);
    const [late] = await createUsers(service, 1);
    ids.late = await sign(late!, petition);
    const short = await signUp(service, 'Short');
    ids.short = await sign(short, petition);
    await erase(short);
    await erase(await logIn(service, early));
    const path = `/v1/petitions/${petition.id}/signatures/me`;
    assert.equal((await service.api.as(leaving.token).delete(path)).status, 204);
    await invalidateBy(admin, petition, { domain: 'invalid.example' });
    await undo(admin, rule);
    const title = 'A title that was changed while the log was off';
    const { api } = await logIn(service, creator);
    assert.equal((await api.patch(`/v1/petitions/${petition.id}`, { title })).status, 200);
    const kept = [ids.restored, ids.invalidated].toSorted();
    await eventually(async () => {
      const found = await openable(service, Object.values(ids));
      return found.join() === kept.join();
    });
    for (const address of ['/v1/log', '/log/checkpoint', `/v1/petitions/${petition.id}/log`]) {
      assert.equal((await service.api.get(address)).status, 404, address);
    }
  }
  await using service = await instance.start();
  // Signatures of erased accounts count: those of early, short, late and the restored one.
  const after = await logWith(
    service,
    ({ entries }) =>
      recount(entries).get(petition.log_id)?.counted === 4 &&
      entries.some(({ type }, n) => type === 'undo' && n >= before.checkpoint.size),
  );
  requireOneHistory(after, [before.note, after.note]);
  const { body } = await service.api.get(`/v1/petitions/${petition.id}`);
  assert.equal(body.data.signature_count, 4);
  for (const { id, leaf } of await leavesOf(service, Object.values(ids))) leaves.set(id, leaf);
  assert.equal((await leavesOf(service, [ids.withdrawn])).length, 0);
  const corrections = Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [name, correctionsOf(after, leaves.get(id)!)]),
  );
  assert.deepEqual(corrections, {
    erased: [],
    withdrawn: ['undo removed'],
    restored: ['undo invalidated', 'restore'],
    invalidated: ['undo invalidated'],
    late: [],
    short: [],
  });
  const versions = after.entries.flatMap((entry) =>
    entry.type === 'text' && entry.petition === petition.log_id ? [entry.version] : [],
  );
  assert.deepEqual(versions, [1, 2]);
  const open = await openable(service, Object.values(ids));
  assert.deepEqual(open, [ids.restored, ids.invalidated, ids.late].toSorted());
});
