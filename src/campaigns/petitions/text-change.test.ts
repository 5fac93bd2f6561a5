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
import { startService, type Service } from '../../../test/support/service.ts';
import { signByMany } from '../../../test/support/signing.ts';

interface Notification {
  type: string;
  data: Record<string, unknown>;
}

describe('a text that changes after many have signed it', () => {
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

  const pathOf = ({ id }: { id: string }) => `/v1/petitions/${id}`;
  const patch = async (petition: { id: string }, changes: object) => {
    const { status, body } = await creator.api.patch(pathOf(petition), changes);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  const changeOf = async (petition: { id: string }) =>
    (await service.api.get(pathOf(petition))).body.data.text_change;
  const eventsOf = async (petition: { id: string }) =>
    (
      await service.ctx.db`
        select data from events where petition_id = ${petition.id} and type = 'petition.updated'
        order by events.transaction, events.position`
    ).map(({ data }) => data);
  const noticesOf = async ({ api }: TestUser): Promise<Notification[]> =>
    (await api.get('/v1/notifications')).body.data.filter(
      ({ type }: Notification) => type === 'petition_changed',
    );
  /** Waits until all events so far have led to notifications. */
  const settled = async (petition: { id: string }) => {
    const [signer] = (await signByMany(service, petition, 1)) as [TestUser];
    const update = { title: 'We are on the agenda', body: 'On the third of May.' };
    await creator.api.post(`${pathOf(petition)}/updates`, update);
    await eventually(async () => {
      const { body } = await signer.api.get('/v1/notifications');
      const waiting = await service.ctx.db`select from notification_fan_outs`;
      return body.data.length > 0 && waiting.length === 0;
    }, 20_000);
  };

  it('is not told below 100 signatures, nor for other changes', async () => {
    const petition = await createPublished(creator);
    const signers = await signByMany(service, petition, 99);
    await patch(petition, { title: 'Light the river path' });
    assert.equal(await changeOf(petition), null);
    signers.push(...(await signByMany(service, petition, 1)));
    await patch(petition, { tags: ['river'] });
    await patch(petition, { title: 'Light the river path', language: 'en' });
    assert.equal(await changeOf(petition), null);
    assert.deepEqual(await eventsOf(petition), [
      { version: 2, fields: 'title' },
      { version: 2, fields: 'tags,tag_keys' },
      { version: 2, fields: 'language' },
    ]);
    await settled(petition);
    for (const signer of signers) assert.deepEqual(await noticesOf(signer), []);
    const { body } = await service.api.get(`${pathOf(petition)}/versions`);
    assert.deepEqual(
      body.data.map((one: Record<string, unknown>) => [one.version, one.signatures_before]),
      [
        [2, 99],
        [1, null],
      ],
    );
  });

  it('is told from 100 signatures on, to those who had signed', async () => {
    const petition = await createPublished(creator);
    await creator.api.post(`${pathOf(petition)}/signatures`);
    const signers = await signByMany(service, petition, 100);
    const former = signers.pop()!;
    await former.api.delete(`${pathOf(petition)}/signatures/me`);
    const answer = await patch(petition, { title: 'Light the river path' });
    const { at, ...change } = answer.text_change;
    assert.deepEqual(change, { signatures_before: 100, version: 2 });
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
    assert.deepEqual(await changeOf(petition), answer.text_change);
    assert.deepEqual(await eventsOf(petition), [
      { version: 2, fields: 'title', signed_before: 100 },
    ]);
    const late = (await signByMany(service, petition, 1)) as [TestUser];
    await settled(petition);
    for (const signer of signers) {
      const notices = await noticesOf(signer);
      assert.deepEqual(
        notices.map(({ data }) => data),
        [{ petition_id: petition.id, slug: petition.slug, version: 2, count: 1 }],
      );
    }
    for (const person of [late[0], former, creator as never as TestUser]) {
      assert.deepEqual(await noticesOf(person), []);
    }
    // In the service only: no mail waits.
    const mails = await service.ctx.db`
      select from notification_mails m join notices n on n.id = m.notice_id
      where n.type = 'petition_changed'`;
    assert.equal(mails.length, 0);
    const listed = await service.api.get(`/v1/petitions?creatorId=${creator.id}`);
    assert.ok(listed.body.data.every((one: object) => !('text_change' in one)));

    // Another change replaces it, and unread notices are merged.
    const [, second] = [
      await patch(petition, { tags: ['river'] }),
      await patch(petition, { description: `${petitionInput.description} Every night.` }),
    ];
    assert.deepEqual([second.text_change.signatures_before, second.text_change.version], [102, 3]);
    await settled(petition);
    const merged = await noticesOf(signers[0]!);
    assert.deepEqual(
      merged.map(({ data }) => [data.version, data.count]),
      [[3, 2]],
    );
    assert.equal((await noticesOf(late[0])).length, 1);
  });

  it('is in webhooks as the API shows it, without the data of the event', async () => {
    const person = await signUp(service, 'Listener');
    const petition = await createPublished(person);
    await signByMany(service, petition, 100);
    const { body } = await person.api.patch(pathOf(petition), { title: 'Light the river path' });
    const updates = async () => {
      const first = await person.api.get('/v1/events?limit=100');
      const last = first.body.data.at(-1).id;
      const second = await person.api.get(`/v1/events?limit=100&after=${last}`);
      return second.body.data.filter(({ type }: { type: string }) => type === 'petition.updated');
    };
    await eventually(async () => (await updates()).length === 1);
    const [{ data }] = await updates();
    assert.deepEqual(data.text_change, body.data.text_change);
    assert.ok(!('signed_before' in data));
  });

  it('agrees with the count while people sign', async () => {
    const petition = await createPublished(creator);
    await signByMany(service, petition, 95);
    const people = await createUsers(service, 10);
    const signing = people.map(({ api }) => api.post(`${pathOf(petition)}/signatures`));
    const titles = Array.from({ length: 10 }, (_, n) => `Light the river path ${n}`);
    for (const title of titles) await patch(petition, { title });
    await Promise.all(signing);
    await patch(petition, { title: 'Light the whole river path' });
    const change = await changeOf(petition);
    assert.deepEqual([change.signatures_before, change.version], [105, 12]);
    const events = await eventsOf(petition);
    const { body } = await service.api.get(`${pathOf(petition)}/versions?limit=100`);
    for (const { version, signed_before: told } of events) {
      const { signatures_before: stored } = body.data.find(
        (one: { version: number }) => one.version === version,
      );
      assert.equal(told, stored >= 100 ? stored : undefined);
    }
  });

  it('is told of what a moderator replaces, and not of drafts', async () => {
    const petition = await createPublished(creator);
    const [signer] = await signByMany(service, petition, 100);
    const redaction = { title: 'Light the river path', reason: 'It names a private person.' };
    const path = `/v1/admin/petitions/${petition.id}/redact`;
    assert.equal((await admin.api.post(path, redaction)).status, 200);
    assert.equal((await changeOf(petition)).version, 2);
    await eventually(async () => (await noticesOf(signer!)).length === 1, 20_000);

    const draft = await createDraft(creator);
    assert.equal((await patch(draft, { title: 'Light the river path' })).text_change, null);
  });

  it('is in the export of its creator', async () => {
    const person = await signUp(service, 'Exporter');
    const petition = await createPublished(person);
    await signByMany(service, petition, 100);
    await person.api.patch(pathOf(petition), { title: 'Light the river path' });
    const { body } = await person.api.get('/v1/users/me/export');
    const exported = (body.data ?? body).petitions.find(
      ({ id }: { id: string }) => id === petition.id,
    );
    assert.deepEqual([exported.text_changed_after, exported.text_changed_version], [100, 2]);
    assert.equal(exported.versions[1].signatures_before, 100);
  });
});
