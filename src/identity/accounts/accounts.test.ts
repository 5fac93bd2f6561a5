import { hash } from '@node-rs/argon2';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import { findMentions } from '../../../test/support/mentions.ts';
import {
  createDraft,
  logIn,
  petitionInput,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { admin, startService, type Service } from '../../../test/support/service.ts';
import { setPassword } from './accounts.ts';
import { registrationQuota } from './quotas.ts';

describe('accounts', () => {
  let service: Service;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  /** Returns the token in the newest mail to this person with this subject. */
  const tokenFor = async (person: Person, subject: RegExp, count = 1): Promise<string> => {
    const theirs = async () =>
      (await service.mails()).filter(
        (mail) => mail.includes(`To: ${person.email}`) && subject.test(mail),
      );
    await eventually(async () => (await theirs()).length >= count);
    return /token=([\w-]+)$/m.exec(readMail((await theirs()).at(-1)!).text)![1]!;
  };

  it('registers an address once, in any case', async () => {
    const person = await signUp(service, 'Ada Lovelace');
    assert.match(person.slug, /^ada-lovelace/);
    const again = await service.api.post('/v1/auth/register', {
      email: person.email.toUpperCase(),
      password: 'long enough',
      display_name: 'Somebody',
    });
    assert.equal(again.status, 409);
    assert.equal(again.body.code, 'email_in_use');
    const short = await service.api.post('/v1/auth/register', {
      email: 'x',
      password: 'short',
      display_name: '',
    });
    assert.equal(short.status, 422);
    assert.equal(short.body.errors.length, 3);
  });

  it('takes passwords that look the same as the same, and those set before as typed', async () => {
    const [composed, typed] = ['caf\u00e9 du pont', 'cafe\u0301\u00a0du pont'];
    const person = await signUp(service);
    const statusWith = async (password: string) =>
      (await service.api.post('/v1/auth/login', { email: person.email, password })).status;
    await setPassword(service.ctx, person.id, typed);
    assert.deepEqual([await statusWith(composed), await statusWith(typed)], [200, 200]);
    const asTyped = await hash(typed);
    await service.ctx.db`update users set password_hash = ${asTyped} where id = ${person.id}`;
    assert.deepEqual([await statusWith(typed), await statusWith(composed)], [200, 401]);
  });

  it('refuses addresses whose local part is too long', async () => {
    const input = { password: 'correct horse', display_name: 'Ada' };
    for (const [length, status] of [
      [64, 201],
      [65, 422],
    ] as const) {
      const email = `${'a'.repeat(length)}@example.org`;
      assert.equal(
        (await service.api.post('/v1/auth/register', { ...input, email })).status,
        status,
      );
    }
  });

  it('refuses passwords that are guessed first', async () => {
    const register = (password: string, name = 'Ada Lovelace') =>
      service.api.post('/v1/auth/register', {
        email: 'countess.lovelace@example.org',
        password,
        display_name: name,
      });
    const common = ['password', 'PASSWORD1', 'qwertyuiop', '1q2w3e4r5t', 'iloveyou1', 'liverpool'];
    const own = [
      'countess.lovelace@example.org',
      'Countess.Lovelace',
      'AdaLovelace',
      'ada lovelace',
    ];
    for (const password of [...common, ...own]) {
      const { status, body } = await register(password);
      assert.equal(status, 422, password);
      assert.equal(body.code, 'password_too_common');
      assert.deepEqual(
        body.errors.map(({ field, code }: Record<string, string>) => [field, code]),
        [['password', 'password_too_common']],
      );
    }
    assert.equal((await register('correct horse')).status, 201);
  });

  it('verifies an address by mail, once', async () => {
    const person = await signUp(service);
    const token = await tokenFor(person, /Confirm/);
    assert.equal((await person.api.get('/v1/me')).body.data.email_verified, false);
    const verify = () => service.api.post('/v1/auth/verify-email', { token });
    assert.equal((await verify()).status, 204);
    assert.equal((await person.api.get('/v1/me')).body.data.email_verified, true);
    assert.equal((await verify()).status, 410);
    assert.equal((await service.api.post('/v1/auth/verify-email', { token: 'x' })).status, 410);
  });

  it('sends another verification mail on request', async () => {
    const person = await signUp(service);
    await tokenFor(person, /Confirm/);
    assert.equal((await person.api.post('/v1/auth/verify-email/resend')).status, 204);
    const token = await tokenFor(person, /Confirm/, 2);
    assert.equal((await service.api.post('/v1/auth/verify-email', { token })).status, 204);
  });

  it('sends an address at most five mails an hour, also for several accounts', async () => {
    await using limited = await startService({ worker: true, env: { RATE_LIMITS: 'on' } });
    const input = { email: 'victim@example.org', password: 'correct horse', display_name: 'Any' };
    const statuses = [];
    for (let n = 0; n < 6; n += 1) {
      statuses.push((await limited.api.post('/v1/auth/register', input)).status);
      if (statuses.at(-1) !== 201) continue;
      const { api } = await logIn(limited, input);
      const { password } = input;
      assert.equal((await api.delete('/v1/users/me', { password })).status, 204);
    }
    assert.deepEqual(statuses, [201, 201, 201, 201, 201, 429]);
  });

  it('are limited to 300 an hour per network', async () => {
    const env = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' };
    await using limited = await startService({ env });
    let count = 0;
    const register = async (ip: string, email = `new-${++count}@example.org`) => {
      const input = { email, password: 'correct horse', display_name: 'New' };
      const headers = { 'x-forwarded-for': ip };
      return (await limited.api.post('/v1/auth/register', input, { headers })).status;
    };
    for (let n = 0; n < 298; n += 1)
      await limited.ctx.limits.take(registrationQuota, '2001:db8:0:1::/64');
    assert.equal(await register('2001:db8:0:1::1'), 201);
    // The check of the address comes after the password hash.
    assert.equal(await register('2001:db8:0:1::2', 'new-1@example.org'), 409);
    assert.equal(await register('2001:db8:0:1::3'), 429);
    assert.equal(await register('2001:db8:0:2::1'), 201);
  });

  it('resets a password by mail, and ends every session', async () => {
    const person = await signUp(service);
    const forgot = (email: string) => service.api.post('/v1/auth/forgot-password', { email });
    assert.equal((await forgot('nobody@example.org')).status, 204);
    assert.equal((await forgot(person.email)).status, 204);
    const token = await tokenFor(person, /new password/);
    const reset = (password: string) =>
      service.api.post('/v1/auth/reset-password', { token, password });
    assert.equal((await reset('short')).status, 422);
    assert.equal((await reset('an entirely new one')).status, 204);
    assert.equal((await reset('an entirely new one')).status, 410);
    assert.equal((await person.api.get('/v1/me')).status, 401);
    assert.equal((await service.api.post('/v1/auth/login', person)).status, 401);
    await logIn(service, { email: person.email, password: 'an entirely new one' });
  });

  it('verifies an address by a reset, and ends all access of whoever created the account', async () => {
    const squatter = await signUp(service);
    const { key } = (await squatter.api.post('/v1/api-keys', { name: 'Mine' })).body.data;
    const hook = { url: 'http://127.0.0.1:9/mine', events: ['signature.created'] };
    assert.equal((await squatter.api.post('/v1/webhooks', hook)).status, 201);
    await service.api.post('/v1/auth/forgot-password', { email: squatter.email });
    const token = await tokenFor(squatter, /new password/);
    const password = 'an entirely new one';
    await service.api.post('/v1/auth/reset-password', { token, password });
    const owner = await logIn(service, { email: squatter.email, password });
    assert.equal((await owner.api.get('/v1/me')).body.data.email_verified, true);
    assert.deepEqual((await owner.api.get('/v1/webhooks')).body.data, []);
    assert.deepEqual((await owner.api.get('/v1/api-keys')).body.data, []);
    await eventually(async () => (await service.api.as(key).get('/v1/me')).status === 401);
    // A later reset keeps the keys: the address is verified.
    const own = (await owner.api.post('/v1/api-keys', { name: 'Mine' })).body.data;
    await service.api.post('/v1/auth/forgot-password', { email: owner.email });
    const again = { token: await tokenFor(owner, /new password/, 2), password };
    assert.equal((await service.api.post('/v1/auth/reset-password', again)).status, 204);
    assert.equal((await service.api.as(own.key).get('/v1/me')).status, 200);
  });

  it('verifies a phone by text message, with five attempts', async () => {
    const person = await signUp(service);
    const phone = '+441632960961';
    assert.equal((await person.api.post('/v1/users/me/phone', { phone: '0163' })).status, 422);
    const request = async () => {
      const sent = (await service.texts()).length;
      assert.equal((await person.api.post('/v1/users/me/phone', { phone })).status, 204);
      await eventually(async () => (await service.texts()).length > sent);
      const text = (await service.texts()).at(-1)!;
      assert.equal(text.to, phone);
      return /\d{6}/.exec(text.text)![0];
    };
    const verify = async (code: string) =>
      (await person.api.post('/v1/users/me/phone/verify', { code })).status;
    const code = await request();
    const wrong = code === '000000' ? '000001' : '000000';
    for (let n = 0; n < 5; n++) assert.equal(await verify(wrong), 422);
    assert.equal(await verify(code), 422);
    const other = await request();
    await person.api.post('/v1/users/me/phone', { phone: '+441632960962' });
    assert.equal(await verify(other), 422, 'the code was sent to another phone');
    await eventually(async () => (await service.texts()).at(-1)!.to === '+441632960962');
    assert.equal(await verify(await request()), 204);
    assert.equal((await person.api.get('/v1/me')).body.data.phone_verified, true);
  });

  it('sends a number at most five texts a day, for all accounts together', async () => {
    await using limited = await startService({ env: { RATE_LIMITS: 'on' } });
    const ask = async (person: Person, phone: string) =>
      (await person.api.post('/v1/users/me/phone', { phone })).status;
    const [first, second] = [await signUp(limited), await signUp(limited)];
    for (let n = 0; n < 3; n += 1) assert.equal(await ask(first, '+441632960963'), 204);
    for (let n = 0; n < 2; n += 1) assert.equal(await ask(second, '+441632960963'), 204);
    assert.equal(await ask(second, '+441632960963'), 429);
    assert.equal(await ask(second, '+441632960964'), 204);
  });

  it('changes a profile but not its slug', async () => {
    const person = await signUp(service, 'First Name');
    const { status, body } = await person.api.patch('/v1/users/me', {
      display_name: 'Second Name',
      bio: 'Hello',
      avatar_url: 'https://example.org/me.png',
      notification_prefs: { email: { petition_update: false } },
    });
    assert.equal(status, 200);
    assert.equal(body.data.slug, person.slug);
    const profile = await service.api.get(`/v1/users/${person.slug}`);
    assert.equal(profile.body.data.display_name, 'Second Name');
    assert.equal(profile.body.data.bio, 'Hello');
    const cleared = await person.api.patch('/v1/users/me', { bio: null });
    assert.equal(cleared.body.data.bio, null);
    const large = await person.api.patch('/v1/users/me', {
      notification_prefs: { email: 'x'.repeat(20_000) },
    });
    assert.equal(large.status, 422);
    assert.equal(large.body.errors[0].field, 'notification_prefs.email');
    const script = await person.api.patch('/v1/users/me', { avatar_url: 'javascript:alert(1)' });
    assert.equal(script.status, 422);
    assert.equal((await service.api.get('/v1/users/no-such-person')).status, 404);
  });

  it('exports all personal data', async () => {
    const person = await signUp(service, 'Exporter');
    const petition = await createPublished(person);
    await person.api.post(`/v1/petitions/${petition.id}/signatures`, { comment: 'My own' });
    const { body } = await person.api.get('/v1/users/me/export');
    assert.equal(body.account.email, person.email);
    assert.equal(body.account.password_hash, undefined);
    assert.equal(body.petitions[0].id, petition.id);
    assert.equal(body.signatures[0].comment, 'My own');
    assert.equal(body.sessions.length, 1);
  });

  it('erases a person, and keeps shared content without a name', async () => {
    const person = await signUp(service, 'Erasable Person');
    const other = await signUp(service);
    const kept = await createPublished(person);
    const unsigned = await createPublished(person);
    const plan = await createDraft(person);
    await other.api.post(`/v1/petitions/${kept.id}/signatures`);
    const theirs = await createPublished(other);
    assert.equal(
      (await service.api.get(`/v1/petitions/${kept.id}`)).body.data.creator.id,
      person.id,
    );
    await person.api.post(`/v1/petitions/${theirs.id}/signatures`, { comment: 'For good' });

    assert.equal((await person.api.delete('/v1/users/me', { password: 'wrong one' })).status, 403);
    const erased = await person.api.delete('/v1/users/me', { password: person.password });
    assert.equal(erased.status, 204);

    assert.equal((await person.api.get('/v1/me')).status, 401);
    assert.equal((await person.api.post('/v1/petitions', petitionInput)).status, 401);
    assert.equal((await service.api.get(`/v1/users/${person.slug}`)).status, 404);
    const read = await service.api.get(`/v1/petitions/${kept.id}`);
    assert.equal(read.body.data.creator, null);
    for (const { id } of [unsigned, plan]) {
      assert.equal((await other.api.get(`/v1/petitions/${id}`)).status, 404);
    }
    const list = await service.api.get(`/v1/petitions/${theirs.id}/signatures`);
    assert.equal(list.body.pagination.total_count, 1);
    assert.equal(list.body.data[0].user, null);
    assert.equal(list.body.data[0].comment, 'For good');
    const found = await findMentions(service, [person.email, 'Erasable Person', person.slug]);
    assert.deepEqual(found, []);
  });

  it('erases while the person publishes, signs and refreshes', async () => {
    for (let round = 0; round < 5; round++) {
      const person = await signUp(service);
      const drafts = await Promise.all([
        createDraft(person),
        createDraft(person),
        createDraft(person),
      ]);
      const open = await createPublished(person);
      const answers = await Promise.all([
        ...drafts.map(({ id }) => person.api.post(`/v1/petitions/${id}/publish`)),
        person.api.delete('/v1/users/me', { password: person.password }),
        person.api.post(`/v1/petitions/${open.id}/signatures`),
        person.api.patch(`/v1/petitions/${open.id}`, { visibility: 'unlisted' }),
        service.api.post('/v1/auth/refresh', { refresh_token: person.refreshToken }),
        person.api.delete(`/v1/petitions/${open.id}`),
      ]);
      assert.ok(answers.every(({ status }) => status < 500));
      assert.equal((await person.api.get('/v1/me')).status, 401);
    }
  });

  it('takes over an existing account with the address of the administrator', async () => {
    const squatter = await signUp(service);
    await using other = await startService({
      beside: service,
      env: { ADMIN_EMAIL: squatter.email, ADMIN_PASSWORD: 'the real administrator' },
    });
    const as = (token: string) => other.api.as(token).post('/v1/admin/categories', { name: 'X' });
    assert.equal((await as(squatter.accessToken)).status, 401);
    const refreshed = await other.api.post('/v1/auth/refresh', {
      refresh_token: squatter.refreshToken,
    });
    assert.equal(refreshed.status, 401);
    const real = await logIn(other, {
      email: squatter.email,
      password: 'the real administrator',
    });
    assert.equal((await as(real.accessToken)).status, 201);
  });

  it('creates the configured administrator, who can log in', async () => {
    const person = await logIn(service, admin);
    const { status } = await person.api.post('/v1/admin/categories', { name: 'Of the admin' });
    assert.equal(status, 201);
    const [line] = await service.ctx.pools.main`
      select action, details from audit_log order by created_at desc limit 1`;
    assert.equal(line!.action, 'category.create');
    await assert.rejects(service.ctx.pools.main`delete from audit_log`, /append-only/);
  });
});
