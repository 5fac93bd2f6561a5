import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, logInBrowser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import { signUp, verifyAddress } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('the page on which one changes how to log in', () => {
  let service: Service;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  const verified = async (name: string) => {
    const person = await signUp(service, name);
    await verifyAddress(service, person);
    return { person, browser: await logInBrowser(service, person) };
  };
  const mailTo = async (email: string, pattern: RegExp): Promise<string> => {
    const find = async () =>
      (await service.mails())
        .map(readMail)
        .filter(({ to }) => to === email)
        .map(({ subject, text }) => pattern.exec(`${subject}\n${text}`)?.[1])
        .findLast((found) => found !== undefined);
    await eventually(async () => (await find()) !== undefined);
    return (await find())!;
  };
  const path = '/settings/login';

  it('changes the address, by buttons and not by opening links', async () => {
    const { person, browser } = await verified('Ada');
    const page = await browser.open(path);
    const email = 'ada-new@example.org';
    const wrong = await browser.submit(page, { email, password: 'wrong' }, `${path}/address`);
    assert.equal(wrong.status, 403);
    assert.match(wrong.body, /value="ada-new@example\.org"/);
    const asked = await browser.submit(
      wrong,
      { email, password: person.password },
      `${path}/address`,
    );
    assert.match(asked.body, /An email is on its way to the new address/);
    const confirm = await mailTo(email, /petitions\.test(\/email\/confirm\?token=[\w-]+)/);
    const reader = new Browser(service.api);
    const confirming = await reader.open(confirm);
    assert.match((await browser.open('/settings')).body, new RegExp(`<bdi>${person.email}`));
    assert.match((await reader.submit(confirming, {})).body, /The new address is confirmed/);
    assert.match((await browser.open('/settings')).body, /<bdi>ada-new@example\.org/);
    assert.equal((await reader.submit(confirming, {})).status, 410);

    const undo = await mailTo(person.email, /petitions\.test(\/email\/undo\?token=[\w-]+)/);
    const undoing = await reader.open(undo);
    assert.match((await browser.open('/settings')).body, /<bdi>ada-new@example\.org/);
    assert.match((await reader.submit(undoing, {})).body, /has its old address again/);
    const login = { email: person.email, password: person.password };
    assert.equal((await service.api.post('/v1/auth/login', login)).status, 401);
    await mailTo(person.email, /(reset-password\?token=)/);
  });

  it('takes the password away, and then asks for a code', async () => {
    const { person, browser } = await verified('Grace');
    const { password } = person;
    const page = await browser.open(path);
    const removed = await browser.submit(page, { password }, `${path}/password/remove`);
    assert.match(removed.body, /Your password is removed/);
    const asked = await browser.open(path);
    assert.doesNotMatch(asked.body, /name="password"/);
    const waiting = await browser.submit(asked, {}, `${path}/code`);
    const code = await mailTo(person.email, /^(\d{6}):/);
    const change = { new_password: 'battery staple', code };
    const set = await browser.submit(waiting, change, `${path}/password`);
    assert.match(set.body, /Your new password is set/);
    const login = { email: person.email, password: 'battery staple' };
    assert.equal((await service.api.post('/v1/auth/login', login)).status, 200);
  });

  it('erases an account without a password by a code', async () => {
    const { person, browser } = await verified('Leaver');
    await service.ctx.db`update users set password_hash = null where id = ${person.id}`;
    const asked = await browser.open('/settings/erase');
    assert.doesNotMatch(asked.body, /name="password"/);
    const waiting = await browser.submit(asked, {}, '/settings/erase/code');
    const code = await mailTo(person.email, /^(\d{6}):/);
    const wrong = code === '000000' ? '000001' : '000000';
    const refused = await browser.submit(waiting, { code: wrong }, '/settings/erase');
    assert.equal(refused.status, 403);
    const gone = await browser.submit(refused, { code }, '/settings/erase');
    assert.match(gone.body, /<h1>Your account is erased<\/h1>/);
  });
});
