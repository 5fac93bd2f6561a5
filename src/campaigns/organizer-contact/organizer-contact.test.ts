import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, logInBrowser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import { createOrganized } from '../../../test/support/organizers.ts';
import {
  createDraft,
  createPublished,
  logIn,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('writing to the organizer of a petition', () => {
  let service: Service;
  let creator: Person;
  let reader: Person;
  let petition: { id: string; slug: string };
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
    await verifyAddress(service, creator);
    reader = await signUp(service, 'Karim Reader');
    await verifyAddress(service, reader);
    petition = await createPublished(creator);
  });
  after(() => service[Symbol.asyncDispose]());

  const write = (person: Person, message = 'Whom can we call?', id = petition.id) =>
    person.api.post(`/v1/petitions/${id}/contact`, { message });
  const mailsTo = async ({ email }: Person) =>
    (await service.mails())
      .filter((mail) => /^Subject: .*writes about your petition/m.test(mail))
      .map((mail) => ({ ...readMail(mail), source: mail }))
      .filter(({ to }) => to === email);

  it('mails the message, with the address of the sender for the answer', async () => {
    const { status, body } = await write(
      reader,
      'Our club would like to help.\nLook at https://evil.example/now\n--\nThe end',
    );
    assert.deepEqual([status, body], [202, '']);
    await eventually(async () => (await mailsTo(creator)).length === 1);
    const [mail] = await mailsTo(creator);
    assert.match(mail!.source, new RegExp(`^Reply-To: ${reader.email}\\r?$`, 'm'));
    assert.match(mail!.source, /^List-Unsubscribe:/m);
    assert.match(mail!.text, /> Our club would like to help\./);
    assert.match(mail!.text, /Karim Reader/);
    assert.ok(!mail!.text.includes('https://evil.example'), mail!.text);
    // Neither learns the address of the other one from us before it is given.
    assert.ok(!mail!.source.includes(`From: ${reader.email}`));
  });

  it('needs a verified address, somebody who organizes, and a petition that one can read', async () => {
    const unverified = await signUp(service, 'Unverified');
    const refused = await write(unverified);
    assert.deepEqual([refused.status, refused.body.code], [403, 'email_not_verified']);
    const own = await write(creator);
    assert.deepEqual([own.status, own.body.code], [409, 'own_petition']);
    const squatted = await createPublished(unverified);
    const unheard = await write(reader, 'Hello', squatted.id);
    assert.deepEqual([unheard.status, unheard.body.code], [409, 'no_organizer']);
    assert.equal((await write(reader, ' ')).status, 422);
    assert.equal((await write(reader, 'x'.repeat(5001))).status, 422);
    assert.equal((await service.api.post(`/v1/petitions/${petition.id}/contact`)).status, 401);
    const draft = await createDraft(creator);
    assert.equal((await write(reader, 'Hello', draft.id)).status, 404);
    const leaving = await signUp(service, 'Leaving');
    const left = await createPublished(leaving);
    await reader.api.post(`/v1/petitions/${left.id}/signatures`);
    const back = await logIn(service, leaving);
    assert.equal(
      (await back.api.delete('/v1/users/me', { password: leaving.password })).status,
      204,
    );
    const nobody = await write(reader, 'Hello', left.id);
    assert.deepEqual([nobody.status, nobody.body.code], [409, 'no_organizer']);
  });

  it('is 5 messages a day for a sender', async () => {
    await using limited = await startService({ beside: service, env: { RATE_LIMITS: 'on' } });
    const eager = await signUp(service, 'Eager');
    await verifyAddress(service, eager);
    const { api } = await logIn(limited, eager);
    const path = `/v1/petitions/${petition.id}/contact`;
    for (let n = 0; n < 5; n++) {
      assert.equal((await api.post(path, { message: `Message ${n}` })).status, 202);
    }
    const { status, headers } = await api.post(path, { message: 'One more' });
    assert.equal(status, 429);
    assert.ok(Number(headers.get('retry-after')) > 0);
  });

  it('is exported and erased with the account of the sender while it waits', async () => {
    const gone = await signUp(service, 'Gone Soon');
    await verifyAddress(service, gone);
    const { db } = service.ctx;
    // As while the mail server is away.
    await db`
      insert into graphile_worker._private_tasks (identifier) values ('contact-organizer')
      on conflict do nothing`;
    await db`
      select graphile_worker.add_job('contact-organizer',
        ${db.json({ petition_id: petition.id, user_id: gone.id, message: 'Too late' })}::json,
        run_at := now() + interval '1 hour', job_key := 'late')`;
    const back = await logIn(service, gone);
    const exported = await back.api.get('/v1/users/me/export');
    assert.match(JSON.stringify(exported.body), /Too late/);
    await back.api.delete('/v1/users/me', { password: gone.password });
    assert.ok(!(await db.exists`select from graphile_worker._private_jobs where key = 'late'`));
  });

  it('is not mailed to another who organizes the petition by then', async () => {
    await using web = await startService();
    const organized = await createOrganized(web, 'editor');
    const { people, path, petition: given } = organized;
    const writer = await signUp(web, 'Writer');
    await verifyAddress(web, writer);
    const words = { message: 'For the former one' };
    assert.equal((await writer.api.post(`${path}/contact`, words)).status, 202);
    // As a version stored it that did not name the organizer.
    const { db } = web.ctx;
    await db`
      select graphile_worker.add_job('contact-organizer',
        ${db.json({ petition_id: given.id, user_id: writer.id, message: 'Of before' })}::json)`;
    await organized.creator.api.put(`${path}/hand-over`, { organizer_id: people[0]!.organizerId });
    assert.equal((await people[0]!.api.post(`${path}/hand-over/accept`)).status, 200);
    await using worker = await startService({ beside: web, worker: true });
    const waits = () =>
      db.exists`select from graphile_worker.jobs where task_identifier = 'contact-organizer'`;
    await eventually(async () => !(await waits()));
    const mails = (await worker.mails())
      .filter((mail) => /^Subject: .*writes about your petition/m.test(mail))
      .map(readMail);
    assert.deepEqual(
      mails.map(({ to }) => to),
      [people[0]!.email],
    );
    assert.match(mails[0]!.text, /> Of before/);
  });

  it('is a form on the page of the petition', async () => {
    const visitor = new Browser(service.api);
    const path = `/p/${petition.slug}/contact`;
    assert.ok(String((await visitor.open(`/p/${petition.slug}`)).body).includes(`href="${path}"`));
    assert.match(String((await visitor.open(path)).body), /type="password"/);
    const writer = await signUp(service, 'Form Writer');
    const browser = await logInBrowser(service, writer);
    assert.match(String((await browser.open(path)).body), /Verify your email address first/);
    await verifyAddress(service, writer);
    const form = await browser.open(path);
    assert.match(String(form.body), /You see the organizer’s address only if they answer/);
    assert.ok(!String(form.body).includes(creator.email));
    const refused = await browser.submit(form, { message: '' });
    assert.equal(refused.status, 422);
    const sent = await browser.submit(refused, { message: 'By the form' });
    assert.match(String(sent.body), /Your message is on its way/);
    await eventually(async () =>
      (await mailsTo(creator)).some(({ text }) => text.includes('> By the form')),
    );
  });
});
