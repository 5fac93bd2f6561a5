import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createDraft,
  createPublished,
  createUsers,
  logInAsAdmin,
  petitionInput,
  signUp,
  verifyAddress,
  type Person,
  type TestUser,
} from '../../../test/support/people.ts';
import { logWith, readLog, recount, type VerifiedLog } from '../../../test/support/public-log.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { commitmentOf, textHash, type LogEntry } from '../../platform/transparency/entries.ts';
import { verifyReceipt } from '../../platform/transparency/receipts.ts';

type Petition = { id: string; log_id: string };

describe('the public log', () => {
  let service: Service;
  let creator: Person;
  let admin: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
    await verifyAddress(service, creator);
    admin = await logInAsAdmin(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const sign = async ({ api }: Pick<TestUser, 'api'>, { id }: Petition): Promise<string> => {
    const { status, body } = await api.post(`/v1/petitions/${id}/signatures`);
    assert.equal(status, 201, JSON.stringify(body));
    return body.data.id;
  };
  const withdraw = async ({ api }: Pick<TestUser, 'api'>, { id }: Petition) =>
    assert.equal((await api.delete(`/v1/petitions/${id}/signatures/me`)).status, 204);
  const receiptOf = ({ api }: Pick<TestUser, 'api'>, { id }: Petition) =>
    api.get(`/v1/petitions/${id}/signatures/me/receipt`);
  const entriesOf = ({ entries }: VerifiedLog, { log_id: logId }: Petition) =>
    entries.filter(({ petition }) => petition === logId);
  const withoutTotals = (entries: LogEntry[]) => entries.filter(({ type }) => type !== 'total');
  const typesOf = (entries: LogEntry[]) => withoutTotals(entries).map(({ type }) => type);
  /** Waits until the petition has so many entries beside totals. */
  const logOf = (petition: Petition, count: number): Promise<VerifiedLog> =>
    logWith(service, (log) => withoutTotals(entriesOf(log, petition)).length >= count);

  it('has an entry for the text, each signature, and a total that adds up', async () => {
    const petition = await createPublished(creator, { language: 'en' });
    assert.match(petition.log_id, /^[0-9a-f-]{36}$/);
    const signers = await createUsers(service, 3);
    await Promise.all(signers.map((signer) => sign(signer, petition)));
    const log = await logWith(service, (one) =>
      entriesOf(one, petition).some((entry) => entry.type === 'total' && entry.counted === 3),
    );
    const entries = entriesOf(log, petition);
    const { title, description } = petitionInput;
    assert.deepEqual(entries[0], {
      v: 1,
      type: 'text',
      petition: petition.log_id,
      version: 1,
      language: 'en',
      text_hash: textHash({ title, description }),
    });
    assert.deepEqual(recount(log.entries).get(petition.log_id), { counted: 3, imported: 0 });
    const { body } = await service.api.get(`/v1/petitions/${petition.id}/log`);
    assert.equal(body.data.log_id, petition.log_id);
    assert.equal(body.data.signature_count, 3);
    assert.equal(log.entries[body.data.last_total_index]!.type, 'total');
    const { data } = (await service.api.get('/v1/log')).body;
    assert.equal(data.origin, 'petitions.test/log');
    assert.equal(data.verifier_key, data.verifier_keys[0]);
    assert.equal(data.checkpoint_url, 'http://petitions.test/log/checkpoint');
  });

  it('lists the entries of a petition with their indexes, page by page', async () => {
    const petition = await createPublished(creator);
    await createPublished(creator);
    for (const signer of await createUsers(service, 4)) await sign(signer, petition);
    const log = await logOf(petition, 5);
    const path = `/v1/petitions/${petition.id}/log/entries`;
    const readPages = async () => {
      const listed: { index: number; entry: LogEntry }[] = [];
      let next = `${path}?limit=2`;
      while (next) {
        const { body } = await service.api.get(next);
        listed.push(...body.data);
        const { next_cursor: cursor } = body.pagination;
        next = cursor ? `${path}?limit=2&cursor=${cursor}` : '';
      }
      return listed;
    };
    await eventually(async () => (await readPages()).length >= 5);
    const listed = await readPages();
    const later = await readLog(service);
    assert.ok(later.checkpoint.size >= log.checkpoint.size);
    for (const { index, entry } of listed) assert.deepEqual(entry, later.entries[index]);
    assert.deepEqual(
      listed.map(({ index }) => index),
      listed.map(({ index }) => index).toSorted((a, b) => a - b),
    );
  });

  it('gives a receipt that verifies offline, and says why there is none', async () => {
    const petition = await createPublished(creator);
    const [signer, other] = (await createUsers(service, 2)) as [TestUser, TestUser];
    const signatureId = await sign(signer, petition);
    await eventually(async () => (await receiptOf(signer, petition)).status === 200);
    const { body: text, headers } = await receiptOf(signer, petition);
    assert.equal(headers.get('cache-control'), 'private, no-store');
    const { keys, entries } = await readLog(service);
    const receipt = verifyReceipt(text as string, { origin: 'petitions.test/log', logKeys: keys });
    assert.equal(receipt.opening.signature, signatureId);
    const entry = entries[receipt.index]!;
    assert.ok(entry.type === 'sign');
    const random = Buffer.from(receipt.opening.random, 'base64url');
    const logId = petition.log_id;
    assert.equal(entry.commitment, commitmentOf({ logId, version: 1, signatureId, random }));

    assert.equal((await receiptOf(other, petition)).status, 404);
    await withdraw(signer, petition);
    assert.equal((await receiptOf(signer, petition)).status, 410);
    await logOf(petition, 3);
    assert.equal((await receiptOf(signer, petition)).status, 410);
    verifyReceipt(text as string, { origin: 'petitions.test/log', logKeys: keys });
  });

  it('undoes what was withdrawn, removed or invalidated, and restores what counts again', async () => {
    const petition = await createPublished(creator);
    const [leaving, removed, invalid] = (await createUsers(service, 3)) as [
      TestUser,
      TestUser,
      TestUser,
    ];
    await sign(leaving, petition);
    const removedId = await sign(removed, petition);
    await sign(invalid, petition);
    await logOf(petition, 4);
    await withdraw(leaving, petition);
    await logOf(petition, 5);
    const remove = { reason: 'Given in the name of somebody else.' };
    assert.equal((await admin.api.delete(`/v1/admin/signatures/${removedId}`, remove)).status, 204);
    await logOf(petition, 6);
    const path = `/v1/admin/petitions/${petition.id}/invalidations`;
    const rule = { rule: { domain: 'example.org' }, reason: 'A test.' };
    const { body } = await admin.api.post(path, rule);
    const log = await logOf(petition, 7);
    assert.deepEqual(
      entriesOf(log, petition).flatMap((entry) => (entry.type === 'undo' ? [entry.cause] : [])),
      ['withdrawn', 'removed', 'invalidated'],
    );
    assert.equal((await receiptOf(invalid, petition)).status, 200, 'it was counted');
    const undo = await admin.api.post(`${path}/${body.data.id}/undo`);
    assert.equal(undo.status, 202, JSON.stringify(undo.body));
    const last = await logOf(petition, 8);
    assert.equal(typesOf(entriesOf(last, petition)).at(-1), 'restore');
    assert.deepEqual(recount(last.entries).get(petition.log_id), { counted: 1, imported: 0 });
  });

  it('has no leaf of what was withdrawn before it was sequenced', async () => {
    const [signer] = (await createUsers(service, 1)) as [TestUser];
    const petition = await createPublished(creator);
    await logOf(petition, 1);
    // Within one batch, most of the time; at most a pair of entries otherwise.
    await sign(signer, petition);
    await withdraw(signer, petition);
    assert.equal((await receiptOf(signer, petition)).status, 410);
    await sign(signer, petition);
    const log = await logWith(service, ({ entries }) => {
      const sum = recount(entries).get(petition.log_id);
      return sum?.counted === 1;
    });
    const types = typesOf(entriesOf(log, petition));
    assert.ok(['text,sign', 'text,sign,undo,sign', 'text,sign,sign,undo'].includes(types.join()));
  });

  it('forgets what opens the commitments of erased accounts', async () => {
    const petition = await createPublished(creator);
    const signer = await signUp(service, 'Signer');
    const id = await sign(signer, petition);
    await eventually(async () => (await receiptOf(signer, petition)).status === 200);
    const { body: receipt } = await receiptOf(signer, petition);
    const openings = () => service.ctx.db.value<string>`
      select count(*) from transparency_openings o join transparency_leaves l on l.leaf = o.leaf
      where l.signature_id = ${id}`;
    assert.equal(await openings(), '1');
    const erased = await signer.api.delete('/v1/users/me', { password: signer.password });
    assert.equal(erased.status, 204);
    await eventually(async () => (await openings()) === '0');
    const { keys, entries } = await readLog(service);
    assert.deepEqual(recount(entries).get(petition.log_id), { counted: 1, imported: 0 });
    verifyReceipt(receipt as string, { origin: 'petitions.test/log', logKeys: keys });
  });

  it('has each published text, and none of a draft', async () => {
    const draft = await createDraft(creator);
    await creator.api.patch(`/v1/petitions/${draft.id}`, { title: 'Another title of the draft' });
    const { body } = await creator.api.post(`/v1/petitions/${draft.id}/publish`);
    const petition = body.data as Petition;
    const title = 'A third title of this petition';
    await creator.api.patch(`/v1/petitions/${petition.id}`, { title });
    const log = await logOf(petition, 2);
    const { description } = petitionInput;
    assert.deepEqual(
      entriesOf(log, petition).flatMap((entry) =>
        entry.type === 'text' ? [[entry.version, entry.text_hash]] : [],
      ),
      [
        [1, textHash({ title: 'Another title of the draft', description })],
        [2, textHash({ title, description })],
      ],
    );
  });
});
