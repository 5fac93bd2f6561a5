import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestLog, writeLog } from '../../../test/support/log.ts';
import {
  createPublished,
  createUsers,
  logInAsAdmin,
  signUp,
  type Person,
  type TestUser,
} from '../../../test/support/people.ts';
import { logWith, readLog } from '../../../test/support/public-log.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import type { LogEntry } from '../../platform/transparency/entries.ts';
import { formatVerifierKey } from '../../platform/transparency/notes.ts';
import { verifyReceipt } from '../../platform/transparency/receipts.ts';

type Petition = { id: string; log_id: string };

describe('reads of the public log', () => {
  let service: Service;
  let creator: Person;
  let admin: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    admin = await logInAsAdmin(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const sign = async ({ api }: Pick<TestUser, 'api'>, { id }: Petition) => {
    const { status, body } = await api.post(`/v1/petitions/${id}/signatures`);
    assert.equal(status, 201, JSON.stringify(body));
    return body.data as { id: string; state: string };
  };
  const receiptOf = ({ api }: Pick<TestUser, 'api'>, { id }: Petition) =>
    api.get(`/v1/petitions/${id}/signatures/me/receipt`);
  const newSigner = async () => (await createUsers(service, 1))[0]!;

  /** Holds the signatures of a petition while `work` runs. */
  const whileHeld = async <T>({ id }: Petition, work: () => Promise<T>): Promise<T> => {
    const path = '/v1/admin/signing-blocks';
    const block = { kind: 'domain', value: 'example.org', action: 'hold', reason: 'A test.' };
    const added = await admin.api.post(path, { ...block, petition_id: id });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    try {
      return await work();
    } finally {
      assert.equal((await admin.api.delete(`${path}/${added.body.data.id}`)).status, 204);
    }
  };

  it('list entries that are scattered over many bundles as they are published', async () => {
    const petition = await createPublished(creator);
    const log = await openTestLog(service.ctx);
    for (const signer of await createUsers(service, 5)) {
      await sign(signer, petition);
      await writeLog(service.ctx);
      await log.append(200);
    }
    const size = await writeLog(service.ctx);
    const { entries } = await logWith(service, ({ checkpoint }) => checkpoint.size === size);
    const expected = [...entries.entries()].filter(
      ([, entry]) => entry.petition === petition.log_id,
    );
    assert.ok(expected.length >= 6);
    assert.ok(new Set(expected.map(([index]) => Math.floor(index / 256))).size >= 4);
    const path = `/v1/petitions/${petition.id}/log/entries`;
    const whole = await service.api.get(`${path}?limit=100`);
    assert.deepEqual(
      whole.body.data,
      expected.map(([index, entry]) => ({ index, entry })),
    );
    const listed: { index: number; entry: LogEntry }[] = [];
    let next = `${path}?limit=2`;
    while (next) {
      const { body } = await service.api.get(next);
      listed.push(...body.data);
      const { next_cursor: cursor } = body.pagination;
      next = cursor ? `${path}?limit=2&cursor=${cursor}` : '';
    }
    assert.deepEqual(listed, whole.body.data);
    const { body } = await service.api.get(`/v1/petitions/${petition.id}/log`);
    assert.equal(body.data.counted, 5);
    assert.equal(body.data.tree_size, entries.length);
  });

  it('show the state of the log', async () => {
    await createPublished(creator);
    const size = await writeLog(service.ctx);
    const { keys, note } = await logWith(service, ({ checkpoint }) => checkpoint.size === size);
    const { headers, body } = await service.api.get('/v1/log');
    const { origin, verifier_keys: verifierKeys, tree_size: treeSize, root_hash: root } = body.data;
    assert.deepEqual([origin, treeSize, verifierKeys.length], ['petitions.test/log', size, 2]);
    assert.deepEqual(verifierKeys, keys.map(formatVerifierKey));
    assert.equal(note.split('\n')[2], root);
    assert.ok(Date.parse(body.data.updated_at) > 0);
    const again = { headers: { 'if-none-match': headers.get('etag')! } };
    assert.equal((await service.api.get('/v1/log', again)).status, 304);
  });

  it('say why there is no receipt yet, or none at all', async () => {
    const petition = await createPublished(creator);
    const signer = await newSigner();
    const none = await receiptOf(signer, petition);
    assert.equal(none.status, 404);
    assert.equal(none.body.code, 'not_found');

    await sign(signer, petition);
    const waiting = await receiptOf(signer, petition);
    assert.equal(waiting.status, 202);
    assert.deepEqual(waiting.body.data, { state: 'waiting' });
    assert.equal(waiting.headers.get('retry-after'), '2');
    assert.equal(waiting.headers.get('cache-control'), 'no-store');
    await writeLog(service.ctx);
    const { status, headers, body } = await receiptOf(signer, petition);
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.match(headers.get('content-disposition')!, /^attachment; filename="receipt/);
    const { keys } = await readLog(service);
    const verified = verifyReceipt(body as string, {
      origin: 'petitions.test/log',
      logKeys: keys,
    });
    assert.equal(verified.opening.petition, petition.log_id);

    const left = await signer.api.delete(`/v1/petitions/${petition.id}/signatures/me`);
    assert.equal(left.status, 204);
    assert.equal((await receiptOf(signer, petition)).status, 410);
  });

  it('have no receipt of a signature that moderators hold or refuse', async () => {
    const petition = await createPublished(creator);
    const [released, refused] = (await createUsers(service, 2)) as [TestUser, TestUser];
    const held = await whileHeld(petition, async () => ({
      released: await sign(released, petition),
      refused: await sign(refused, petition),
    }));
    assert.equal(held.released.state, 'held');
    await writeLog(service.ctx);
    const waiting = await receiptOf(released, petition);
    assert.deepEqual([waiting.status, waiting.body.data], [202, { state: 'held' }]);

    const path = '/v1/admin/signatures';
    assert.ok((await admin.api.post(`${path}/${held.released.id}/release`)).status < 300);
    assert.deepEqual((await receiptOf(released, petition)).body.data, { state: 'waiting' });
    assert.ok((await admin.api.post(`${path}/${held.refused.id}/reject`)).status < 300);
    await writeLog(service.ctx);
    assert.equal((await receiptOf(released, petition)).status, 200);
    const never = await receiptOf(refused, petition);
    assert.deepEqual([never.status, never.body.code], [404, 'not_counted']);
  });

  it('need the access code of a private petition', async () => {
    const petition = await createPublished(creator, { visibility: 'private' });
    await writeLog(service.ctx);
    for (const path of ['log', 'log/entries']) {
      const address = `/v1/petitions/${petition.id}/${path}`;
      assert.equal((await service.api.get(address)).status, 403, path);
      assert.equal((await creator.api.get(address)).status, 200, path);
    }
  });

  it('are 404 where LOG is off, and where another instance writes the log', async () => {
    const petition = await createPublished(creator);
    const signer = await newSigner();
    await sign(signer, petition);
    await writeLog(service.ctx);
    const paths = ['log', 'log/entries', 'signatures/me/receipt'].map(
      (path) => `/v1/petitions/${petition.id}/${path}`,
    );
    const others: Record<string, string>[] = [{ LOG: 'off' }, { BASE_URL: 'http://copy.test' }];
    for (const env of others) {
      await using other = await startService({ beside: service, env });
      const api = other.api.as(signer.token);
      for (const path of ['/v1/log', ...paths]) {
        assert.equal((await api.get(path)).status, 404, path);
      }
    }
  });

  it('show the petition by its state before it has an entry', async () => {
    const petition = await createPublished(creator);
    assert.equal((await service.api.get(`/v1/petitions/${petition.id}/log`)).status, 404);
    await writeLog(service.ctx);
    const { body } = await service.api.get(`/v1/petitions/${petition.id}/log`);
    assert.equal(body.data.log_id, petition.log_id);
    assert.equal(body.data.signature_count, 0);
  });
});
