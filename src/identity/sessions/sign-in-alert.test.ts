import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logInBrowser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import { signUpByApi, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const firefox = 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0';
const safari =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
const german = '193.99.144.80';
const french = '195.83.1.1';

describe('the mail about a sign-in', () => {
  let service: Service;
  before(async () => {
    service = await startService({ env: { TRUST_PROXY: '127.0.0.1' }, worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  const from = (ip: string, userAgent: string) =>
    service.api.with({ 'x-forwarded-for': ip, 'user-agent': userAgent });
  const logInFrom = async ({ email, password }: Person, ip: string, userAgent: string) => {
    const { status } = await from(ip, userAgent).post('/v1/auth/login', { email, password });
    assert.equal(status, 200);
  };
  /** An account whose first session is in Germany, with Firefox. */
  const signedUp = async () => {
    const person = await signUpByApi({ ...service, api: from(german, firefox) });
    const api = service.api.as(person.accessToken);
    return { ...person, api };
  };
  /** Mails about sign-ins to this person, after all jobs are done. */
  const alertsTo = async ({ email }: Person) => {
    await eventually(
      async () => !(await service.ctx.db.exists`select from graphile_worker.jobs`),
      15_000,
    );
    return (await service.mails())
      .map(readMail)
      .filter(({ to, text }) => to === email && text.includes('/settings/sessions'));
  };

  it('is sent once for a new device and country', async () => {
    const person = await signedUp();
    await logInFrom(person, french, safari);
    await logInFrom(person, french, safari);
    const mails = await alertsTo(person);
    assert.equal(mails.length, 1);
    const [{ subject, text }] = mails as [(typeof mails)[0]];
    assert.equal(subject, 'New login to your account');
    assert.match(text, /Device: Safari on macOS\nCountry: France\nTime: .* UTC\n/);
    assert.match(text, /http:\/\/petitions\.test\/forgot-password\n/);
  });

  it('is sent for a browser too, in the language of the account', async () => {
    const person = await signedUp();
    await person.api.patch('/v1/users/me', { language: 'de' });
    await logInBrowser({ api: from(french, safari) }, person);
    const [mail, ...others] = await alertsTo(person);
    assert.equal(others.length, 0);
    assert.match(mail!.text, /Gerät: Safari auf macOS\nLand: Frankreich\n/);
  });

  it('is not sent for the first session, or if device or country are known', async () => {
    const person = await signedUp();
    await logInFrom(person, german, safari);
    await logInFrom(person, french, firefox);
    assert.deepEqual(await alertsTo(person), []);
  });

  it('is sent if device and country were last seen more than 90 days ago, ended or not', async () => {
    const person = await signedUp();
    const age = (days: number) => service.ctx.db`
      update sessions set ended_at = now(), last_seen_at = now() - ${days} * interval '1 day'
      where user_id = ${person.id}`;
    await age(89);
    await logInFrom(person, german, firefox);
    assert.equal((await alertsTo(person)).length, 0);
    await age(91);
    await logInFrom(person, german, firefox);
    assert.equal((await alertsTo(person)).length, 1);
  });

  it('is not sent if nothing is known of earlier sessions', async () => {
    const person = await signedUp();
    await service.ctx.db`
      update sessions set device = null, country = null, last_seen_at = null
      where user_id = ${person.id}`;
    await logInFrom(person, french, safari);
    assert.deepEqual(await alertsTo(person), []);
  });

  it('can be switched off', async () => {
    const person = await signedUp();
    const { body } = await person.api.patch('/v1/users/me', { sign_in_alerts: false });
    assert.equal(body.data.sign_in_alerts, false);
    await logInFrom(person, french, safari);
    assert.deepEqual(await alertsTo(person), []);
  });

  it('is sent even if the new session switches it off at once', async () => {
    const person = await signedUp();
    const { body } = await from(french, safari).post('/v1/auth/login', {
      email: person.email,
      password: person.password,
    });
    await service.api.as(body.access_token).patch('/v1/users/me', { sign_in_alerts: false });
    assert.equal((await alertsTo(person)).length, 1);
  });
});
