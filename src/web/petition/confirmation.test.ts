import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startMailServer } from '../../../test/support/mail-server.ts';
import { readMail } from '../../../test/support/mail.ts';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

interface Petition {
  id: string;
  slug: string;
}

describe('the link and the code in the mail that confirms a signature', () => {
  let service: Service;
  let creator: Person;
  let count = 0;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const newAddress = () => `signer-${++count}@example.org`;
  const mailsTo = async (email: string, pattern: RegExp) =>
    (await service.mails())
      .map(readMail)
      .filter(({ to, text }) => to === email && pattern.test(text));

  /** Signs in a browser, as a guest. Returns the link and the code of the mail. */
  const sign = async (petition: Petition, email: string, name: string, language = 'en') => {
    const browser = new Browser(service.api, {
      origin: 'http://petitions.test',
      'accept-language': language,
    });
    const earlier = (await mailsTo(email, /\/confirm\?/)).length;
    const page = await browser.open(`/p/${petition.slug}`);
    const asked = await browser.submit(
      page,
      { display_name: name, email },
      `/p/${petition.slug}/sign`,
    );
    await eventually(async () => (await mailsTo(email, /\/confirm\?/)).length > earlier);
    const { text } = (await mailsTo(email, /\/confirm\?/)).at(-1)!;
    const path = /http:\/\/petitions\.test(\/p\/\S+\/confirm\?token=[\w-]+)/.exec(text)![1]!;
    return { browser, asked, path, code: /: ?(\d{6})\n/.exec(text)![1]!, text };
  };
  const namesOn = async ({ id }: Petition) => {
    const { data } = (await service.api.get(`/v1/petitions/${id}/signatures`)).body;
    return data.map(({ user }: { user: { display_name: string } }) => user.display_name);
  };
  const elsewhere = () => new Browser(service.api);

  it('show the name that was typed for this petition, and let it be corrected', async () => {
    const email = newAddress();
    const [first, second] = [await createPublished(creator), await createPublished(creator)];
    const mistyped = await sign(first, email, 'Gracee Hoper');
    await elsewhere().submit(await elsewhere().open(mistyped.path), {});
    const { path } = await sign(second, email, 'Grace');
    const other = elsewhere();
    const page = await other.open(path);
    assert.match(page.body, /name="display_name"[^>]* value="Grace"/);
    const refused = await other.submit(page, { display_name: ' ' });
    assert.equal(refused.status, 422);
    assert.match(refused.body, /id="display_name-wrong"/);
    await other.submit(refused, { display_name: 'Grace Hopper' });
    assert.deepEqual(await namesOn(first), ['Gracee Hoper']);
    assert.deepEqual(await namesOn(second), ['Grace Hopper']);
    // Exports and the log of events show the same.
    const csv = await creator.api.get(`/v1/petitions/${second.id}/signatures/export?format=csv`);
    assert.match(csv.body, /Grace Hopper/);
  });

  it('lead on where the link was extended, and ask for address and code where it was cut', async () => {
    const petition = await createPublished(creator);
    const email = newAddress();
    const { path, code } = await sign(petition, email, 'Grace');
    for (const mark of ['.', ')', '>', '.)', ',', '”']) {
      const { status, body } = await elsewhere().open(path + encodeURIComponent(mark));
      assert.equal(status, 200);
      assert.match(body, /name="display_name"[^>]* value="Grace"/, mark);
    }
    const reader = elsewhere();
    const cut = [path.slice(0, -5), `/p/${petition.slug}/confirm?token=`];
    for (const one of [...cut, `/p/${petition.slug}/confirm`]) {
      const page = await reader.open(one);
      assert.equal(page.status, 200, one);
      assert.match(page.body, /Enter your email address and the code/);
    }
    const page = await reader.open(cut[0]!);
    const wrong = await reader.submit(page, { email, code: code === '000000' ? '1' : '000000' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.body, new RegExp(`value="${email}"`));
    const unknown = await reader.submit(page, { email: newAddress(), code });
    assert.match(unknown.body, /id="code-wrong"/, 'as a wrong code');
    const signed = await reader.submit(wrong, { email: email.toUpperCase(), code });
    assert.equal(signed.status, 200);
    assert.deepEqual(await namesOn(petition), ['Grace']);
  });

  it('say what is so when they are used again', async () => {
    const petition = await createPublished(creator);
    const { path } = await sign(petition, newAddress(), 'Grace');
    const reader = elsewhere();
    await reader.submit(await reader.open(path), {});
    const again = await elsewhere().open(path);
    assert.equal(again.status, 200);
    assert.match(again.body, /Your signature counts\. There is nothing more to do\./);
    assert.match(again.body, new RegExp(`href="/p/${petition.slug}"`));
    await service.ctx.db`delete from signatures where petition_id = ${petition.id}`;
    assert.match((await elsewhere().open(path)).body, /Your signature is withdrawn/);
  });

  it('let five wrong codes be tried with an address, also at once', async () => {
    const petition = await createPublished(creator);
    const email = newAddress();
    const { code, path } = await sign(petition, email, 'Grace');
    const wrong = code === '000000' ? '000001' : '000000';
    const input = { petition: petition.slug, email };
    const confirm = (more: object) =>
      service.api.post('/v1/signatures/confirm', { ...input, ...more });
    const tried = await Promise.all(Array.from({ length: 5 }, () => confirm({ code: wrong })));
    assert.deepEqual(
      tried.map(({ status }) => status),
      [422, 422, 422, 422, 422],
    );
    assert.equal((await confirm({ code })).body.code, 'too_many_tries');
    const reader = elsewhere();
    await reader.submit(await reader.open(path), {});
    assert.deepEqual(await namesOn(petition), ['Grace']);
  });

  it('say that the credentials of an account end whose address was never proven', async () => {
    const stranger = await signUp(service, 'Stranger');
    const petition = await createPublished(creator);
    const { path } = await sign(petition, stranger.email, 'Owner');
    const owner = elsewhere();
    const page = await owner.open(path);
    assert.match(page.body, /you get an account of your own/);
    await owner.submit(page, {});
    const login = { email: stranger.email, password: stranger.password };
    assert.equal((await service.api.post('/v1/auth/login', login)).status, 401);
    assert.equal((await stranger.api.get('/v1/me')).status, 401);
    await eventually(async () => (await mailsTo(stranger.email, /reset-password/)).length === 1);
    const [mail] = await mailsTo(stranger.email, /reset-password/);
    const token = /reset-password\?token=([\w-]+)/.exec(mail!.text)![1]!;
    const reset = { token, password: 'a password of my own' };
    assert.equal((await service.api.post('/v1/auth/reset-password', reset)).status, 204);
    assert.deepEqual(await namesOn(petition), ['Owner']);
  });

  it('set the language of the account, in which later mails are', async () => {
    const petition = await createPublished(creator);
    const email = newAddress();
    const { path, text } = await sign(petition, email, 'Grace', 'de');
    assert.match(text, /hat mit dieser E-Mail-Adresse diese Petition unterschrieben/);
    const reader = elsewhere();
    await reader.submit(await reader.open(path), {});
    assert.equal((await service.api.post('/v1/auth/forgot-password', { email })).status, 204);
    await eventually(async () => (await mailsTo(email, /reset-password/)).length === 1);
    const [reset] = await mailsTo(email, /reset-password/);
    assert.equal(reset!.subject, 'Neues Passwort festlegen');
    const token = /reset-password\?token=([\w-]+)/.exec(reset!.text)![1]!;
    const password = 'a password of my own';
    await service.api.post('/v1/auth/reset-password', { token, password });
    const { body } = await service.api.post('/v1/auth/login', { email, password });
    const api = service.api.as(body.access_token);
    assert.equal((await api.get('/v1/users/me')).body.data.language, 'de');
    const changed = await api.patch('/v1/users/me', { language: 'fr' });
    assert.equal(changed.body.data.language, 'fr');
    assert.equal((await api.patch('/v1/users/me', { language: 'xx' })).status, 422);
  });

  it('are noticed by the page that waits for them, which needs no session for that', async () => {
    const petition = await createPublished(creator);
    const { browser, asked, path } = await sign(petition, newAddress(), 'Grace');
    assert.match(asked.body, /data-awaits-confirmation/);
    const address = `/p/${petition.slug}/confirm?id=${/name="id" value="([^"]+)"/.exec(asked.body)![1]}`;
    const other = elsewhere();
    assert.doesNotMatch((await other.open(address)).body, /data-awaits-confirmation|@example/);
    await other.submit(await other.open(path), {});
    const noticed = await browser.open(address);
    assert.doesNotMatch(noticed.body, /data-awaits-confirmation/);
    assert.match(noticed.body, /You have confirmed your signature/);
    assert.match(noticed.body, /href="\/login\b/, 'not logged in');
  });

  it('bring a receipt by mail, whose link shows the signature and withdraws it', async () => {
    const petition = await createPublished(creator, { title: 'Open the river path' });
    const email = newAddress();
    const { path } = await sign(petition, email, 'Grace', 'de');
    const reader = elsewhere();
    const page = await reader.open(path);
    await Promise.all([
      reader.submit(page, {}),
      elsewhere().submit(await elsewhere().open(path), {}),
    ]);
    await reader.submit(page, {});
    await eventually(async () => (await mailsTo(email, /\/receipts\//)).length > 0);
    const [receipt, ...more] = await mailsTo(email, /\/receipts\//);
    assert.equal(more.length, 0);
    assert.equal(receipt!.subject, 'Ihre Unterschrift zählt: Behalten Sie diese E-Mail');
    const link = /petitions\.test(\/receipts\/[\w-]+)/.exec(receipt!.text)![1]!;

    const device = elsewhere();
    const shown = await device.open(link);
    assert.match(shown.body, /You signed as <bdi>Grace<\/bdi>/);
    assert.match(shown.body, new RegExp(`href="/p/${petition.slug}"`));
    assert.match(shown.body, /noindex/);
    assert.equal(shown.headers.get('cache-control'), 'no-store');
    assert.deepEqual(await namesOn(petition), ['Grace'], 'opening it changes nothing');
    for (const wrong of [
      `${link}x`,
      link.slice(0, -2),
      '/receipts/x',
      '/receipts/A'.padEnd(54, 'A'),
    ]) {
      assert.equal((await device.open(wrong)).status, 404, wrong);
    }
    const gone = await device.submit(shown, {}, `${link}/withdraw`);
    assert.match(gone.body, /Your signature is withdrawn/);
    assert.deepEqual(await namesOn(petition), []);
    assert.match((await device.open(link)).body, /Your signature is withdrawn/);
    assert.match((await device.submit(shown, {}, `${link}/withdraw`)).body, /is withdrawn/);
  });
});

describe('the page that waits for the confirmation of a signature', () => {
  it('says that the mail came back, only to the browser of the form, with what was typed', async () => {
    await using server = await startMailServer();
    await using service = await startService({ worker: true, env: { SMTP_URL: server.url } });
    const petition = await createPublished(await signUp(service, 'Creator'));
    const typed = { display_name: 'Grace', email: 'grace@exampel.org', is_anonymous: 'on' };
    server.answerTo(typed.email, '550 5.1.1 no such user');
    const browser = new Browser(service.api);
    const page = await browser.open(`/p/${petition.slug}?ref=abc`);
    const asked = await browser.submit(page, typed, `/p/${petition.slug}/sign`);
    assert.match(asked.body, /data-awaits-confirmation/);
    const address = `/p/${petition.slug}/confirm?id=${/name="id" value="([^"]+)"/.exec(asked.body)![1]}`;
    await eventually(
      async () => !(await browser.open(address)).body.includes('data-awaits-confirmation'),
      10_000,
    );
    const bounced = await browser.open(address);
    assert.match(
      bounced.body,
      /The email to <strong><bdi>grace@exampel\.org<\/bdi><\/strong> came back/,
    );
    const stranger = await new Browser(service.api).open(address);
    assert.doesNotMatch(stranger.body, /exampel|came back/);

    const corrected = { email: 'grace@example.org' };
    const again = await browser.submit(bounced, corrected, `/p/${petition.slug}/sign`);
    assert.match(again.body, /data-awaits-confirmation/);
    assert.match(again.body, /grace@example\.org/);
    const rows = await service.ctx.db`
      select display_name, input from pending_signatures where email = ${corrected.email}`;
    assert.equal(rows[0]!.display_name, 'Grace');
    assert.equal(rows[0]!.input.is_anonymous, true);
    assert.equal(rows[0]!.input.ref, 'abc');

    // The bounce of before says nothing about a form that was sent since.
    server.answerTo(typed.email, undefined);
    const third = await browser.submit(page, typed, `/p/${petition.slug}/sign`);
    assert.match(third.body, /data-awaits-confirmation/);
  });
});
