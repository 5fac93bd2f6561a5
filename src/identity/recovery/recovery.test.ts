import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logInBrowser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import { signUpProven } from '../../../test/support/people.ts';
import { startService } from '../../../test/support/service.ts';

describe('a reset of a password, with limits', () => {
  it('leaves its browser a login while strangers guess and have used up all mails', async () => {
    const env = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' };
    await using service = await startService({ worker: true, env });
    let networks = 0;
    const fromElsewhere = () =>
      service.api.with({ 'x-forwarded-for': `2001:db8:a:${(networks += 1).toString(16)}::1` });
    const owner = await signUpProven({ ...service, api: fromElsewhere() });
    const { email } = owner;
    const browser = await logInBrowser({ api: fromElsewhere() }, owner);
    await browser.submit(await browser.open('/settings'), {}, '/logout');
    const attack = async () => {
      for (let n = 0; n < 12; n += 1) {
        await fromElsewhere().post('/v1/auth/magic-link', { email });
        await fromElsewhere().post('/v1/auth/forgot-password', { email });
      }
      for (let n = 0; n < 52; n += 1) {
        await fromElsewhere().post('/v1/auth/login', { email, password: 'wrong' });
      }
    };
    await attack();
    const links = async () =>
      (await service.mails())
        .map(readMail)
        .filter(({ to }) => to === email)
        .flatMap(({ text }) => /reset-password\?token=[\w-]+/.exec(text)?.[0] ?? []);
    await eventually(async () => (await links()).length === 5, 20_000);
    await browser.submit(await browser.open('/forgot-password'), { email });
    await eventually(async () => (await links()).length === 6, 20_000);
    const link = (await links()).at(-1)!;
    const password = 'another horse battery';
    await browser.submit(await browser.open(`/${link}`), { password });
    const logIn = await browser.submit(await browser.open('/login'), { email, password }, '/login');
    assert.equal(logIn.status, 200);
    assert.match((await browser.open('/settings')).body, /<h1>Settings<\/h1>/);
  });
});
