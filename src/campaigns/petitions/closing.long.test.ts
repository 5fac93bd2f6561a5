import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { createPublished, createUsers, signUp } from '../../../test/support/people.ts';
import { transaction } from '../../platform/db.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { assertCounts } from '../../../test/support/signing.ts';

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

interface StoredPetition {
  status: string;
  closed_at: Date | null;
  closes_at: Date;
  signature_count: number;
}

const read = async ({ ctx }: Service, { id }: { id: string }): Promise<StoredPetition> =>
  ctx.db.one<StoredPetition>`
    select status, closed_at, closes_at, signature_count from petitions where id = ${id}`;

const isClosed = async (service: Service, petition: { id: string }): Promise<boolean> =>
  (await read(service, petition)).status === 'closed';

interface StoredEvent {
  type: string;
  actor_type: string;
}

/** The events of a petition since it was published, in the order of the log. */
const eventsOf = ({ ctx }: Service, { id }: { id: string }): Promise<StoredEvent[]> =>
  ctx.db<StoredEvent[]>`
    select type, actor_type from events where petition_id = ${id}
      and type not in ('petition.created', 'petition.published')
    order by transaction, position`;

describe('closing by date', () => {
  it('counts what is signed before, and refuses what is signed from then on', async () => {
    await using service = await startService({ worker: true });
    await using other = await startService({ beside: service, worker: true });
    const creator = await signUp(service, 'Creator');
    const petition = await createPublished(creator, { closesAt: inMs(60_000) });
    // Less than a day ahead, so that it is reminded of at once; not after it has closed.
    await eventually(async () =>
      (await eventsOf(service, petition)).some(({ type }) => type === 'petition.closing'),
    );
    const signers = await createUsers(service, 200);
    const sign = async (n: number) => {
      const sentAt = Date.now();
      const api = [service, other][n % 2]!.api.as(signers[n]!.token);
      const { status, body } = await api.post(`/v1/petitions/${petition.id}/signatures`);
      return { sentAt, doneAt: Date.now(), status, code: body.code as string | undefined };
    };
    const signAll = (from: number, to: number) =>
      Promise.all(Array.from({ length: to - from }, (_, n) => sign(from + n)));
    const before = await signAll(0, 50);
    const closesAt = new Date(Date.now() + 300);
    await service.ctx.db`update petitions set closes_at = ${closesAt} where id = ${petition.id}`;
    const across = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        await sleep(n * 6);
        return sign(50 + n);
      }),
    );
    await sleep(Math.max(0, closesAt.getTime() - Date.now()));
    const answers = [...before, ...across, ...(await signAll(150, 200))];
    for (const { sentAt, doneAt, status, code } of answers) {
      if (doneAt < closesAt.getTime()) assert.equal(status, 201);
      if (sentAt >= closesAt.getTime()) assert.deepEqual([status, code], [409, 'invalid_state']);
    }
    const signed = answers.filter(({ status }) => status === 201).length;
    assert.ok(signed >= 50 && signed <= 150, `${signed} of 200 signed before`);
    await eventually(() => isClosed(service, petition));
    // Both processes had time to close it again.
    await sleep(1500);
    const { closed_at, closes_at, signature_count } = await read(service, petition);
    assert.deepEqual(closed_at, closes_at);
    assert.equal(signature_count, signed);
    await assertCounts(service, petition.id);
    const events = await eventsOf(service, petition);
    for (const once of ['petition.closing', 'petition.closed']) {
      assert.equal(events.filter(({ type }) => type === once).length, 1, once);
    }
    assert.deepEqual(events.at(-1), { type: 'petition.closed', actor_type: 'system' });
  });

  it('closes by the date as it is now, after a restart too, and nothing that has ended', async () => {
    await using service = await startService();
    const creator = await signUp(service, 'Creator');
    const create = () => createPublished(creator, { closesAt: inMs(60_000) });
    const [kept, moved, cleared, ended] = [
      await create(),
      await create(),
      await create(),
      await create(),
    ];
    const path = (petition: { id: string }) => `/v1/petitions/${petition.id}`;
    {
      await using first = await startService({ beside: service, worker: true });
      const api = first.api.as(creator.accessToken);
      const later = { closesAt: inMs(3_600_000) };
      assert.equal((await api.patch(path(moved), later)).status, 200);
      assert.equal((await api.patch(path(cleared), { closesAt: null })).status, 200);
      assert.equal((await api.post(`${path(ended)}/close`)).status, 200);
    }
    await service.ctx.db`
      update petitions set closes_at = now() - interval '1 s'
      where id = any(${[kept.id, ended.id]}::uuid[])`;
    await using _ = await startService({ beside: service, worker: true });
    await eventually(() => isClosed(service, kept));
    assert.equal((await read(service, moved)).status, 'active');
    assert.equal((await read(service, cleared)).status, 'active');
    assert.deepEqual(
      (await eventsOf(service, ended)).filter(({ type }) => type === 'petition.closed'),
      [{ type: 'petition.closed', actor_type: 'user' }],
    );
  });

  it('does not close a petition whose date is moved while it waits for its row', async () => {
    await using service = await startService({ worker: true });
    const creator = await signUp(service, 'Creator');
    const petition = await createPublished(creator, { closesAt: inMs(60_000) });
    const { main } = service.ctx.pools;
    await main`
      update petitions set closes_at = now() + interval '2 s' where id = ${petition.id}`;
    await transaction(main, async (tx) => {
      await tx`
        update petitions set closes_at = now() + interval '1 hour' where id = ${petition.id}`;
      await eventually(
        () => main.value<boolean>`
          select exists (
            select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'
              and query like '%petition.closed%') as waits`,
      );
    });
    await sleep(200);
    assert.equal((await read(service, petition)).status, 'active');
  });

  it('closes what is under review, unless it was never published', async () => {
    await using service = await startService({ worker: true });
    const creator = await signUp(service, 'Creator');
    const { db } = service.ctx;
    const hidden = await createPublished(creator, { closesAt: inMs(60_000) });
    const unseen = await createPublished(creator, { closesAt: inMs(60_000) });
    const deleted = await createPublished(creator, { closesAt: inMs(60_000) });
    await creator.api.delete(`/v1/petitions/${deleted.id}`);
    await db`
      update petitions set status = 'under_review', hidden_with_creator = true
      where id = ${hidden.id}`;
    await db`
      update petitions set status = 'under_review', published_at = null where id = ${unseen.id}`;
    await db`update petitions set closes_at = now() - interval '1 second'`;
    await eventually(() => isClosed(service, hidden));
    await sleep(1200);
    assert.equal((await read(service, unseen)).status, 'under_review');
    assert.equal((await read(service, deleted)).status, 'active');
    await db`
      update petitions set status = 'active', published_at = now() where id = ${unseen.id}`;
    await eventually(() => isClosed(service, unseen));
  });

  it('notifies the creator and those who signed', async () => {
    await using service = await startService({ worker: true });
    const creator = await signUp(service, 'Creator');
    const petition = await createPublished(creator, { closesAt: inMs(60_000) });
    const [signer] = await createUsers(service, 1);
    await signer!.api.post(`/v1/petitions/${petition.id}/signatures`);
    await service.ctx.db`
      update petitions set closes_at = now() + interval '0.2 s' where id = ${petition.id}`;
    for (const { api } of [creator, signer!]) {
      await eventually(async () => {
        const { body } = await api.get('/v1/notifications');
        return body.data.some(({ type }: { type: string }) => type === 'petition_closed');
      });
    }
  });
});
