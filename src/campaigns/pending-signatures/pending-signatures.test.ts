import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import {
  logInAsAdmin,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('signing by mail', () => {
  let service: Service;
  let creator: Person;
  let count = 0;
  before(async () => {
    service = await startService({ worker: true, env: { SIGNATURE_POLICY: 'verified' } });
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const newAddress = () => `signer-${++count}@example.org`;
  const ask = async (petition: { id: string }, email: string, extraFields: object = {}) => {
    const input = { display_name: 'Grace Hopper', email, ...extraFields };
    const path = `/v1/petitions/${petition.id}/signatures/pending`;
    const { status, body } = await service.api.post(path, input);
    assert.equal(status, 202, JSON.stringify(body));
    return body.data as { id: string };
  };
  const read = new Set<string>();
  /** Waits for the next confirmation mail to this address and returns its token and code. */
  const mailTo = async (email: string) => {
    const find = async () =>
      (await service.mails())
        .map(readMail)
        .find(
          ({ to, text }) =>
            to.toLowerCase() === email.toLowerCase() &&
            text.includes('/confirm?token=') &&
            !read.has(text),
        );
    await eventually(async () => (await find()) !== undefined);
    const { text, subject } = (await find())!;
    read.add(text);
    return {
      text,
      token: /confirm\?token=([\w-]+)/.exec(text)![1]!,
      code: /\d{6}/.exec(subject)![0],
    };
  };
  const confirm = (input: object) => service.api.post('/v1/signatures/confirm', input);
  const countOf = async ({ id }: { id: string }) =>
    (await creator.api.get(`/v1/petitions/${id}/signatures`)).body.pagination.total_count;
  const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

  it('counts after confirmation by link, and creates an account', async () => {
    const petition = await createPublished(creator);
    const email = newAddress();
    await ask(petition, email, { comment: 'For the children.', display_location: 'Leeds' });
    assert.equal(await countOf(petition), 0);
    const mail = await mailTo(email);
    assert.match(mail.text, new RegExp(petition.title));
    assert.doesNotMatch(mail.text, /Grace|children/);
    const { status, body } = await confirm({ token: mail.token });
    assert.equal(status, 201);
    assert.equal(body.data.signature_count, 1);
    const receiptUrl = `http://petitions.test/v1/petitions/${petition.id}/signatures/me/receipt`;
    assert.equal(body.data.receipt_url, receiptUrl);
    const again = await confirm({ token: mail.token });
    assert.deepEqual([again.status, again.body.data], [201, body.data]);
    const { data } = (await creator.api.get(`/v1/petitions/${petition.id}/signatures`)).body;
    assert.equal(data[0].user.display_name, 'Grace Hopper');
    assert.equal(data[0].comment, 'For the children.');
    assert.equal(data[0].display_location, 'Leeds');
    const [user] = await service.ctx.db`
      select password_hash, email_verified_at from users where email = ${email}`;
    assert.equal(user!.password_hash, null);
    assert.ok(user!.email_verified_at);
  });

  it('counts after confirmation by code, within five attempts', async () => {
    const petition = await createPublished(creator);
    const email = newAddress();
    const { id } = await ask(petition, email);
    const { code, token } = await mailTo(email);
    for (let n = 1; n <= 4; n += 1) {
      const refused = await confirm({ id, code: wrong(code) });
      assert.equal(refused.status, 422);
      assert.equal(refused.body.errors[0].field, 'code');
    }
    assert.equal((await confirm({ id, code })).status, 201);
    const second = newAddress();
    const other = await ask(petition, second);
    const mail = await mailTo(second);
    await Promise.all(
      Array.from({ length: 5 }, () => confirm({ id: other.id, code: wrong(mail.code) })),
    );
    const late = await confirm({ id: other.id, code: mail.code });
    assert.equal(late.status, 410);
    assert.equal(late.body.code, 'too_many_tries');
    assert.equal((await confirm({ token: mail.token })).status, 201);
    assert.equal((await confirm({ id, code: wrong(code) })).status, 410);
    assert.equal((await confirm({ token })).status, 201);
    assert.equal(await countOf(petition), 2);
  });

  it('answers repeated and concurrent confirmations alike', async () => {
    const petition = await createPublished(creator);
    const email = newAddress();
    const { id } = await ask(petition, email, { comment: 'For the children.', is_anonymous: true });
    const { token, code } = await mailTo(email);
    const answers = await Promise.all(Array.from({ length: 4 }, () => confirm({ token })));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201, 201],
    );
    await creator.api.post(`/v1/petitions/${petition.id}/close`);
    for (const { body } of [...answers, await confirm({ token }), await confirm({ id, code })]) {
      assert.deepEqual(body.data, answers[0]!.body.data);
    }
    assert.equal(await countOf(petition), 1);
    const [row] = await service.ctx.db`select input from pending_signatures where id = ${id}`;
    assert.deepEqual(row!.input, {});
  });

  it('answers 410 after the signature was withdrawn', async () => {
    const petition = await createPublished(creator);
    const known = await signUp(service, 'Known');
    await service.ctx.db`update users set email_verified_at = now() where id = ${known.id}`;
    await ask(petition, known.email);
    const { token } = await mailTo(known.email);
    assert.equal((await confirm({ token })).status, 201);
    await known.api.delete(`/v1/petitions/${petition.id}/signatures/me`);
    assert.equal((await confirm({ token })).status, 410);
    assert.equal(await countOf(petition), 0);
  });

  it('signs once for an existing account of the address', async () => {
    const petition = await createPublished(creator);
    const known = await signUp(service, 'Known');
    await service.ctx.db`update users set email_verified_at = now() where id = ${known.id}`;
    await ask(petition, known.email.toUpperCase(), { display_name: 'Somebody Else' });
    const { token } = await mailTo(known.email.toUpperCase());
    const { body } = await confirm({ token });
    assert.equal(body.data.user_id, known.id);
    const { data } = (await creator.api.get(`/v1/petitions/${petition.id}/signatures`)).body;
    // The name that was typed for this petition.
    assert.equal(data[0].user.display_name, 'Somebody Else');
    // The account keeps its sessions.
    assert.equal((await known.api.get('/v1/me')).status, 200);
    await ask(petition, known.email);
    const again = await confirm({ token: (await mailTo(known.email)).token });
    assert.equal(again.status, 409);
    assert.equal(again.body.code, 'duplicate_signature');
    assert.equal(await countOf(petition), 1);
  });

  it('ends all access to an unverified account of the address', async () => {
    const petition = await createPublished(creator);
    const squatter = await signUp(service, 'Squatter');
    const hook = { url: 'http://127.0.0.1:9/mine', events: ['signature.created'] };
    const { id } = (await squatter.api.post('/v1/webhooks', hook)).body.data;
    await ask(petition, squatter.email);
    const { status, body } = await confirm({ token: (await mailTo(squatter.email)).token });
    assert.equal(status, 201);
    assert.notEqual(body.data.user_id, squatter.id);
    assert.equal((await squatter.api.get('/v1/me')).status, 401);
    const login = { email: squatter.email, password: squatter.password };
    assert.equal((await service.api.post('/v1/auth/login', login)).status, 401);
    const [endpoint] = await service.ctx.db`
      select is_active, user_id from webhook_endpoints where id = ${id}`;
    assert.ok(!endpoint || (!endpoint.is_active && endpoint.user_id === null));
  });

  it('is rejected if the account was suspended or the petition closed meanwhile', async () => {
    const petition = await createPublished(creator);
    const suspended = await signUp(service, 'Suspended');
    await service.ctx.db`update users set email_verified_at = now() where id = ${suspended.id}`;
    await ask(petition, suspended.email);
    const { token } = await mailTo(suspended.email);
    const admin = await logInAsAdmin(service);
    await admin.api.post(`/v1/admin/users/${suspended.id}/suspend`);
    const refused = await confirm({ token });
    assert.equal(refused.status, 403);
    assert.equal(refused.body.code, 'account_suspended');
    const late = newAddress();
    await ask(petition, late);
    const mail = await mailTo(late);
    await creator.api.post(`/v1/petitions/${petition.id}/close`);
    assert.equal((await confirm({ token: mail.token })).body.code, 'invalid_state');
    assert.deepEqual(Array.from(await service.ctx.db`select from users where email = ${late}`), []);
    const input = { display_name: 'Too late', email: newAddress() };
    const path = `/v1/petitions/${petition.id}/signatures/pending`;
    assert.equal((await service.api.post(path, input)).status, 409);
  });

  it('requires the access code of a private petition, but not again for confirmation', async () => {
    const hidden = await createPublished(creator, { visibility: 'private' });
    const { access_code } = (await creator.api.get(`/v1/petitions/${hidden.id}`)).body.data;
    const email = newAddress();
    const path = `/v1/petitions/${hidden.id}/signatures/pending`;
    const input = { display_name: 'Guest', email };
    assert.equal((await service.api.post(path, input)).status, 403);
    await ask(hidden, email, { access_code });
    assert.equal((await confirm({ token: (await mailTo(email)).token })).status, 201);
    const [row] = await service.ctx.db`
      select count(*)::integer as n from pending_signatures where input ? 'access_code'`;
    assert.equal(row!.n, 0);
  });

  it('sends the mail in the requested language', async () => {
    const email = newAddress();
    await ask(await createPublished(creator), email, { language: 'de' });
    assert.match((await mailTo(email)).text, /Damit Ihre Unterschrift zählt/);
  });

  it('expires after a day and is deleted', async () => {
    const petition = await createPublished(creator);
    const email = newAddress();
    const { id } = await ask(petition, email);
    const { token, code } = await mailTo(email);
    await service.ctx.db`
      update pending_signatures set expires_at = now() - interval '1 second' where id = ${id}`;
    assert.equal((await confirm({ token })).status, 410);
    assert.equal((await confirm({ id, code })).status, 410);
    // It waits for its reminder no longer.
    await service.ctx.db`
      update pending_signatures set expires_at = now() - interval '6 hours' where id = ${id}`;
    await service.ctx.db`select graphile_worker.add_job('drop-pending-signatures')`;
    await eventually(
      async () =>
        (await service.ctx.db`select from pending_signatures where id = ${id}`).length === 0,
    );
  });

  it('is exported and erased with the account of the address', async () => {
    const person = await signUp(service, 'Person');
    await service.ctx.db`update users set email_verified_at = now() where id = ${person.id}`;
    await ask(await createPublished(creator), person.email);
    const { data } = (await confirm({ token: (await mailTo(person.email)).token })).body;
    await ask(await createPublished(creator), person.email, { comment: 'Mine' });
    const { body } = await person.api.get('/v1/users/me/export');
    const [confirmed, waiting] = body.pending_signatures;
    assert.equal(confirmed.signature_id, data.id);
    assert.equal(waiting.input.comment, 'Mine');
    await person.api.send('DELETE', '/v1/users/me', { password: person.password });
    const rows = await service.ctx.db`
      select from pending_signatures where email = ${person.email}`;
    assert.equal(rows.length, 0);
  });

  it('is neither exported nor erased with an unverified account', async () => {
    const petition = await createPublished(creator);
    const squatter = await signUp(service, 'Squatter');
    await ask(petition, squatter.email, { comment: 'My secret view' });
    const { body } = await squatter.api.get('/v1/users/me/export');
    assert.deepEqual(body.pending_signatures, []);
    await squatter.api.send('DELETE', '/v1/users/me', { password: squatter.password });
    const { token } = await mailTo(squatter.email);
    assert.equal((await confirm({ token })).status, 201);
  });
});
