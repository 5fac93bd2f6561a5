import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import {
  addOrganizer,
  createOrganized,
  creatorOf,
  eraseAccount,
} from '../../../test/support/organizers.ts';
import {
  createPublished,
  logIn,
  unproveAddress,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('handing over', () => {
  let service: Service;

  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  it('needs both, and leaves the former creator no right', async () => {
    const { creator, petition, people, path } = await createOrganized(service, 'editor', 'author');
    const [editor, author] = people;
    const { body: key } = await creator.api.post('/v1/api-keys', { name: 'A key' });
    const offer = await creator.api.put(`${path}/hand-over`, { organizer_id: editor!.organizerId });
    assert.equal(offer.status, 200, JSON.stringify(offer.body));
    assert.equal((await author!.api.post(`${path}/hand-over/accept`)).status, 403);
    assert.equal((await author!.api.delete(`${path}/hand-over`)).status, 403);
    assert.equal((await author!.api.get(`${path}/hand-over`)).body.data.organizer.email, null);
    const taken = await editor!.api.post(`${path}/hand-over/accept`);
    assert.equal(taken.body.data.creator.id, editor!.id, JSON.stringify(taken.body));
    assert.equal((await editor!.api.post(`${path}/hand-over/accept`)).status, 404);

    const keyed = service.api.with({ authorization: `Bearer ${key.data.key}` });
    for (const api of [creator.api, keyed]) {
      const title = { title: 'Still mine, I think' };
      assert.equal((await api.patch(path, title)).status, 403);
      assert.equal((await api.get(`${path}/organizers`)).status, 403);
      assert.equal((await api.get(`${path}/analytics`)).status, 403);
    }
    assert.equal((await editor!.api.post(`${path}/close`)).status, 200);
    await eventually(async () =>
      (await service.mails())
        .map(readMail)
        .some(({ to, text }) => to === creator.email && /has accepted the petition/.test(text)),
    );
    const { body } = await service.api.get(path);
    assert.equal(body.data.creator.petition_count, 1);
    assert.equal(petition.id, taken.body.data.id);
  });

  it('can be taken back and declined', async () => {
    const { creator, people, path } = await createOrganized(service, 'editor');
    const [editor] = people;
    const input = { organizer_id: editor!.organizerId };
    assert.equal((await editor!.api.put(`${path}/hand-over`, input)).status, 403);
    assert.equal((await creator.api.get(`${path}/hand-over`)).status, 404);
    await creator.api.put(`${path}/hand-over`, input);
    assert.equal((await creator.api.delete(`${path}/hand-over`)).status, 204);
    assert.equal((await editor!.api.post(`${path}/hand-over/accept`)).status, 404);
    await creator.api.put(`${path}/hand-over`, input);
    assert.equal((await editor!.api.delete(`${path}/hand-over`)).status, 204);
    assert.equal((await creator.api.delete(`${path}/hand-over`)).status, 404);
    const invited = await creator.api.post(`${path}/organizers`, {
      email: 'not-yet@example.org',
      role: 'editor',
    });
    const early = await creator.api.put(`${path}/hand-over`, {
      organizer_id: invited.body.data.id,
    });
    assert.deepEqual([early.status, early.body.code], [409, 'not_accepted']);
  });

  it('happens by itself when the creator leaves, to the one who organizes for the longest', async () => {
    const { creator, petition, people, path } = await createOrganized(service, 'author', 'editor');
    const [first, second] = people;
    await verifyAddress(service, first!);
    await creator.api.post(`${path}/decision-makers`, { name: 'Grace', email: 'g@example.org' });
    assert.equal(await eraseAccount(service, creator), 204);
    assert.equal(await creatorOf(service, petition.id), first!.id);
    const { body } = await first!.api.get(path);
    assert.equal(body.data.decision_makers[0].email, 'g@example.org');
    await eventually(async () =>
      (await service.mails())
        .map(readMail)
        .some(({ to, text }) => to === first!.email && /it is now yours/.test(text)),
    );
    assert.equal(await eraseAccount(service, first!), 204);
    assert.equal(await creatorOf(service, petition.id), second!.id);
    await second!.api.post(`${path}/signatures`);
    assert.equal(await eraseAccount(service, second!), 204);
    assert.equal(await creatorOf(service, petition.id), null);
  });

  it('is offered to nobody, and by nobody, whose address is not proven', async () => {
    const { creator, people, petition, path } = await createOrganized(service, 'editor');
    const [editor] = people;
    const offer = { organizer_id: editor!.organizerId };
    const offerIt = () => creator.api.put(`${path}/hand-over`, offer);
    await unproveAddress(service, editor!);
    const toUnproven = await offerIt();
    assert.deepEqual([toUnproven.status, toUnproven.body.code], [409, 'no_organizer']);
    await verifyAddress(service, editor!);
    await unproveAddress(service, creator);
    const byUnproven = await offerIt();
    assert.deepEqual([byUnproven.status, byUnproven.body.code], [403, 'email_not_verified']);
    await verifyAddress(service, creator);
    assert.equal((await offerIt()).status, 200);
    await handOverMailsTo(service, editor!);
    await unproveAddress(service, editor!);
    const accepted = await editor!.api.post(`${path}/hand-over/accept`);
    assert.deepEqual([accepted.status, accepted.body.code], [403, 'email_not_verified']);
    const earlier = (await handOverMailsTo(service, editor!)).length;
    await eraseAccount(service, creator);
    assert.equal(await creatorOf(service, petition.id), editor!.id);
    assert.equal((await handOverMailsTo(service, editor!)).length, earlier);
  });

  it('mails nobody who wants no mail that others cause', async () => {
    const { creator, people, petition, path } = await createOrganized(service, 'editor');
    const [editor] = people;
    await verifyAddress(service, editor!);
    const offer = { organizer_id: editor!.organizerId };
    await creator.api.put(`${path}/hand-over`, offer);
    const [mail, ...others] = await handOverMailsTo(service, editor!);
    assert.deepEqual(others, []);
    const stop = /\/mail\/stop\/[\w-]+/.exec(mail!.text)![0];
    assert.equal((await service.api.post(stop)).status, 200);
    await creator.api.delete(`${path}/hand-over`);
    await creator.api.put(`${path}/hand-over`, offer);
    await eraseAccount(service, creator);
    assert.equal(await creatorOf(service, petition.id), editor!.id);
    assert.equal((await handOverMailsTo(service, editor!)).length, 1);
  });
});

describe('mails of handing over, within limits', () => {
  /** Without limits, for what comes before. */
  let service: Service;
  let limited: Service;

  before(async () => {
    service = await startService();
    limited = await startService({ beside: service, worker: true, env: { RATE_LIMITS: 'on' } });
  });
  after(async () => {
    await limited[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  /** Opens an account whose address is verified. */
  const signUpAs = async (email: string): Promise<Person> => {
    const password = 'correct horse';
    const input = { email, password, display_name: 'One of many' };
    const { status, body } = await service.api.post('/v1/auth/register', input);
    assert.equal(status, 201);
    await verifyAddress(service, { email });
    return logIn(service, { email, password, id: body.data.id });
  };

  it('count the accounts of a mailbox together', async () => {
    const { creator, petition, path } = await createOrganized(service);
    const { api } = await logIn(limited, creator);
    const offers: { status: number; headers: Headers }[] = [];
    for (let n = 0; n < 4; n++) {
      const account = await signUpAs(`often+${n}@example.org`);
      const organizer_id = await addOrganizer(service, petition.id, account, 'author');
      offers.push(await api.put(`${path}/hand-over`, { organizer_id }));
    }
    const statuses = offers.map(({ status }) => status);
    assert.deepEqual(statuses, [200, 200, 200, 429]);
    assert.ok(Number(offers[3]!.headers.get('retry-after')) > 0);
  });

  it('are at most 15 a day when creators leave, and the petitions pass all the same', async () => {
    const heir = await signUpAs('heir@example.org');
    const { creator } = await createOrganized(service);
    for (let n = 0; n < 22; n++) {
      const { id } = await createPublished(creator);
      await addOrganizer(service, id, heir, 'author');
    }
    assert.equal(await eraseAccount(service, creator), 204);
    const owned = await service.ctx.db.value`
      select count(*)::integer from petitions where creator_id = ${heir.id}`;
    assert.equal(owned, 22);
    assert.equal((await handOverMailsTo(limited, heir)).length, 15);
  });
});

/** Returns the mails about handing over to a person, once no such mail waits. */
async function handOverMailsTo(service: Service, { email }: Pick<Person, 'email'>) {
  await eventually(
    async () =>
      !(await service.ctx.db.exists`
        select from graphile_worker.jobs
        where task_identifier in ('mail-hand-over-offer', 'mail-handed-over')`),
  );
  return (await service.mails())
    .map(readMail)
    .filter(({ to, text }) => to === email && text.includes('/organizers'));
}
