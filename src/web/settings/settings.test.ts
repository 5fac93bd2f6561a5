import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, formOf } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import {
  createPublished,
  logIn,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { noiseImage } from '../../../test/support/pictures.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { maxBytes } from '../../campaigns/media/schema.ts';
import { insertSuppression, mailboxHash } from '../../platform/mail-suppressions.ts';
import { formTokenField } from '../site/form-token.ts';

describe('settings', () => {
  let service: Service;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  const logInNewUser = async (name = 'Ada') => {
    const person = await signUp(service, name);
    const browser = new Browser(service.api);
    const { email, password } = person;
    await browser.submit(await browser.open('/login'), { email, password }, '/login');
    return { person, browser, settings: await browser.open('/settings') };
  };
  const account = async ({ api }: Person) => (await api.get('/v1/users/me')).body.data;

  it('require a login, and are excluded from caches and search engines', async () => {
    const browser = new Browser(service.api);
    const login = await browser.open('/settings');
    assert.match(login.body, /name="next" value="\/settings"/);
    const { settings } = await logInNewUser();
    assert.match(settings.headers.get('x-robots-tag')!, /noindex/);
    assert.match(settings.headers.get('cache-control')!, /no-store/);
  });

  it('change the profile with the validation of the API', async () => {
    const { person, browser, settings } = await logInNewUser();
    const values = { display_name: 'Ada & Co', bio: 'Likes <rivers>.\n\nAnd more.' };
    const saved = await browser.submit(settings, values, '/settings');
    assert.match(saved.body, /role="status">Your profile is saved/);
    assert.match(saved.body, /Likes &lt;rivers&gt;/);
    const { display_name, bio } = await account(person);
    assert.deepEqual({ display_name, bio }, values);
    const refused = await browser.submit(saved, { display_name: '' }, '/settings');
    assert.equal(refused.status, 422);
    assert.match(refused.body, /id="display_name-wrong"/);
    await browser.submit(saved, { bio: '' }, '/settings');
    assert.equal((await account(person)).bio, null);
  });

  it('say that mail came back, and send a new confirmation, which ends that', async () => {
    const { person, browser } = await logInNewUser();
    await verifyAddress(service, person);
    const cameBack = /Emails to this address came back/;
    assert.doesNotMatch((await browser.open('/settings')).body, cameBack);
    const { db, keys } = service.ctx;
    await insertSuppression(db, mailboxHash(keys, person.email), 'bounced');
    const settings = await browser.open('/settings');
    assert.match(settings.body, cameBack);
    const asked = await browser.submit(settings, {}, '/verify-email/resend');
    assert.match(asked.body, /An email with a link is on its way/);
    const find = async () =>
      (await service.mails())
        .map(readMail)
        .find(({ to, subject }) => to === person.email && subject.endsWith('again'));
    await eventually(async () => (await find()) !== undefined, 10_000);
    const [, token] = /verify-email\?token=([\w-]+)/.exec((await find())!.text)!;
    const page = await browser.open(`/verify-email?token=${token}`);
    assert.doesNotMatch(page.body, /not-me/, 'the account is not for others to erase');
    await browser.submit(page, {}, '/verify-email');
    assert.doesNotMatch((await browser.open('/settings')).body, cameBack);
  });

  it('upload a picture, and show it after processing', async () => {
    const { person, browser, settings } = await logInNewUser();
    const { fields } = formOf(settings, '/settings/picture');
    const send = async (file: Blob) => {
      const form = new FormData();
      form.set(formTokenField, fields[formTokenField]!);
      form.set('file', file, 'me.png');
      const headers = { cookie: browser.cookies, origin: 'http://petitions.test' };
      return service.api.send('POST', '/settings/picture', form, { headers });
    };
    const refused = await send(new Blob(['no picture'], { type: 'image/png' }));
    assert.equal(refused.status, 422);
    assert.match(refused.body, /id="picture-wrong"[^>]*>Choose a picture of 5\u00a0MB at most/);
    const large = await send(new Blob([Buffer.alloc(maxBytes + 1)], { type: 'image/png' }));
    assert.equal(large.status, 413);
    assert.match(
      large.body,
      /role="alert"[^>]*><h2>[^<]*<\/h2>\s*<p>The file is too large\.<[^]*action="\/settings\/picture"/,
    );
    const png = new Blob([await noiseImage(300, 200).png().toBuffer()], { type: 'image/png' });
    const taken = await send(png);
    assert.equal(taken.status, 303);
    const place = taken.headers.get('location')!.split('#')[0]!;
    await eventually(async () => (await account(person)).avatar_url !== null, 15_000);
    const shown = await browser.open(place);
    assert.match(
      shown.body,
      /<img class="avatar large"[^>]* src="http:\/\/petitions\.test\/media\//,
    );
    assert.match(shown.body, /The picture is there\./);
    assert.doesNotMatch(shown.body, /data-coming/);
    await browser.submit(shown, {}, '/settings/picture/remove');
    assert.equal((await account(person)).avatar_url, null);
  });

  it('confirm a phone with a code', async () => {
    const { person, browser, settings } = await logInNewUser();
    const odd = await browser.submit(settings, { phone: '12' }, '/settings/phone');
    assert.match(odd.body, /id="phone_number-wrong"/);
    const sent = await browser.submit(settings, { phone: '0044 1632 960 961' }, '/settings/phone');
    await eventually(async () => (await service.texts()).length === 1, 15_000);
    const [{ to, text } = { to: '', text: '' }] = await service.texts();
    assert.equal(to, '+441632960961');
    const code = /\d{6}/.exec(text)![0];
    // Long enough for a code that is pasted in groups.
    assert.match(sent.body, /name="code"[^>]* maxlength="12" autocomplete="one-time-code"/);
    const other = code === '000000' ? '000001' : '000000';
    const refused = await browser.submit(sent, { code: other }, '/settings/phone/code');
    assert.equal(refused.status, 422);
    const groups = code.replace(/^\d{3}/, '$& - ');
    const done = await browser.submit(refused, { code: groups }, '/settings/phone/code');
    assert.match(done.body, /role="status">Your phone number is confirmed/);
    assert.equal((await account(person)).phone_verified, true);
  });

  it('switch each type of notification on and off', async () => {
    const { person, browser, settings } = await logInNewUser();
    const { fields } = formOf(settings, '/settings/notifications');
    assert.ok(fields.email && fields.in_app);
    const headers = {
      cookie: browser.cookies,
      origin: 'http://petitions.test',
      'content-type': 'application/x-www-form-urlencoded',
    };
    const form = new URLSearchParams([
      [formTokenField, fields[formTokenField]!],
      ['in_app', 'petition_update'],
      ['email', 'petition_comment'],
      ['email', 'comment_reply'],
    ]).toString();
    const { status } = await service.api.send('POST', '/settings/notifications', form, { headers });
    assert.equal(status, 303);
    const { body } = await person.api.get('/v1/notifications/preferences');
    // The form has no switch for what only moderators get.
    const on = (switches: object) =>
      Object.entries(switches).flatMap(([type, value]) =>
        value && !['integrity_alert', 'moderation_queue'].includes(type) ? [type] : [],
      );
    assert.deepEqual(on(body.data.in_app), ['petition_update']);
    assert.deepEqual(on(body.data.email).toSorted(), ['comment_reply', 'petition_comment']);
  });

  it('choose how often moderators get mails about their queue', async () => {
    const { person, settings } = await logInNewUser();
    assert.doesNotMatch(settings.body, /queue_mail/);
    await service.ctx.db`update users set role = 'moderator' where id = ${person.id}`;
    await service.app.sessions.revocations.refresh();
    const browser = new Browser(service.api);
    const { email, password } = person;
    await browser.submit(await browser.open('/login'), { email, password }, '/login');
    const path = '/settings/notifications';
    const page = await browser.open('/settings');
    assert.match(page.body, /<option value="hourly" selected>/);
    const saved = await browser.submit(page, { queue_mail: 'daily' }, path);
    assert.match(saved.body, /role="status">Your choice is saved/);
    assert.match(saved.body, /<option value="daily" selected>/);
    const { body } = await person.api.get('/v1/notifications/preferences');
    assert.equal(body.data.queue_mail, 'daily');
    assert.equal((await browser.submit(saved, { queue_mail: 'never' }, path)).status, 422);
  });

  it('list where the viewer is logged in, and end other logins', async () => {
    const { person, browser, settings } = await logInNewUser();
    assert.match(settings.body, /href="\/settings\/sessions"/);
    const other = await logIn(service, person);
    const page = await browser.open('/settings/sessions');
    assert.equal(page.body.match(/This device/g)?.length, 1);
    assert.equal(page.body.match(/action="\/settings\/sessions\/end"/g)?.length, 2);
    assert.match(
      page.body,
      /<h2>Unknown device<\/h2>\n<p class="small quiet">Unknown country · logged in on/,
    );
    assert.match(page.body, /last used <time[^>]*>now</);
    const [{ id }] = (await other.api.get('/v1/users/me/sessions')).body.data;
    const { fields: token } = formOf(page, '/settings/sessions/end-others');
    const fields = { ...token, id };
    const ended = await browser.send('/settings/sessions/end', fields);
    assert.match(ended.body, /role="status">The login has ended/);
    assert.equal((await other.api.get('/v1/users/me')).status, 401);
    assert.equal((await browser.send('/settings/sessions/end', fields)).status, 404);
    const alone = await browser.submit(ended, {}, '/settings/sessions/end-others');
    assert.match(alone.body, /role="status">All other logins have ended/);
    assert.doesNotMatch(alone.body, /action="\/settings\/sessions\/end/);
    assert.equal((await person.api.get('/v1/users/me')).status, 401);
  });

  it('switch the mails about new logins off and on', async () => {
    const { person, browser } = await logInNewUser();
    const alerts = '/settings/sessions/alerts';
    const page = await browser.open('/settings/sessions');
    assert.match(page.body, /name="sign_in_alerts" value="on" checked/);
    const { sign_in_alerts: _, ...unticked } = formOf(page, alerts).fields;
    const off = await browser.send(alerts, unticked);
    assert.match(off.body, /role="status">Your choice is saved/);
    assert.equal((await account(person)).sign_in_alerts, false);
    await browser.submit(off, { sign_in_alerts: 'on' }, alerts);
    assert.equal((await account(person)).sign_in_alerts, true);
  });

  it('export the data of the account as a file', async () => {
    const { person, browser } = await logInNewUser();
    const { headers, body } = await browser.open('/settings/data');
    assert.match(headers.get('content-disposition')!, /attachment/);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(body.account.email, person.email);
    assert.ok(body.signatures && !('password_hash' in body.account));
  });

  it('erase the account after its password, and end the login', async () => {
    const { person, browser } = await logInNewUser('Leaver');
    const petition = await createPublished(await signUp(service));
    await person.api.post(`/v1/petitions/${petition.id}/signatures`);
    const asked = await browser.open('/settings/erase');
    assert.match(asked.body, /signatures that you gave: they still count/);
    const refused = await browser.submit(asked, { password: 'something else' });
    assert.equal(refused.status, 403);
    assert.match(refused.body, /role="alert"[^>]*><h2>[^<]*<\/h2>\s*<p>The password is wrong/);
    const gone = await browser.submit(refused, { password: person.password });
    assert.match(gone.body, /<h1>Your account is erased<\/h1>/);
    assert.match((await browser.open('/settings')).body, /<h1>Log in<\/h1>/);
    assert.equal((await person.api.get('/v1/users/me')).status, 401);
    const { body } = await service.api.get(`/v1/petitions/${petition.id}/signatures`);
    assert.deepEqual([body.pagination.total_count, body.data[0].user], [1, null]);
  });

  it('reject forms of other sites with 403', async () => {
    const { person, browser } = await logInNewUser();
    for (const path of [
      '/settings',
      '/settings/phone',
      '/settings/password',
      '/settings/erase',
      '/settings/picture/remove',
      '/verify-email/resend',
    ]) {
      const form = new URLSearchParams({ password: person.password, display_name: 'X' }).toString();
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const headers = { ...type, cookie: browser.cookies };
      const { status } = await service.api.send('POST', path, form, { headers });
      assert.equal(status, 403, path);
    }
    assert.equal((await account(person)).display_name, 'Ada');
  });
});
