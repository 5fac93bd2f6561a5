import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, logInBrowser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startMailServer } from '../../../test/support/mail-server.ts';
import { readMail } from '../../../test/support/mail.ts';
import { logIn, signUp, signUpProven, verifyAddress } from '../../../test/support/people.ts';
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

  /** The link and the code of the newest mail that signs this address in. */
  const signInMail = async (address: string): Promise<{ link: string; code: string }> => {
    const link = await linkTo(address, '/login/link');
    const mails = (await service.mails()).map(readMail).filter(({ to }) => to === address);
    return { link, code: /^(\d{6})/.exec(mails.at(-1)!.subject)![1]! };
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
    const waiting = await browser.submit(short, newcomer);
    assert.match(waiting.body, /We have sent an email to <strong><bdi>ada@example\.org/);
    const mail = await signInMail(newcomer.email);
    const redirected = await browser.submit(waiting, { code: mail.code });
    assert.match(redirected.body, /<h1>Organizations<\/h1>/);
    assert.match(redirected.body, /<bdi>Ada<\/bdi>/);
    const { email, password } = newcomer;
    assert.equal((await service.api.post('/v1/auth/login', { email, password })).status, 200);
  });

  it('say nothing about a known address, and sign its owner in by the mail', async () => {
    const known = await signUpProven(service, 'Known');
    const again = new Browser(service.api);
    const asked = await again.open('/register');
    const stranger = { ...newcomer, email: known.email, password: 'another good one' };
    const waiting = await again.submit(asked, stranger);
    assert.equal(waiting.status, 200);
    assert.match(waiting.body, /We have sent an email to/);
    const { code } = await signInMail(known.email);
    const home = await again.submit(waiting, { code });
    assert.match(home.body, /<bdi>Known<\/bdi><\/summary>/);
    const { email, password } = stranger;
    assert.equal((await service.api.post('/v1/auth/login', { email, password })).status, 401);
  });

  it('take the password of a registration only in the browser that chose it', async () => {
    const attacker = new Browser(service.api);
    const asked = await attacker.open('/register');
    const input = {
      display_name: 'Mallory',
      email: 'victim@example.org',
      password: 'of a stranger',
    };
    await attacker.submit(asked, input);
    const { link } = await signInMail(input.email);
    const owner = new Browser(service.api);
    const page = await owner.open(link);
    assert.match(page.body, /The password that was chosen there is not taken/);
    const home = await owner.submit(page, { display_name: 'Victoria' }, '/login/link');
    assert.match(home.body, /<bdi>Victoria<\/bdi><\/summary>/);
    const { email, password } = input;
    assert.equal((await service.api.post('/v1/auth/login', { email, password })).status, 401);

    const other = { ...input, email: 'another-victim@example.org' };
    await attacker.submit(asked, other);
    const refusedLink = (await signInMail(other.email)).link;
    const refused = await owner.submit(await owner.open(refusedLink), {}, '/login/link/not-me');
    assert.match(refused.body, /No account was opened/);
    assert.equal((await owner.open(refusedLink)).status, 410);
    const users = await service.ctx.db`select from users where email = ${other.email}`;
    assert.equal(users.length, 0);
  });

  it('ask whether an account is one’s own only in another browser than the one that registered', async () => {
    const person = await signUp(service, 'Ada');
    const browser = await logInBrowser(service, person);
    const link = await linkTo(person.email, '/verify-email');
    const page = await browser.open(link);
    assert.doesNotMatch(page.body, /Did you make this account/);
    const strange = await new Browser(service.api).open(link);
    assert.match(strange.body, /Did you make this account/);
    await new Browser(service.api).submit(strange, {}, '/verify-email');
    assert.equal((await person.api.get('/v1/me')).body.data.email_verified, true);
  });

  it('sign in by the link, on another device too, and by the code only where it was asked for', async () => {
    const person = await signUp(service, 'Reader');
    await verifyAddress(service, person);
    const desk = new Browser(service.api);
    const login = await desk.open('/login?next=%2Fsettings');
    const waiting = await desk.submit(login, { email: person.email }, '/login/mail');
    assert.match(waiting.body, /Look into your mailbox/);
    const { link, code } = await signInMail(person.email);
    const phone = new Browser(service.api);
    const [, challenge] = /name="challenge" value="([^"]+)"/.exec(waiting.body)!;
    const foreign = await phone.open(`/login/code?challenge=${challenge}`);
    assert.doesNotMatch(foreign.body, new RegExp(person.email));
    assert.doesNotMatch(foreign.body, /name="code"/);
    // Mail scanners open links.
    for (const mark of ['', '.', '%29']) {
      assert.match((await phone.open(link + mark)).body, /You are logging in as <bdi>Reader/);
    }
    const settings = await phone.submit(await phone.open(link), {});
    assert.match(settings.body, /<h1>Settings<\/h1>/);
    const used = await new Browser(service.api).open(link);
    assert.equal(used.status, 410);
    assert.match(used.body, /was used already, or is older than 15.minutes/);
    const late = await desk.submit(waiting, { code });
    assert.equal(late.status, 410);
    assert.match(late.body, /href="\/login"/);
  });

  it('ask an unknown address for a name, without a second mail', async () => {
    const email = 'unknown-reader@example.org';
    const browser = new Browser(service.api);
    const waiting = await browser.submit(await browser.open('/login'), { email }, '/login/mail');
    const { code, link } = await signInMail(email);
    const linked = await new Browser(service.api).open(link);
    assert.match(linked.body, /There is no account for <bdi>unknown-reader@example\.org/);
    assert.match(linked.body, /name="display_name"/);
    const named = await browser.submit(waiting, { code });
    assert.equal(named.status, 422);
    assert.match(named.body, /name="display_name"/);
    const home = await browser.submit(named, { code, display_name: 'Grace' });
    assert.match(home.body, /<bdi>Grace<\/bdi><\/summary>/);
  });

  it('let the owner of an address erase an account that somebody else opened', async () => {
    const stranger = await signUp(service, 'Not <me>');
    const link = await linkTo(stranger.email, '/verify-email');
    const owner = new Browser(service.api);
    const page = await owner.open(link);
    assert.match(page.body, /Did you make this account/);
    assert.match(page.body, /the name <bdi>Not &lt;me&gt;<\/bdi>/);
    const done = await owner.submit(page, {}, '/verify-email/not-me');
    assert.match(done.body, /The account is erased/);
    assert.equal((await stranger.api.get('/v1/me')).status, 401);
    assert.equal((await owner.open(link)).status, 410);
    const verified = await signUp(service, 'Verified');
    const own = await linkTo(verified.email, '/verify-email');
    const asked = await owner.open(own);
    await verifyAddress(service, verified);
    assert.equal((await owner.submit(asked, {}, '/verify-email/not-me')).status, 410);
  });

  it('say that the mail that signs in came back, only to the browser that asked for it', async () => {
    await using server = await startMailServer();
    await using other = await startService({ worker: true, env: { SMTP_URL: server.url } });
    const email = 'grace@exampel.org';
    server.answerTo(email, '550 5.1.1 no such user');
    const browser = new Browser(other.api);
    const login = await browser.open('/login?next=%2Fsignatures');
    const asked = await browser.submit(login, { email }, '/login/mail');
    const challenge = /name="challenge" value="([^"]+)"/.exec(asked.body)![1]!;
    const path = `/login/code?challenge=${challenge}`;
    const cameBack = /The email to <strong><bdi>grace@exampel\.org<\/bdi><\/strong> came back/;
    await eventually(async () => cameBack.test((await browser.open(path)).body), 10_000);
    assert.doesNotMatch((await new Browser(other.api).open(path)).body, /exampel|came back/);
    const bounced = await browser.open(path);
    assert.match(bounced.body, /name="next" value="\/signatures"/);
    const again = await browser.submit(bounced, { email: 'grace@example.org' }, '/login/mail');
    assert.match(again.body, /data-awaits-confirmation/);
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
      const waiting = await browser.submit(form, person);
      const { code } = await signInMail(person.email);
      const home = await browser.submit(waiting, { code });
      assert.match(home.body, /action="\/logout"/);
      assert.doesNotMatch(home.body, /evil\.example/);
    }
  });

  it('confirm an address by a button, not by opening the link', async () => {
    const person = await signUp(service, 'Confirms');
    const browser = await logInBrowser(service, person);
    assert.match((await browser.open('/settings')).body, /not confirmed/);
    const link = await linkTo(person.email, '/verify-email');
    await browser.open(link);
    const asked = await browser.open(link);
    assert.match(asked.headers.get('x-robots-tag')!, /noindex/);
    const confirmed = await browser.submit(asked, {}, '/verify-email');
    assert.match(confirmed.body, /Your email address is confirmed/);
    assert.match((await browser.open('/settings')).body, /class="badge good">confirmed/);
    const used = await browser.submit(asked, {}, '/verify-email');
    assert.equal(used.status, 410);
    assert.match(used.body, /role="alert".*href="\/settings#email"/s);
  });

  it('send another mail for an unconfirmed address', async () => {
    const person = await signUp(service, 'Again');
    const browser = await logInBrowser(service, person);
    const settings = await browser.open('/settings');
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
    const home = await browser.submit(
      login,
      { email: person.email, password: 'battery staple' },
      '/login',
    );
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
    for (const path of ['/register', '/forgot-password', '/reset-password?token=x']) {
      const { body } = await service.api.get(path, { headers });
      assert.match(body, /<html lang="ar" dir="rtl">/);
      const foreign = new Browser(service.api, { origin: 'https://evil.example' });
      assert.equal((await foreign.submit(await foreign.open(path), newcomer)).status, 403);
    }
  });
});
