import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Browser, formOf } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import { signUp } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const withoutAdmin = { ADMIN_EMAIL: '', ADMIN_PASSWORD: '' };
const administrator = {
  display_name: 'Olga',
  email: 'olga@city.example',
  password: 'seven blue lanterns',
};

/** The path of the link that a new instance prints. */
async function linkOf(service: Service): Promise<string> {
  const link = await service.app.offerSetup();
  assert.ok(link?.startsWith('http://petitions.test/setup?token='));
  return link!.slice('http://petitions.test'.length);
}

const administrators = (service: Service) =>
  service.ctx.db.value<number>`select count(*)::int from users where role = 'admin'`;

describe('the set-up of a new instance', () => {
  it('makes an administrator and settings by a link that a form uses up, not a GET', async () => {
    await using service = await startService({ worker: true, env: withoutAdmin });
    const path = await linkOf(service);
    assert.equal(await linkOf(service), path, 'every process prints the same');
    const stored = JSON.stringify(await service.ctx.db`select * from site_setup`);
    assert.ok(!stored.includes(new URL(path, 'http://a').searchParams.get('token')!));
    const browser = new Browser(service.api);
    assert.equal((await service.api.get('/')).status, 200);
    for (const method of ['HEAD', 'GET', 'GET']) {
      assert.equal((await service.api.send(method, path)).status, 200);
    }
    const page = await browser.open(path);
    const late = new Browser(service.api);
    const latePage = await late.open(path);
    const refused = await browser.submit(page, { ...administrator, password: 'password' });
    assert.equal(refused.status, 422);
    assert.equal(formOf(refused).fields.display_name, 'Olga');
    assert.equal(await administrators(service), 0);
    const done = await browser.submit(refused, {
      ...administrator,
      name: 'Our City',
      accent: '#7b3fe4',
      languages: ['de', 'en'],
      default_language: 'de',
      imprint: 'Our City\n\nTown hall 1',
    });
    assert.match(String(done.body), /<h1>Einstellungen der Website<\/h1>/);
    assert.match(String(done.body), /role="status">Ihre Website ist eingerichtet/);
    const { data } = (await service.api.get('/v1/site')).body;
    assert.deepEqual(
      [data.name, data.accent, data.languages, data.default_language, data.tagline],
      ['Our City', '#7b3fe4', ['en', 'de'], 'de', null],
    );
    const imprint = String((await service.api.get('/imprint')).body);
    assert.match(imprint, /<h1[^>]*>Impressum<\/h1>.*<p>Town hall 1<\/p>/s);
    const test = async () => (await service.mails()).map(readMail);
    await eventually(async () => (await test()).length === 1);
    const [mail] = await test();
    assert.equal(mail!.subject, 'A test mail of Our City');
    assert.equal((await service.api.get(path)).status, 410);
    assert.equal((await late.submit(latePage, administrator)).status, 410);
    assert.equal(await service.app.offerSetup(), undefined);
    assert.equal(await administrators(service), 1);
  });

  it('can be skipped but for the administrator', async () => {
    await using service = await startService({ env: withoutAdmin });
    const browser = new Browser(service.api);
    const done = await browser.submit(await browser.open(await linkOf(service)), administrator);
    assert.match(String(done.body), /Your site is set up/);
    const rows = await service.ctx.db`select from site_settings`;
    assert.equal(rows.length, 0);
  });

  it('makes one administrator, however many send the form at once', async () => {
    await using service = await startService({ env: withoutAdmin });
    const path = await linkOf(service);
    const pages = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const browser = new Browser(service.api);
        return { browser, page: await browser.open(path), n };
      }),
    );
    const statuses = await Promise.all(
      pages.map(async ({ browser, page, n }) => {
        const email = `olga-${n}@city.example`;
        return (await browser.submit(page, { ...administrator, email })).status;
      }),
    );
    assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join(' '));
    assert.equal(statuses.filter((status) => status === 410).length, 49, statuses.join(' '));
    assert.equal(await administrators(service), 1);
    assert.equal(await service.ctx.db.value<number>`select count(*)::int from users`, 1);
  });

  it('is over after a day; then the next start makes another link', async () => {
    await using service = await startService({ env: withoutAdmin });
    const path = await linkOf(service);
    // Somebody opened an account meanwhile.
    await signUp(service);
    service.advanceClock(24 * 3600 * 1000 + 1000);
    assert.equal((await service.api.get(path)).status, 410);
    const next = await linkOf(service);
    assert.notEqual(next, path);
    assert.equal((await service.api.get(path)).status, 410);
    assert.equal((await service.api.get(next)).status, 200);
  });

  it('is not for instances that have an administrator, or were in use before', async () => {
    await using withAdmin = await startService();
    assert.equal(await withAdmin.app.offerSetup(), undefined);
    await using used = await startService({ env: withoutAdmin });
    await signUp(used);
    assert.equal(await used.app.offerSetup(), undefined);
    assert.equal((await used.api.get('/setup?token=none')).status, 410);
    assert.equal((await used.api.get('/setup')).status, 410);
  });

  it('is mailed to ADMIN_EMAIL without ADMIN_PASSWORD', async () => {
    const env = { ...withoutAdmin, ADMIN_EMAIL: 'olga@city.example' };
    await using service = await startService({ worker: true, env });
    assert.equal(await service.app.offerSetup(), undefined);
    assert.equal(await service.app.offerSetup(), undefined);
    await eventually(async () => (await service.mails()).length > 0);
    const mails = (await service.mails()).map(readMail);
    assert.equal(mails.length, 1);
    const [, path] = /http:\/\/petitions\.test(\/setup\S+)/.exec(mails[0]!.text)!;
    assert.equal((await service.api.get(path!)).status, 200);
  });
});
