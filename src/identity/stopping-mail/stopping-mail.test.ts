import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addDecisionMaker, mailsTo, recordOf } from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { Browser, logInBrowser } from '../../../test/support/browser.ts';
import { readMail, type ReadMail } from '../../../test/support/mail.ts';
import { startMailServer } from '../../../test/support/mail-server.ts';
import {
  createPublished,
  createUsers,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { insertSuppression, mailboxHash, stopToken } from '../../platform/mail-suppressions.ts';
import { createOneTimeToken } from '../accounts/accounts.ts';

describe('mail of strangers', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Visit https://evil.example now');
    await verifyAddress(service, creator);
  });
  after(() => service[Symbol.asyncDispose]());

  const deliver = (maker: { path: string }, person = creator, message?: string) =>
    person.api.post(`${maker.path}/deliver`, { summary: 'none', ...(message && { message }) });
  const addressOf = (n: number) => `grace.${n}@council.example`;

  it('needs a verified address of the creator', async () => {
    const somebody = await signUp(service, 'Somebody');
    const maker = await addDecisionMaker(somebody, await createPublished(somebody));
    const { status, body } = await deliver(maker, somebody);
    assert.deepEqual([status, body.code], [403, 'email_not_verified']);
    await verifyAddress(service, somebody);
    assert.equal((await deliver(maker, somebody)).status, 200);
  });

  it('has a subject of ours, and no link that somebody typed', async () => {
    const petition = await createPublished(creator, { title: 'Win now at www.evil.example/x' });
    const maker = await addDecisionMaker(creator, petition, { name: 'evil.example' });
    await deliver(maker, creator, 'Log in at http://evil.example/login');
    await eventually(async () => (await mailsTo(service, maker.email)).length > 0);
    const [mail] = await mailsTo(service, maker.email);
    assert.equal(mail!.subject, 'A petition is addressed to you');
    assert.doesNotMatch(mail!.text, /evil\.example/);
    assert.match(mail!.text, /evil\[\.\]example/);
  });

  it('ends by one click and its button, not by opening the link, and can be allowed again', async () => {
    const petition = await createPublished(creator);
    const email = addressOf(1);
    const maker = await addDecisionMaker(creator, petition, { email });
    await deliver(maker);
    await eventually(async () => (await mailsTo(service, email)).length === 1);
    const raw = (await service.mails()).find((mail) => mail.includes(email));
    assert.match(raw!, /List-Unsubscribe-Post: List-Unsubscribe=One-Click/);
    const [first] = await mailsTo(service, email);
    const link = /http:\/\/petitions\.test(\/mail\/stop\/[\w-]+)/.exec(first!.text)![1]!;

    const asked = await service.api.get(link);
    assert.equal(asked.status, 200);
    assert.match(asked.body, /Stop these emails\?/);
    assert.equal((await deliver(maker)).status, 200);
    await eventually(async () => (await mailsTo(service, email)).length === 2);

    const oneClick = await fetch(service.origin + link, {
      method: 'POST',
      body: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(oneClick.status, 200);
    // Another address of the same mailbox.
    const other = await addDecisionMaker(creator, petition, { email: 'Grace.1+x@council.example' });
    for (const one of [maker, other]) {
      await deliver(one);
      await eventually(async () => (await recordOf(creator, one)).state === 'failed');
    }
    assert.equal((await mailsTo(service, email)).length, 2);

    assert.equal((await service.api.post(`${link}/undo`)).status, 200);
    await deliver(maker);
    await eventually(async () => (await mailsTo(service, email)).length === 3);
    for (const wrong of [`${link}x`, '/mail/stop/AAAA', link.slice(0, -2)]) {
      assert.equal((await service.api.get(wrong)).status, 404, wrong);
      assert.equal((await service.api.post(wrong)).status, 404, wrong);
    }
  });

  it('is limited for each mailbox and in all, with limits on', async () => {
    await using limited = await startService({
      beside: service,
      env: { RATE_LIMITS: 'on', MAIL_HOURLY_LIMIT: '7' },
    });
    const petition = await createPublished(creator);
    const send = async (email: string) => {
      const maker = await addDecisionMaker(creator, petition, { email });
      return (await limited.api.as(creator.accessToken).post(`${maker.path}/deliver`)).status;
    };
    const statuses = [];
    for (let n = 0; n < 6; n += 1) statuses.push(await send(`mayor+${n}@council.example`));
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
    assert.equal(await send(addressOf(50)), 200);
    assert.equal(await send(addressOf(51)), 200);
    assert.equal(await send(addressOf(52)), 429);
  });
});

describe('what anybody can ask for with the address of another', () => {
  let service: Service;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  const stopLink = /http:\/\/petitions\.test(\/mail\/stop\/[\w-]+)/;
  /** Returns the subjects of the mails to an address, after all jobs are done. */
  const subjectsTo = async (email: string) => {
    const isDone = async () =>
      !(await service.ctx.db.exists`select from graphile_worker.jobs where run_at <= now()`);
    await eventually(isDone, 20_000);
    return (await mailsTo(service, email)).map(({ subject }) => subject.replace(/^\d{6}/, 'code'));
  };
  /** Everything that strangers can ask for with this address, and can do with an account that they opened with it. */
  const askForAll = async (squatter: Person, petition: { id: string; slug: string }) => {
    const { email, password } = squatter;
    const { api } = service;
    await api.post(`/v1/petitions/${petition.id}/signatures/pending`, { display_name: 'A', email });
    await api.post('/v1/auth/magic-link', { email });
    await squatter.api.post('/v1/auth/verify-email/resend');
    await squatter.api.put('/v1/users/me/password', { password, new_password: password });
    const browser = new Browser(api);
    const form = await browser.open(`/p/${petition.slug}/report`);
    await browser.submit(form, { reason: 'spam', email });
    await api.post('/v1/auth/forgot-password', { email });
  };
  const asked = [
    'Confirm your email address',
    'Your password was changed',
    'code: confirm your report',
    'code: confirm your signature',
    'code: your code for petitions.test',
  ];
  const reset = 'Set a new password';

  it('ends by the link in each such mail, but for a new password; not by a bounce', async () => {
    const petition = await createPublished(await signUp(service, 'Creator'));
    const squatter = await signUp(service, 'Somebody');
    const { email } = squatter;
    await askForAll(squatter, petition);
    const first = await subjectsTo(email);
    assert.deepEqual([...new Set(first)].toSorted(), [...asked, reset].toSorted());
    for (const { subject, text } of await mailsTo(service, email)) {
      assert.equal(stopLink.test(text), subject !== reset, subject);
    }
    const { db, keys } = service.ctx;
    await insertSuppression(db, mailboxHash(keys, email), 'bounced');
    await askForAll(squatter, petition);
    assert.equal((await subjectsTo(email)).length, first.length + asked.length + 1);
    const [{ text }] = (await mailsTo(service, email)) as [ReadMail];
    assert.equal((await service.api.post(stopLink.exec(text)![1]!)).status, 200);
    const sent = (await subjectsTo(email)).length;
    await askForAll(squatter, petition);
    assert.deepEqual((await subjectsTo(email)).slice(sent), [reset]);
  });

  it('does not end mails about an account whose address is proven, nor what its browser asks for', async () => {
    const person = await signUp(service, 'Owner');
    const petition = await createPublished(person);
    await verifyAddress(service, person);
    const { email, password } = person;
    const browser = await logInBrowser(service, person);
    await browser.submit(await browser.open('/settings'), {}, '/logout');
    await service.api.post(`/mail/stop/${stopToken(service.ctx.keys, email)}`);
    const sent = (await subjectsTo(email)).length;
    await person.api.put('/v1/users/me/password', { password, new_password: password });
    assert.deepEqual((await subjectsTo(email)).slice(sent), ['Your password was changed']);
    const anyone = new Browser(service.api);
    for (const by of [anyone, browser]) {
      await by.submit(await by.open('/login'), { email }, '/login/mail');
      await by.submit(await by.open('/forgot-password'), { email });
      const form = await by.open(`/p/${petition.slug}`);
      await by.submit(form, { display_name: 'Owner', email }, `/p/${petition.slug}/sign`);
    }
    assert.deepEqual((await subjectsTo(email)).slice(sent + 1).toSorted(), [
      reset,
      reset,
      'code: confirm your signature',
      'code: your code for petitions.test',
    ]);
    const ownMails = (await mailsTo(service, email)).slice(sent);
    assert.ok(ownMails.every(({ text }) => !stopLink.test(text)));
  });
});

describe('mail that strangers cause', () => {
  it('is 20 a day for one mailbox, over its aliases, petitions, kinds and accounts: 15 and 5 resets', async () => {
    await using service = await startService({
      worker: true,
      env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
    });
    const creator = await signUp(service, 'Creator');
    await verifyAddress(service, creator);
    const petitions = [];
    for (let n = 0; n < 10; n += 1) petitions.push(await createPublished(creator));
    let network = 0;
    const stranger = () => service.api.with({ 'x-forwarded-for': `81.2.${(network += 1)}.1` });
    const alias = (n: number) => `v.i.c.t.i.m+${n}@gmail.com`;
    for (const [n, { id }] of petitions.entries()) {
      const path = `/v1/petitions/${id}/signatures/pending`;
      await stranger().post(path, { display_name: 'Any', email: alias(n) });
      await stranger().post('/v1/auth/magic-link', { email: alias(10 + n) });
      const maker = await addDecisionMaker(creator, { id }, { email: alias(20 + n) });
      await creator.api.post(`${maker.path}/deliver`, { summary: 'none' });
    }
    const [user] = await createUsers(service, 1);
    await service.ctx.db`update users set email = ${alias(30)} where id = ${user!.id}`;
    for (let n = 0; n < 7; n += 1) {
      await stranger().post('/v1/auth/forgot-password', { email: alias(30) });
    }
    await eventually(
      async () =>
        !(await service.ctx.db.exists`
          select from graphile_worker._private_jobs j
          join graphile_worker._private_tasks t on t.id = j.task_id
          where t.identifier in ('send-signing-mail', 'send-mail-challenge', 'send-reset-mail', 'deliver-petition')`),
      20_000,
    );
    const mails = (await service.mails()).filter((mail) => /^To: v\.i\.c\.t\.i\.m\+/m.test(mail));
    assert.equal(mails.length, 20);
    const subjects = mails.map((mail) => readMail(mail).subject);
    assert.equal(subjects.filter((subject) => subject === 'Set a new password').length, 5);
    assert.ok(new Set(subjects).size >= 4);
  });
});

describe('an address that does not exist', () => {
  const unknown = '550 5.1.1 no such user';
  const refusals: [string, string, boolean][] = [
    ['is silenced', unknown, true],
    ['is not silenced by a judgement on the content', '554 5.7.1 looks like spam', false],
  ];
  for (const [title, answer, isSilenced] of refusals) {
    it(title, async () => {
      await using server = await startMailServer();
      await using service = await startService({ worker: true, env: { SMTP_URL: server.url } });
      const creator = await signUp(service, 'Creator');
      await eventually(() => server.mails.length === 1);
      await verifyAddress(service, creator);
      server.answer({ rcpt: [answer] });
      const maker = await addDecisionMaker(creator, await createPublished(creator));
      const deliver = async (state: string) => {
        await creator.api.post(`${maker.path}/deliver`, { summary: 'none' });
        await eventually(async () => (await recordOf(creator, maker)).state === state);
      };
      await deliver(isSilenced ? 'failed' : 'sent');
      await deliver(isSilenced ? 'failed' : 'sent');
      const sent = () => server.mails.filter((mail) => mail.includes(maker.email)).length;
      assert.equal(sent(), isSilenced ? 0 : 2);
      if (!isSilenced) return;
      // Its owner confirms it by a link that was sent for an act of their own.
      const [owner] = await createUsers(service, 1);
      await service.ctx.db`
        update users set email = ${maker.email}, email_verified_at = null where id = ${owner!.id}`;
      const token = await createOneTimeToken(service.ctx, 'verify-email', owner!.id);
      assert.equal((await service.api.post('/v1/auth/verify-email', { token })).status, 204);
      await deliver('sent');
      assert.equal(sent(), 1);
    });
  }
});
