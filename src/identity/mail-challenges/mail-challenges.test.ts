import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import { createPublished, signUp, verifyAddress } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('signing in by mail', () => {
  let service: Service;
  let count = 0;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  const newAddress = () => `reader-${++count}@example.org`;
  const mailsTo = async (email: string, at: Service = service) =>
    (await at.mails())
      .map(readMail)
      .filter(
        ({ to, text }) => to.toLowerCase() === email.toLowerCase() && /login\/link/.test(text),
      );
  /** Asks for a mail. Returns the challenge with the token and the code that the mail has. */
  const ask = async (email: string, more: object = {}) => {
    const earlier = (await mailsTo(email)).length;
    const { status, body } = await service.api.post('/v1/auth/magic-link', { email, ...more });
    assert.equal(status, 202, JSON.stringify(body));
    await eventually(async () => (await mailsTo(email)).length > earlier);
    const { text, subject } = (await mailsTo(email)).at(-1)!;
    return {
      challenge: body.data.challenge as string,
      token: /login\/link\?token=([\w-]+)/.exec(text)![1]!,
      code: /^(\d{6})/.exec(subject)![1]!,
    };
  };
  const verify = (input: object) => service.api.post('/v1/auth/magic-link/verify', input);
  const me = async (accessToken: string) =>
    (await service.api.as(accessToken).get('/v1/me')).body.data;
  const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

  it('works by the link and by the code, once', async () => {
    const person = await signUp(service, 'Ada');
    await verifyAddress(service, person);
    const first = await ask(person.email.toUpperCase());
    const signedIn = await verify({ token: first.token });
    assert.equal(signedIn.status, 200);
    assert.equal((await me(signedIn.body.access_token)).id, person.id);
    for (const again of [{ token: first.token }, first]) {
      const { challenge, code } = { ...first, ...again };
      assert.equal((await verify({ challenge, code })).status, 410);
      assert.equal((await verify({ token: first.token })).status, 410);
    }
    const { challenge, code } = await ask(person.email);
    const answers = await Promise.all(Array.from({ length: 5 }, () => verify({ challenge, code })));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [200, 410, 410, 410, 410]);
    // What the account had before stays.
    assert.equal((await person.api.get('/v1/me')).status, 200);
  });

  it('opens an account for an unknown address that comes with a name', async () => {
    const email = newAddress();
    const { challenge, code } = await ask(email);
    const nameless = await verify({ challenge, code });
    assert.equal(nameless.status, 422);
    assert.deepEqual(
      [nameless.body.errors[0].field, nameless.body.errors[0].code],
      ['display_name', 'required'],
    );
    const { status, body } = await verify({ challenge, code, display_name: 'Grace' });
    assert.equal(status, 200);
    const user = await me(body.access_token);
    assert.deepEqual([user.display_name, user.email_verified], ['Grace', true]);
  });

  it('counts five wrong codes, at once too; the link goes on working', async () => {
    const email = newAddress();
    const { challenge, code, token } = await ask(email);
    const tried = await Promise.all(
      Array.from({ length: 8 }, () => verify({ challenge, code: wrong(code), display_name: 'G' })),
    );
    const statuses = tried.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [422, 422, 422, 422, 422, 429, 429, 429]);
    const right = await verify({ challenge, code, display_name: 'Grace' });
    assert.equal(right.status, 429);
    assert.ok(Number(right.headers.get('retry-after')) > 0);
    assert.equal((await verify({ token, display_name: 'Grace' })).status, 200);
  });

  it('takes only the newest three mails, and no code of another challenge', async () => {
    const email = newAddress();
    const all = [await ask(email), await ask(email), await ask(email), await ask(email)];
    const [oldest, second, third, newest] = all as [
      (typeof all)[0],
      (typeof all)[0],
      (typeof all)[0],
      (typeof all)[0],
    ];
    assert.equal((await verify({ token: oldest.token, display_name: 'G' })).status, 410);
    const { challenge, code } = oldest;
    assert.equal((await verify({ challenge, code, display_name: 'G' })).status, 410);
    const swapped = { challenge: second.challenge, code: third.code, display_name: 'G' };
    if (second.code !== third.code) assert.equal((await verify(swapped)).status, 422);
    const other = await ask(newAddress());
    const foreign = { challenge: other.challenge, code: newest.code, display_name: 'G' };
    if (other.code !== newest.code) assert.equal((await verify(foreign)).status, 422);
    assert.equal((await verify({ token: second.token, display_name: 'Grace' })).status, 200);
  });

  it('is mailed to the address that it proves, in whatever form that was typed', async () => {
    const owner = await signUp(service, 'Owner');
    await verifyAddress(service, owner);
    for (const suffix of ['/.öther.example', '?.öther.example', '#.öther.example', '/ö']) {
      const typed = `${owner.email}${suffix}`;
      const browser = new Browser(service.api);
      const form = { email: typed, password: 'correct horse', display_name: 'Any' };
      const waiting = await browser.submit(await browser.open('/register'), form);
      const { challenge } = await service.ctx.db.one<{ challenge: number }>`
        select count(*)::integer as challenge from mail_challenges where email = ${typed}`;
      assert.deepEqual([waiting.status, challenge], [422, 0], typed);
      const { status } = await service.api.post('/v1/auth/register', form);
      assert.equal(status, 422, typed);
    }
  });

  it('ends after 15 minutes', async () => {
    const { challenge, code, token } = await ask(newAddress());
    await service.ctx.db`
      update mail_challenges set expires_at = now() - interval '1 second' where id = ${challenge}`;
    assert.equal((await verify({ token, display_name: 'G' })).status, 410);
    assert.equal((await verify({ challenge, code, display_name: 'G' })).status, 410);
    for (const unknown of [
      { token: 'x' },
      { challenge: '01a2147a-2f63-7613-83fd-538d995d004e', code: '123456' },
    ]) {
      assert.equal((await verify(unknown)).status, 410);
    }
    assert.equal((await verify({})).status, 422);
    assert.equal((await verify({ challenge })).status, 422);
  });

  it('ends all credentials of an account whose address was never proven', async () => {
    const stranger = await signUp(service, 'Stranger');
    const key = await stranger.api.post('/v1/api-keys', { name: 'Old' });
    const { token } = await ask(stranger.email);
    const { body } = await verify({ token });
    const owner = await me(body.access_token);
    assert.notEqual(owner.id, stranger.id);
    assert.equal(owner.display_name, 'New member');
    const { email, password } = stranger;
    assert.equal((await service.api.post('/v1/auth/login', { email, password })).status, 401);
    assert.equal((await stranger.api.get('/v1/me')).status, 401);
    assert.equal((await service.api.as(key.body.data.key).get('/v1/me')).status, 401);
    await eventually(async () =>
      (await service.mails())
        .map(readMail)
        .some(
          ({ to, subject }) => to === email && subject === 'Your earlier password no longer works',
        ),
    );
  });

  it('refuses a suspended account without using the link up', async () => {
    const person = await signUp(service, 'Suspended');
    await verifyAddress(service, person);
    await service.ctx.db`update users set suspended_at = now() where id = ${person.id}`;
    const { token } = await ask(person.email);
    const { status, body } = await verify({ token });
    assert.deepEqual([status, body.code], [403, 'account_suspended']);
    await service.ctx.db`update users set suspended_at = null where id = ${person.id}`;
    assert.equal((await verify({ token })).status, 200);
  });

  it('leads to paths of this site only', async () => {
    const input = { email: newAddress() };
    for (const redirect of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'start',
      '/.//evil.example',
      'javascript:alert(1)',
    ]) {
      const refused = await service.api.post('/v1/auth/magic-link', { ...input, redirect });
      assert.equal(refused.status, 422, redirect);
    }
    await ask(newAddress(), { redirect: '/start?x=1' });
  });

  it('answers alike where too many mails went to the mailbox, whatever its aliases', async () => {
    await using limited = await startService({
      beside: service,
      worker: true,
      env: { RATE_LIMITS: 'on' },
    });
    const email = newAddress();
    const [local, domain] = email.split('@');
    const answers = [];
    for (let n = 0; n < 13; n += 1) {
      const alias = `${local}+${n}@${domain}`;
      answers.push(await limited.api.post('/v1/auth/magic-link', { email: alias }));
    }
    assert.ok(answers.every(({ status }) => status === 202));
    const isIdle = async () =>
      (
        await limited.ctx.db`
        select from graphile_worker.jobs where task_identifier = 'send-mail-challenge'`
      ).length === 0;
    await eventually(isIdle, 15_000);
    const sent = [...(await limited.mails()), ...(await service.mails())].filter((mail) =>
      mail.includes(`${local}+`),
    );
    assert.equal(sent.length, 10);
    // Challenges that were not mailed do not end those that were.
    const newest = answers[9]!.body.data.challenge;
    const [row] = await limited.ctx.db`
      select is_mailed from mail_challenges where id = ${newest}`;
    assert.equal(row!.is_mailed, true);
  });

  it('counts towards the mails that anybody can cause to a mailbox', async () => {
    await using limited = await startService({ env: { RATE_LIMITS: 'on' } });
    const person = await signUp(limited, 'Campaigner');
    await verifyAddress(limited, person);
    const { id } = await createPublished(person);
    const [email, other] = [newAddress(), newAddress()];
    const maker = await person.api.post(`/v1/petitions/${id}/decision-makers`, {
      name: 'Grace',
      email,
    });
    const delivery = `/v1/petitions/${id}/decision-makers/${maker.body.data.id}/deliver`;
    const signing = { display_name: 'Ada', email };
    for (let n = 0; n < 5; n += 1) {
      assert.equal((await person.api.post(delivery)).status, 200);
      const signed = await limited.api.post(`/v1/petitions/${id}/signatures/pending`, signing);
      assert.equal(signed.status, 202);
    }
    const change = (address: string) =>
      person.api.post('/v1/users/me/email', { email: address, password: person.password });
    for (let n = 0; n < 10; n += 1) await limited.api.post('/v1/auth/magic-link', { email });
    const [mailed] = await limited.ctx.db`
      select count(*)::int as number from mail_challenges where is_mailed`;
    assert.equal(mailed!.number, 5, '15 a day, of which 10 were others');
    assert.equal((await change(email)).status, 429);
    assert.equal((await change(other)).status, 202);
  });

  it('keeps the account of a signer by mail, and what was signed with it', async () => {
    const creator = await signUp(service, 'Creator');
    const petition = await createPublished(creator);
    const email = newAddress();
    const path = `/v1/petitions/${petition.id}/signatures/pending`;
    await service.api.post(path, { display_name: 'Grace', email });
    const confirmation = async () =>
      (await service.mails())
        .map(readMail)
        .find(({ to, text }) => to === email && /confirm\?token=/.test(text));
    await eventually(async () => (await confirmation()) !== undefined);
    const token = /confirm\?token=([\w-]+)/.exec((await confirmation())!.text)![1]!;
    assert.equal((await service.api.post('/v1/signatures/confirm', { token })).status, 201);
    const { body } = await verify({ token: (await ask(email)).token });
    const own = await service.api.as(body.access_token).get('/v1/users/me/signatures');
    assert.equal(own.body.data[0].petition.id, petition.id);
  });
});
