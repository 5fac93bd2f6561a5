import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import { startMailServer } from '../../../test/support/mail-server.ts';
import { addOrganizer } from '../../../test/support/organizers.ts';
import {
  addMember,
  createOrganization,
  createPublished,
  createUsers,
  signUp,
  verifyAddress,
  type TestUser,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { emit, systemActor, type NewEvent } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import { takeDue } from './mail-queries.ts';

const emitEvent = ({ ctx }: Service, event: Partial<NewEvent> & Pick<NewEvent, 'type'>) =>
  ctx.pools.main.begin((tx) => emit(tx, { petitionId: null, actor: systemActor, ...event }));

const warn = (service: Service, { id: user_id }: TestUser) =>
  emitEvent(service, { type: 'user.warned', data: { warning_id: newId(), user_id } });

/** Causes a notice that is not urgent: its mail waits for others for two minutes. */
const addToOrganization = async (service: Service, { id: user_id }: TestUser, name: string) => {
  const org_id = newId();
  await service.ctx.db`
    insert into organizations (id, name, slug) values (${org_id}, ${name}, ${org_id})`;
  await emitEvent(service, { type: 'organization.member_added', data: { org_id, user_id } });
};

/** Moves the due times of all mails into the past, as if that time had passed. */
const passTime = async ({ ctx }: Service, minutes: number) => {
  const span = ctx.db`${minutes} * interval '1 minute'`;
  await ctx.db`
    update notification_inboxes set mail_due_at = mail_due_at - ${span},
      mailed_at = mailed_at - ${span}`;
};

const waitingMails = async ({ ctx }: Service, { id }: TestUser): Promise<number> =>
  (await ctx.db`select from notification_mails where user_id = ${id}`).length;

const mailsTo = async (service: Service, { email }: TestUser): Promise<string[]> =>
  (await service.mails()).filter((mail) => mail.includes(`To: ${email}`));

/** Returns the mail with soft line breaks and quoted-printable bytes decoded. */
const decoded = (mail: string) =>
  mail
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (bytes) =>
      Buffer.from(bytes.replaceAll('=', ''), 'hex').toString(),
    );

const unsubscribePath = (mail: string): string =>
  new URL(/^List-Unsubscribe:\s+<(.*)>$/m.exec(mail)![1]!).pathname;

describe('notification mails', () => {
  let service: Service;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  const people = (count: number) => createUsers(service, count);
  const onePerson = async () => (await people(1))[0]!;

  it('follow the preferences for mail and service apart when a comment is a reply to the creator', async () => {
    const [creator, other] = (await people(2)) as [TestUser, TestUser];
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}/comments`;
    const own = (await creator.api.post(path, { body: 'Who else?' })).body.data.id;
    const reply = 'A new reply to your comment on';
    const comment = 'A new comment on';
    const noReplies = { in_app: { comment_reply: false } };
    const cases: [object, inService: string, byMail: string][] = [
      [{}, reply, reply],
      [noReplies, comment, reply],
      [{ ...noReplies, email: { comment_reply: false, petition_comment: true } }, comment, comment],
    ];
    for (const [n, [preferences, inService, byMail]] of cases.entries()) {
      await creator.api.patch('/v1/notifications/preferences', preferences);
      await other.api.post(path, { body: 'So do I.', parent_id: own });
      await eventually(async () => (await waitingMails(service, creator)) === 1, 20_000);
      const { body } = await creator.api.get('/v1/notifications?unread_only=true');
      const titles = body.data.map(({ title }: { title: string }) => title);
      assert.deepEqual(titles, [`${inService} “${petition.title}”`]);
      await passTime(service, 61);
      await eventually(async () => (await mailsTo(service, creator)).length === n + 1, 20_000);
      const mail = decoded((await mailsTo(service, creator))[n]!);
      assert.ok(mail.includes(`\n${byMail} “${petition.title}”`), mail);
      assert.ok(!mail.includes(byMail === reply ? comment : reply), mail);
      await eventually(async () => (await waitingMails(service, creator)) === 0);
      await creator.api.post('/v1/notifications/mark-read', { mark_all: true });
    }
    // A comment that was read in the service is not mailed as a reply.
    await creator.api.patch('/v1/notifications/preferences', { email: { comment_reply: true } });
    await other.api.post(path, { body: 'And I.', parent_id: own });
    await eventually(async () => (await waitingMails(service, creator)) === 1, 20_000);
    await creator.api.post('/v1/notifications/mark-read', { mark_all: true });
    assert.equal(await waitingMails(service, creator), 0);
  });

  it('are not sent to somebody who no longer organizes the petition', async () => {
    const [creator, leaving, staying, signer] = (await people(4)) as [
      TestUser,
      TestUser,
      TestUser,
      TestUser,
    ];
    const petition = await createPublished(creator, { signatureGoal: 1 });
    const organizerId = await addOrganizer(service, petition.id, leaving, 'editor');
    await addOrganizer(service, petition.id, staying, 'author');
    const path = `/v1/petitions/${petition.id}`;
    assert.equal((await signer.api.post(`${path}/signatures`)).status, 201);
    assert.equal((await creator.api.post(`${path}/close`)).status, 200);
    for (const person of [leaving, staying])
      await eventually(async () => (await waitingMails(service, person)) === 2, 20_000);
    const removed = await creator.api.delete(`${path}/organizers/${organizerId}`);
    assert.equal(removed.status, 204);
    await passTime(service, 2);
    await eventually(async () => (await mailsTo(service, staying)).length === 1, 20_000);
    await eventually(async () => (await waitingMails(service, leaving)) === 0, 20_000);
    assert.deepEqual(await mailsTo(service, leaving), []);
  });

  it('combine notices of two minutes, and pause for an hour', async () => {
    const person = await onePerson();
    await addToOrganization(service, person, 'First');
    await eventually(async () => (await waitingMails(service, person)) === 1, 20_000);
    await passTime(service, 1);
    await addToOrganization(service, person, 'Second');
    await eventually(async () => (await waitingMails(service, person)) === 2, 20_000);
    assert.equal((await mailsTo(service, person)).length, 0);
    await passTime(service, 1);
    await eventually(async () => (await mailsTo(service, person)).length === 1, 20_000);
    const [first] = await mailsTo(service, person);
    assert.match(first!, /^Subject: You are now a member of First, and one more$/m);
    assert.match(first!, /a member of First[^]*a member of Second/);

    await eventually(async () => (await waitingMails(service, person)) === 0);
    await addToOrganization(service, person, 'Third');
    await eventually(async () => (await waitingMails(service, person)) === 1, 20_000);
    await passTime(service, 58);
    const [row] = await service.ctx.db`
      select mail_due_at > now() as later from notification_inboxes where user_id = ${person.id}`;
    assert.equal(row!.later, true);
    assert.equal((await mailsTo(service, person)).length, 1);
    await passTime(service, 2);
    await eventually(async () => (await mailsTo(service, person)).length === 2, 20_000);
  });

  it('are sent at once for urgent notices, with all that wait', async () => {
    const person = await onePerson();
    await addToOrganization(service, person, 'Patient');
    await eventually(async () => (await waitingMails(service, person)) === 1, 20_000);
    await warn(service, person);
    await eventually(async () => (await mailsTo(service, person)).length === 1, 20_000);
    const [mail] = await mailsTo(service, person);
    assert.match(mail!, /a member of Patient[^]*A moderator has warned you/);
    await warn(service, person);
    await eventually(async () => (await mailsTo(service, person)).length === 2, 20_000);
  });

  it('merge comments on one petition, link to it, and have a link to unsubscribe', async () => {
    const [creator, author] = (await people(2)) as [TestUser, TestUser];
    const prefs = { email: { petition_comment: true } };
    await creator.api.patch('/v1/notifications/preferences', prefs);
    const petition = await createPublished(creator, { title: 'Zoë’s river path — open it' });
    for (let n = 0; n < 3; n += 1) {
      await author.api.post(`/v1/petitions/${petition.id}/comments`, { body: 'Yes.' });
    }
    await eventually(async () => (await waitingMails(service, creator)) === 3, 20_000);
    await passTime(service, 2);
    await eventually(async () => (await mailsTo(service, creator)).length === 1, 20_000);
    const mail = (await mailsTo(service, creator))[0]!;
    assert.match(decoded(mail), /3 new comments on “Zoë’s river path — open it”/);
    assert.ok(decoded(mail).includes(`http://petitions.test/p/${petition.slug}\n`));
    assert.match(mail, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
    const path = unsubscribePath(mail);
    assert.ok(decoded(mail).includes(`http://petitions.test${path}\n`));

    const page = await service.api.get(path);
    assert.equal(page.status, 200);
    assert.match(page.body, /<li>comments on your petitions<\/li>[^]*<form method="post">/);
    const emailPrefs = async () =>
      (await creator.api.get('/v1/notifications/preferences')).body.data.email;
    assert.equal((await emailPrefs()).petition_comment, true, 'a GET changes nothing');
    const oneClick = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const done = await service.api.post(path, 'List-Unsubscribe=One-Click', oneClick);
    assert.equal(done.status, 200);
    assert.equal((await emailPrefs()).petition_comment, false);
    assert.equal((await emailPrefs()).petition_closed, true, 'other types stay on');
    assert.equal((await service.api.post(path)).status, 200);

    const token = path.split('/').at(-1)!;
    const forged = token.replace('petition_comment', 'petition_comment.petition_update');
    for (const wrong of [`${token}x`, forged, token.replace(creator.id, author.id), 'x', 'a.b.c']) {
      for (const method of ['GET', 'POST']) {
        assert.equal((await service.api.send(method, `/unsubscribe/${wrong}`)).status, 404);
      }
    }
  });

  it('carry news whole, formatted and as text, and no address in titles', async () => {
    const [creator, signer] = (await people(2)) as [TestUser, TestUser];
    const title = 'See www.evil.example for the river';
    const petition = await createPublished(creator, { title });
    await signer.api.post(`/v1/petitions/${petition.id}/signatures`, { updates: true });
    const body = 'The council has **heard us**.\n\n- In May it [decides](https://example.org/may).';
    await creator.api.post(`/v1/petitions/${petition.id}/updates`, { title: 'Heard', body });
    await eventually(async () => (await waitingMails(service, signer)) === 1, 20_000);
    await passTime(service, 61);
    await eventually(async () => (await mailsTo(service, signer)).length === 1, 20_000);
    const mail = readMail((await mailsTo(service, signer))[0]!);
    assert.match(
      mail.text,
      /The council has heard us\.\n\n- In May it decides \(https:\/\/example\.org\/may\)/,
    );
    assert.match(mail.html, /The council has <strong>heard us<\/strong>\./);
    assert.match(
      mail.html,
      /<a href="https:\/\/example\.org\/may" rel="nofollow ugc noopener">decides/,
    );
    for (const part of [mail.subject, mail.text, mail.html]) {
      assert.doesNotMatch(part, /evil\.example/);
      assert.match(part, /evil\[\.\]example/);
    }
  });

  it('go only to verified addresses of people who want them and are not suspended', async () => {
    const [unverified, suspended, unwilling, reader, changed] = await people(5);
    const { db } = service.ctx;
    await db`update users set email_verified_at = null where id = ${unverified!.id}`;
    const off = { email: { org_member_added: false } };
    await unwilling!.api.patch('/v1/notifications/preferences', off);
    for (const person of [unverified, unwilling, suspended, reader, changed]) {
      await addToOrganization(service, person!, `Of ${person!.id}`);
    }
    const unread = async ({ api }: TestUser) =>
      (await api.get('/v1/notifications/unread-count')).body.data.unread_count;
    await eventually(async () => (await unread(changed!)) === 1, 20_000);
    assert.equal(await unread(unverified!), 1);
    assert.equal(await unread(unwilling!), 1);
    // Changes while a mail waits count too: suspended, read, switched off.
    await db`update users set suspended_at = now() where id = ${suspended!.id}`;
    await reader!.api.post('/v1/notifications/mark-read', { mark_all: true });
    await changed!.api.patch('/v1/notifications/preferences', off);
    await passTime(service, 2);
    for (const person of [unverified, suspended, unwilling, reader, changed]) {
      await eventually(async () => (await waitingMails(service, person!)) === 0, 20_000);
      assert.deepEqual(await mailsTo(service, person!), []);
    }
  });

  it('tell nothing of what people do whose addresses are not proven', async () => {
    const stranger = await signUp(service, 'Stranger');
    const person = await onePerson();
    const { id } = await createPublished(stranger);
    const path = `/v1/petitions/${id}`;
    assert.equal((await person.api.post(`${path}/signatures`)).status, 201);
    const { body } = await person.api.post(`${path}/comments`, { body: 'When?' });
    const reply = { body: 'Buy this at once.', parent_id: body.data.id };
    assert.equal((await stranger.api.post(`${path}/comments`, reply)).status, 201);
    const news = { title: 'Buy this', body: 'At once, all of you.' };
    assert.equal((await stranger.api.post(`${path}/updates`, news)).status, 201);
    const { id: orgId } = await createOrganization(stranger, { name: 'Buy this' });
    await addMember(stranger, { id: orgId }, person);
    assert.equal((await stranger.api.post(`${path}/victory`)).status, 200);
    const types = async () =>
      (await person.api.get('/v1/notifications')).body.data.map(
        ({ type }: { type: string }) => type,
      );
    const expected = ['comment_reply', 'org_member_added', 'petition_update', 'petition_victory'];
    await eventually(async () => (await types()).length === expected.length);
    assert.deepEqual((await types()).toSorted(), expected);
    assert.equal(await waitingMails(service, person), 0);
    await verifyAddress(service, stranger);
    const more = { body: 'Here is the answer.', parent_id: body.data.id };
    assert.equal((await stranger.api.post(`${path}/comments`, more)).status, 201);
    await eventually(async () => (await waitingMails(service, person)) === 1);
  });

  it('are taken over from a process that died, and sent once by several processes', async () => {
    const crowd = await people(60);
    await using other = await startService({ beside: service, worker: true });
    const [lost, ...rest] = crowd as [TestUser, ...TestUser[]];
    await addToOrganization(service, lost, 'Lost');
    await eventually(async () => (await waitingMails(service, lost)) === 1, 20_000);
    await service.ctx.pools.main.begin(async (tx) => {
      await tx`update notification_inboxes set mail_due_at = '-infinity'
        where user_id = ${lost.id}`;
      assert.deepEqual(await takeDue(tx, 1), [lost.id]);
    });
    for (const person of rest) await warn(service, person);
    const sent = async (person: TestUser) =>
      (await mailsTo(service, person)).length + (await mailsTo(other, person)).length;
    // What is under way when five minutes pass counts as lost, and would be sent again.
    for (const person of rest) {
      await eventually(async () => (await waitingMails(service, person)) === 0, 20_000);
    }
    assert.equal(await sent(lost), 0, 'leased to the process that died');
    await passTime(service, 5);
    for (const person of crowd) {
      await eventually(async () => (await sent(person)) > 0, 20_000);
      assert.equal(await sent(person), 1);
    }
  });
});

describe('notification mails that the mail server rejects', () => {
  it('are retried with growing delays until they are accepted', async () => {
    await using smtp = await startMailServer();
    await using service = await startService({ worker: true, env: { SMTP_URL: smtp.url } });
    const [refused, accepted] = (await createUsers(service, 2)) as [TestUser, TestUser];
    const recipients = () => smtp.envelopes.map(({ to }) => to);
    smtp.answerTo(refused.email, '554 5.7.1 not now');
    await warn(service, refused);
    await warn(service, accepted);
    await eventually(() => recipients().includes(accepted.email), 20_000);
    const nextRetry = async () => {
      const [row] = await service.ctx.db`
        select mail_failures, extract(epoch from mail_due_at - now())::float8 / 60 as minutes
        from notification_inboxes where user_id = ${refused.id}`;
      return { failures: row?.mail_failures, minutes: Math.round(row?.minutes) };
    };
    for (const expected of [
      { failures: 1, minutes: 1 },
      { failures: 2, minutes: 2 },
      { failures: 3, minutes: 4 },
    ]) {
      await eventually(async () => (await nextRetry()).failures === expected.failures, 20_000);
      assert.deepEqual(await nextRetry(), expected);
      if (expected.failures === 3) smtp.answerTo(refused.email, undefined);
      await passTime(service, expected.minutes);
    }
    await eventually(() => recipients().includes(refused.email), 20_000);
    await eventually(async () => (await waitingMails(service, refused)) === 0, 20_000);
    assert.deepEqual(recipients().toSorted(), [refused.email, accepted.email].toSorted());
  });
});
