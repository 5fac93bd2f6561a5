import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { Browser, formOf, logInBrowser } from '../../../test/support/browser.ts';
import { solvedToken } from '../../../test/support/captcha.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import {
  createPublished,
  logInAsAdmin,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { cookies } from '../../platform/cookies.ts';
import { languages } from '../../platform/pages/language.ts';
import { retentionRules } from '../../platform/retention.ts';

describe('pages about the site', () => {
  let service: Service;
  let admin: Person;
  before(async () => {
    service = await startService({ worker: true });
    admin = await logInAsAdmin(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const put = async (page: string, language: string, title: string, body: string) => {
    const path = `/v1/admin/site/pages/${page}/${language}`;
    const { status, body: answer } = await admin.api.put(path, { title, body });
    assert.equal(status, 200, JSON.stringify(answer));
  };
  const show = async (path: string, language = 'en') => {
    const headers = { accept: 'text/html', 'accept-language': language };
    const { status, body } = await service.api.get(path, { headers });
    return { status, body: String(body) };
  };

  it('say that the text is that of the software', async () => {
    const { status, body } = await show('/about');
    assert.equal(status, 200);
    assert.match(body, /<h1[^>]*>About Open Petitions<\/h1>/);
    assert.match(body, /This is the text of the software/);
    assert.match((await show('/accessibility', 'de')).body, /<h1[^>]*>Barrierefreiheit<\/h1>/);
  });

  it('are linked where they exist', async () => {
    const linksIn = (body: string) =>
      [
        ...body.matchAll(/<li><a href="\/(about|contact|privacy|terms|imprint|accessibility)"/g),
      ].map(([, name]) => name);
    assert.equal((await show('/imprint')).status, 404);
    const linked = linksIn((await show('/')).body);
    await put('imprint', 'en', 'Imprint', 'Our City, 1 Harbour Street');
    const imprint = await show('/imprint', 'fr');
    assert.equal(imprint.status, 200);
    assert.match(imprint.body, /<h1 lang="en" dir="ltr">Imprint<\/h1>/);
    assert.match(imprint.body, /Version 1 du <time/);
    assert.doesNotMatch(imprint.body, /texte est celui du logiciel/);
    assert.deepEqual(
      new Set(linksIn((await show('/petitions')).body)),
      new Set([...linked, 'imprint']),
    );
  });

  it('are in the language of the reader, the default one, or any', async () => {
    await put('terms', 'de', 'Bedingungen', 'Seien Sie freundlich.');
    assert.match((await show('/terms', 'es')).body, /Seien Sie freundlich/);
    await put('terms', 'en', 'Terms', 'Be kind.');
    const page = (await show('/terms', 'es')).body;
    assert.match(page, /Be kind/);
    assert.match(page, /href="\/terms\?language=de" lang="de" hreflang="de" dir="auto">Deutsch</);
    assert.match((await show('/terms', 'de')).body, /Seien Sie freundlich/);
    assert.match((await show('/terms?language=de')).body, /Seien Sie freundlich/);
  });

  it('keep earlier versions', async () => {
    await put('terms', 'en', 'Terms', 'Be kind to everybody.');
    const earlier = (await show('/terms?version=1')).body;
    assert.match(earlier, /<p>Be kind\.<\/p>/);
    assert.match(earlier, /This is an earlier version/);
    assert.doesNotMatch((await show('/terms?version=2')).body, /This is an earlier version/);
    for (const version of ['3', '0', 'x', '99999999999']) {
      assert.equal((await show(`/terms?version=${version}`)).status, 404, version);
    }
  });

  it('are written by administrators, from the text of the software', async () => {
    const browser = await logInBrowser(service, admin);
    const list = String((await browser.open('/admin/site/pages')).body);
    assert.match(list, /href="\/admin\/site\/pages\/about\/fr"/);
    const path = '/admin/site/pages/about/fr';
    const first = await browser.open(path);
    assert.match(String(first.body), /C’est|Ce texte|This is the text of the software/);
    const { fields } = formOf(first, path);
    assert.equal(fields.title, 'À propos de Open Petitions');
    assert.match(fields.body!, /^Open Petitions est un lieu/);
    const refused = await browser.submit(first, { title: '' }, path);
    assert.equal(refused.status, 422);
    const saved = await browser.submit(first, { body: 'Bonjour à **tous**.' }, path);
    assert.match(String(saved.body), /The page is published/);
    assert.match((await show('/about', 'fr')).body, /Bonjour à <strong>tous<\/strong>/);
    const late = await browser.submit(first, { body: 'Bonsoir.' }, path);
    assert.equal(late.status, 412);
    const restored = await browser.submit(saved, {}, `${path}/restore`);
    assert.match(String(restored.body), /It stays among the versions/);
    assert.match((await show('/about', 'fr')).body, /est un lieu pour les pétitions/);
    assert.equal((await browser.open('/admin/site/pages/about/xx')).status, 404);
    assert.equal((await browser.open('/admin/site/pages/jobs/en')).status, 404);
    const imprint = await browser.open('/admin/site/pages/imprint/de');
    assert.match(String(imprint.body), /The software has no text for this page/);
    const other = await logInBrowser(service, await signUp(service, 'Other'));
    assert.equal((await other.open(path)).status, 404);
  });

  it('say how long everything is kept that a job deletes, and which cookies there are', async () => {
    for (const language of languages) {
      const { texts } = JSON.parse(
        `{"texts":${readFileSync(`locales/${language}/own-pages.json`, 'utf8')}}`,
      ) as { texts: Record<string, string> };
      const page = textIn((await show('/privacy', language)).body);
      const shows = (key: string, values: Record<string, string>) => {
        const sentence = Object.entries(values).reduce(
          (text, [name, value]) => text.replace(`{{${name}}}`, value),
          textIn(texts[key]!.replaceAll('**', '')),
        );
        assert.ok(page.includes(textIn(sentence)), `${language}: ${sentence}`);
      };
      for (const [id, { amount, unit }] of Object.entries(retentionRules)) {
        shows(`keeps_${id}`, { time: duration(language, amount, unit) });
      }
      for (const [id, { name, seconds }] of Object.entries(cookies)) {
        const [size, unit] = ([[86_400, 'day'] as const, [3600, 'hour'] as const].find(
          ([one]) => seconds >= one,
        ) ?? [60, 'minute']) as [number, string];
        shows(`cookie_${id}`, { name, time: duration(language, seconds / size, unit) });
      }
    }
  });

  it('know every job that deletes, and every cookie', () => {
    const sources = globSync('src/**/*.ts').filter((path) => !path.endsWith('.test.ts'));
    const withRule = new Set<string | null>(Object.values(retentionRules).map(({ job }) => job));
    const unknown = sources.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/job: '([\w-]+)', cron:/g)]
        .map(([, job]) => job!)
        .filter((job) => !withRule.has(job) && !jobsWithoutRule.has(job)),
    );
    assert.deepEqual(unknown, [], 'add a rule to src/platform/retention.ts, and its sentences');
    const setting = sources.filter((path) =>
      readFileSync(path, 'utf8').includes('stringifySetCookie('),
    );
    assert.deepEqual(setting, ['src/platform/cookies.ts']);
  });

  it('name the servers that get something', async () => {
    await using busy = await startService({
      env: {
        SMTP_URL: 'smtp://127.0.0.1:2525',
        CAPTCHA: 'hcaptcha',
        CAPTCHA_SITE_KEY: 'key',
        CAPTCHA_SECRET: 'secret',
      },
    });
    const page = textIn(String((await busy.api.get('/privacy')).body));
    assert.match(page, /go through the mail server 127\.0\.0\.1\./);
    assert.match(page, /loads from hcaptcha,/);
    const plain = textIn((await show('/privacy')).body);
    assert.doesNotMatch(plain, /mail server|loads from/);
  });
});

describe('the version of the page on privacy', () => {
  let service: Service;
  let admin: Person;
  before(async () => {
    service = await startService({ worker: true });
    admin = await logInAsAdmin(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const versionsOf = (petitionId: string) =>
    service.ctx.db.column<number | null>`
      select privacy_version from signatures where petition_id = ${petitionId} order by id`;

  it('is remembered by signatures of the form that names it', async () => {
    const { id, slug } = await createPublished(admin);
    const path = `/p/${slug}/sign`;
    const sign = async (person: Person, more: Record<string, string> = {}) => {
      const browser = await logInBrowser(service, person);
      const page = await browser.open(`/p/${slug}`);
      await browser.submit(page, more, path);
      return String(page.body);
    };
    assert.match(await sign(await signUp(service, 'One')), /<a href="\/privacy">What is kept/);
    for (const body of ['One.', 'Two.']) {
      const text = { title: 'Privacy', body };
      assert.equal((await admin.api.put('/v1/admin/site/pages/privacy/en', text)).status, 200);
    }
    assert.match(
      await sign(await signUp(service, 'Two')),
      /accept <a rel="nofollow" href="\/privacy\?language=en&amp;version=2">version 2 of the privacy policy<\/a>/,
    );
    await sign(await signUp(service, 'Three'), { privacy_version: 'x' });
    const { api } = await signUp(service, 'Four');
    await api.post(`/v1/petitions/${id}/signatures`);
    assert.deepEqual(await versionsOf(id), [null, 2, null, null]);
    const guest = new Browser(service.api);
    const guestFields = { display_name: 'Guest', email: 'guest@example.org' };
    await guest.submit(await guest.open(`/p/${slug}`), guestFields, path);
    const [pending] = await service.ctx.db.column<{ privacyVersion: number }>`
      select input from pending_signatures where petition_id = ${id}`;
    assert.equal(pending!.privacyVersion, 2);
  });
});

describe('the contact form', () => {
  let service: Service;
  let admin: Person;
  before(async () => {
    service = await startService({
      worker: true,
      env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1', CAPTCHA: 'altcha' },
    });
    admin = await logInAsAdmin(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const browserAt = (ip: string) => new Browser(service.api.with({ 'x-forwarded-for': ip }));
  const message = { name: 'Grace', email: 'grace@example.org', message: 'The map\n\nis empty.' };
  const write = async (browser: Browser, more: Record<string, string> = {}) =>
    browser.submit(
      await browser.open('/contact'),
      { ...message, recaptchaToken: await solvedToken(service), ...more },
      '/contact',
    );

  it('is nowhere without an address', async () => {
    const browser = browserAt('192.0.2.1');
    assert.equal((await browser.open('/contact')).status, 404);
    assert.equal((await browser.send('/contact', message)).status, 404);
    assert.doesNotMatch(String((await browser.open('/about')).body), /href="\/contact"/);
  });

  it('mails what was written, to be answered', async () => {
    await admin.api.patch('/v1/admin/site', { contact_email: 'office@example.org' });
    const browser = browserAt('192.0.2.2');
    assert.match(String((await browser.open('/about')).body), /href="\/contact"/);
    assert.match(String((await browser.open('/accessibility')).body), /\/contact"/);
    assert.equal((await write(browser, { email: 'none', message: ' ' })).status, 422);
    assert.match(String((await write(browser)).body), /Your message is on its way/);
    await eventually(async () => (await service.mails()).some((eml) => /office@/.test(eml)));
    const eml = (await service.mails()).find((one) => /office@/.test(one))!;
    const { to, subject, text } = readMail(eml);
    assert.equal(to, 'office@example.org');
    assert.equal(subject, 'Message from Grace');
    assert.match(text, /Grace \(grace@example\.org\) wrote[^]*The map\n\nis empty\./);
    assert.match(eml, /^Reply-To: grace@example\.org/m);
  });

  it('takes 3 messages a day of an address, 5 of a network, and few without a check', async () => {
    const one = browserAt('192.0.2.3');
    for (const text of ['one', 'two', 'three']) {
      const page = await write(one, { email: 'ada@example.org', message: text });
      assert.match(String(page.body), /is on its way/);
    }
    assert.equal((await write(one, { email: 'ada@example.org' })).status, 429);
    assert.equal((await write(browserAt('192.0.2.4'), { email: 'ada@example.org' })).status, 429);
    const other = browserAt('192.0.2.5');
    for (const n of [1, 2, 3, 4, 5]) {
      assert.equal((await write(other, { email: `ada${n}@example.org` })).status, 200);
    }
    assert.equal((await write(other, { email: 'ada6@example.org' })).status, 429);
    const quick = browserAt('192.0.2.6');
    for (const n of [1, 2, 3]) {
      const page = await write(quick, { email: `bob${n}@example.org`, recaptchaToken: '' });
      assert.equal(page.status, 200);
    }
    const refused = await write(quick, { email: 'bob4@example.org', recaptchaToken: '' });
    assert.equal(refused.status, 422);
    assert.match(String(refused.body), /Switch JavaScript on/);
    assert.match(String(refused.body), /The map/);
  });
});

/** Scheduled jobs that delete nothing, or what no record uses any more, whatever its age. */
const jobsWithoutRule = new Set([
  'publish-due-responses',
  'remind-unconfirmed-signatures',
  'reread-late-places',
  'sweep-picture-copies',
]);

/** The text of a page: without marks, and with plain spaces. */
const textIn = (html: string): string =>
  html
    .replaceAll(/<[^>]*>|[\u2066-\u2069]/g, '')
    .replaceAll(/[\s\u00a0\u202f]+/g, ' ')
    .trim();

const duration = (language: string, amount: number, unit: string): string =>
  new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(amount);
