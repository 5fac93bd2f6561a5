import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import { logIn, signUp } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('account pages', () => {
  let service: Service;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  const newcomer = { display_name: 'Ada', email: 'ada@example.org', password: 'correct horse' };
  /** Path and query of the link in the newest mail to this address. */
  const linkTo = async (address: string, page: string): Promise<string> => {
    let link: string | undefined;
    await eventually(async () => {
      const mails = (await service.mails()).map(readMail).filter(({ to }) => to === address);
      link = new RegExp(`http://petitions\\.test(${page}\\S+)`).exec(mails.at(-1)?.text ?? '')?.[1];
      return link !== undefined;
    }, 15_000);
    return link!;
  };

  it('explain errors at their fields', async () => {
    const all = {
      en: [
        'Fill this in.',
        'Enter an email address, such as name@example.org.',
        'Enter at least 8 characters.',
      ],
      de: [
        'Füllen Sie dieses Feld aus.',
        'Geben Sie eine E-Mail-Adresse ein, etwa name@example.org.',
        'Geben Sie mindestens 8 Zeichen ein.',
      ],
    };
    for (const [language, texts] of Object.entries(all)) {
      const headers = { origin: 'http://petitions.test', 'accept-language': language };
      const browser = new Browser(service.api, headers);
      const { status, body } = await browser.submit(await browser.open('/register'), {
        display_name: '',
        email: 'none',
        password: 'short',
      });
      assert.equal(status, 422);
      const wrong = [...body.matchAll(/class="wrong"[^>]*>([^<]*)/g)].map(([, text]) => text);
      assert.deepEqual(wrong, texts);
    }
  });

  it('create an account, and redirect to the next page', async () => {
    const browser = new Browser(service.api);
    const login = await browser.open('/login?next=%2Forganizations');
    const path = /href="(\/register[^"]+)"/.exec(login.body)![1]!;
    const form = await browser.open(path);
    const short = await browser.submit(form, { ...newcomer, password: 'short' });
    assert.equal(short.status, 422);
    assert.match(short.body, /id="password-wrong"/);
    assert.match(short.body, /value="ada@example\.org"/);
    assert.doesNotMatch(short.body, /value="short"/);
    const redirected = await browser.submit(short, newcomer);
    assert.match(redirected.body, /<h1>Organizations<\/h1>/);
    assert.match(redirected.body, /<bdi>Ada<\/bdi>/);
    const again = new Browser(service.api);
    const taken = await again.submit(await again.open('/register'), newcomer);
    assert.equal(taken.status, 409);
    assert.match(
      taken.body,
      /role="alert"[^>]*><h2>There is a problem<\/h2>\s*<p>This email address has an account already/,
    );
  });

  it('do not redirect to other sites', async () => {
    const elsewhere = [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/.//evil.example',
      '/here/..//evil.example',
    ];
    for (const next of elsewhere) {
      const browser = new Browser(service.api);
      const form = await browser.open(`/register?next=${encodeURIComponent(next)}`);
      assert.match(form.body, /name="next" value=""/);
      const person = { ...newcomer, email: `x${Math.random()}@example.org`, next };
      assert.match((await browser.submit(form, person)).body, /<h1>Settings<\/h1>/);
    }
  });

  it('confirm an address by a button, not by opening the link', async () => {
    const browser = new Browser(service.api);
    const person = { ...newcomer, email: 'confirms@example.org' };
    const settings = await browser.submit(await browser.open('/register'), person);
    assert.match(settings.body, /not confirmed/);
    const link = await linkTo(person.email, '/verify-email');
    await browser.open(link);
    const asked = await browser.open(link);
    assert.match(asked.headers.get('x-robots-tag')!, /noindex/);
    assert.match((await browser.submit(asked, {})).body, /Your email address is confirmed/);
    assert.match((await browser.open('/settings')).body, /class="badge good">confirmed/);
    const used = await browser.submit(asked, {});
    assert.equal(used.status, 410);
    assert.match(used.body, /role="alert".*href="\/settings#email"/s);
  });

  it('send another mail for an unconfirmed address', async () => {
    const browser = new Browser(service.api);
    const person = { ...newcomer, email: 'again@example.org' };
    const settings = await browser.submit(await browser.open('/register'), person);
    const first = await linkTo(person.email, '/verify-email');
    const sent = await browser.submit(settings, {}, '/verify-email/resend');
    assert.match(sent.body, /role="status">An email with a link/);
    await eventually(async () => (await linkTo(person.email, '/verify-email')) !== first, 15_000);
  });

  it('reset a password by mail', async () => {
    const person = await signUp(service);
    const browser = new Browser(service.api);
    const asked = await browser.open('/forgot-password');
    const unknown = await browser.submit(asked, { email: 'unknown@example.org' });
    const known = await browser.submit(asked, { email: person.email });
    assert.equal(known.body, unknown.body);
    assert.match(known.body, /If there is an account for this address/);
    const form = await browser.open(await linkTo(person.email, '/reset-password'));
    assert.equal((await browser.submit(form, { password: 'short' })).status, 422);
    const common = await browser.submit(form, { password: 'password123' });
    assert.equal(common.status, 422);
    assert.match(common.body, /This is one of the first passwords to be guessed/);
    const login = await browser.submit(form, { password: 'battery staple' });
    assert.match(login.body, /role="status">Your new password is set/);
    const home = await browser.submit(login, { email: person.email, password: 'battery staple' });
    assert.match(home.body, /action="\/logout"/);
    const other = new Browser(service.api);
    const used = await other.submit(form, { password: 'battery staple' });
    assert.equal(used.status, 410);
    assert.doesNotMatch(used.body, /name="password"/);
  });

  it('list what still has access after a reset, and end it', async () => {
    const person = await signUp(service);
    const browser = new Browser(service.api);
    // A verified address: the reset ends no keys.
    await browser.submit(
      await browser.open(await linkTo(person.email, '/verify-email')),
      {},
      '/verify-email',
    );
    const key = await person.api.post('/v1/api-keys', { name: 'Statistics of <us>' });
    const webhook = { url: 'https://hooks.example.org/secret/path', events: ['signature.created'] };
    assert.equal((await person.api.post('/v1/webhooks', webhook)).status, 201);
    const byKey = service.api.as(key.body.data.key);
    assert.equal((await byKey.get('/v1/users/me')).status, 200);

    await browser.submit(await browser.open('/forgot-password'), { email: person.email });
    const form = await browser.open(await linkTo(person.email, '/reset-password'));
    const remaining = await browser.submit(form, { password: 'battery staple' });
    assert.match(remaining.body, /role="status">Your new password is set/);
    assert.match(remaining.body, /Statistics of &lt;us&gt;/);
    assert.match(remaining.body, /hooks\.example\.org/);
    assert.doesNotMatch(remaining.body, /secret\/path/);
    assert.equal((await byKey.get('/v1/users/me')).status, 200);

    const byMail = await browser.open(await linkTo(person.email, '/end-access'));
    const login = await browser.submit(byMail, {}, '/end-access');
    assert.match(login.body, /role="status">All API keys and webhooks of the account have ended/);
    await eventually(async () => (await byKey.get('/v1/users/me')).status === 401);
    const again = await browser.submit(remaining, {}, '/end-access');
    assert.equal(again.status, 410);
    await logIn(service, { email: person.email, password: 'battery staple' });
  });

  it('have Arabic texts, and reject forms of other sites', async () => {
    const headers = { 'accept-language': 'ar' };
    for (const path of [
      '/register',
      '/forgot-password',
      '/reset-password?token=x',
      '/verify-email?token=x',
    ]) {
      const { body } = await service.api.get(path, { headers });
      assert.match(body, /<html lang="ar" dir="rtl">/);
      const foreign = new Browser(service.api, { origin: 'https://evil.example' });
      assert.equal((await foreign.submit(await foreign.open(path), newcomer)).status, 403);
    }
  });
});
