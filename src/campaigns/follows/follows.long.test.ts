import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createDraft,
  createPublished,
  createUsers,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import type { Client } from '../../../test/support/client.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const hourMs = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString();

interface Notice {
  type: string;
  data: { petition_id: string; closes_at: string };
}

/** The dates of which a person was reminded, oldest first. */
async function remindersOf({ api }: { api: Client }, { id }: { id: string }): Promise<string[]> {
  const { body } = await api.get('/v1/notifications?limit=100');
  const notices = body.data as Notice[];
  return notices
    .filter(({ type, data }) => type === 'petition_closing' && data.petition_id === id)
    .map(({ data }) => data.closes_at)
    .toReversed();
}

describe('following a petition', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  it('begins and ends once, however often it is asked for', async () => {
    const { id, slug } = await createPublished(creator);
    const [person] = await createUsers(service, 1);
    const count = () => service.ctx.db.value<number>`
      select count(*)::int as n from petition_follows where user_id = ${person!.id}`;
    for (const ref of [id, slug]) {
      assert.equal((await person!.api.put(`/v1/petitions/${ref}/follow`)).status, 204);
      assert.equal(await count(), 1);
    }
    for (const ref of [slug, id]) {
      assert.equal((await person!.api.delete(`/v1/petitions/${ref}/follow`)).status, 204);
      assert.equal(await count(), 0);
    }
    assert.equal((await service.api.put(`/v1/petitions/${id}/follow`)).status, 401);
  });

  it('is for those who can read it, and can always be ended', async () => {
    const [person] = await createUsers(service, 1);
    const path = ({ id }: { id: string }) => `/v1/petitions/${id}/follow`;
    const draft = await createDraft(creator);
    const petition = await createPublished(creator, { visibility: 'private' });
    for (const method of ['put', 'delete'] as const) {
      assert.equal((await person!.api[method](path(draft))).status, 404);
      assert.equal((await person!.api[method]('/v1/petitions/nowhere/follow')).status, 404);
      assert.equal((await person!.api[method](path(petition))).status, 403);
    }
    const withCode = `${path(petition)}?access_code=${petition.access_code}`;
    assert.equal((await person!.api.put(withCode)).status, 204);
    assert.equal((await person!.api.delete(path(petition))).status, 204);
  });
});

describe('reminders of closing dates', () => {
  it('go once to the creator, and to followers who have not signed', async () => {
    await using service = await startService({ worker: true });
    await using other = await startService({ beside: service, worker: true });
    const creator = await signUp(service, 'Creator');
    await verifyAddress(service, creator);
    const petition = await createPublished(creator, { closesAt: inHours(48) });
    const path = `/v1/petitions/${petition.id}`;
    const people = await createUsers(service, 4);
    const [follower, signer, stranger, former] = people;
    for (const { api } of [follower!, signer!, former!, creator]) {
      assert.equal((await api.put(`${path}/follow`)).status, 204);
    }
    await signer!.api.post(`${path}/signatures`);
    await former!.api.delete(`${path}/follow`);
    await sleep(1200);
    assert.deepEqual(await remindersOf(creator, petition), [], 'it is two days ahead');
    const date = inHours(20);
    await creator.api.patch(path, { closesAt: date });
    for (const person of [creator, follower!]) {
      await eventually(async () => (await remindersOf(person, petition)).length > 0);
      assert.deepEqual(await remindersOf(person, petition), [date]);
    }
    await sleep(1500);
    for (const person of [creator, follower!]) {
      assert.deepEqual(await remindersOf(other && person, petition), [date]);
    }
    for (const person of [signer!, stranger!, former!]) {
      assert.deepEqual(await remindersOf(person, petition), []);
    }
    await service.ctx.db`update notification_inboxes set mail_due_at = now()`;
    const mailTo = async (email: string) =>
      [...(await service.mails()), ...(await other.mails())].filter((mail) =>
        mail.includes(`To: ${email}`),
      );
    await eventually(async () => (await mailTo(follower!.email)).length > 0);
    assert.match((await mailTo(follower!.email))[0]!, /closes soon/);
  });

  it('come again for a date that is later than a day ahead, and for no other', async () => {
    await using service = await startService();
    const creator = await signUp(service, 'Creator');
    const petition = await createPublished(creator, { closesAt: inHours(20) });
    const { db } = service.ctx;
    const change = (closesAt: string | null) =>
      creator.api.patch(`/v1/petitions/${petition.id}`, { closesAt });
    const isOwed = () => db.value<boolean>`
      select closing_reminder_at is not null as owed from petitions where id = ${petition.id}`;
    const remindOnce = async (date: string) => {
      await using _ = await startService({ beside: service, worker: true });
      await eventually(async () => (await remindersOf(creator, petition)).at(-1) === date);
    };
    await remindOnce(petition.closes_at);
    await change(inHours(22));
    assert.equal(await isOwed(), false, 'within the day they were reminded of');
    const later = inHours(72);
    await change(later);
    assert.equal(await isOwed(), true);
    const earlier = inHours(5);
    await change(earlier);
    await remindOnce(earlier);
    assert.deepEqual(await remindersOf(creator, petition), [petition.closes_at, earlier]);
    await change(inHours(72));
    await change(null);
    assert.equal(await isOwed(), false);
  });

  it('are not sent of petitions that are no longer open', async () => {
    await using service = await startService();
    const creator = await signUp(service, 'Creator');
    const draft = await createDraft(creator, { closesAt: inHours(20) });
    const closed = await createPublished(creator, { closesAt: inHours(20) });
    const won = await createPublished(creator, { closesAt: inHours(20) });
    const open = await createPublished(creator, { closesAt: inHours(20) });
    await creator.api.post(`/v1/petitions/${closed.id}/close`);
    await creator.api.post(`/v1/petitions/${won.id}/victory`);
    await using _ = await startService({ beside: service, worker: true });
    await eventually(async () => (await remindersOf(creator, open)).length === 1);
    for (const petition of [draft, closed, won]) {
      assert.deepEqual(await remindersOf(creator, petition), []);
    }
  });
});
