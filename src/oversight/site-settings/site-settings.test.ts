import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import { uploadAndConfirm } from '../../../test/support/pictures.ts';
import {
  createPublished,
  logInAsAdmin,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const initial = {
  name: 'Open Petitions',
  tagline: null,
  accent: '#0b6b4d',
  logo_url: null,
  languages: ['en', 'fr', 'es', 'de', 'ar'],
  default_language: 'en',
  modules: {
    promotion: true,
    phone: true,
    comments: true,
    map: true,
    organizations: true,
    developers: true,
  },
};

describe('the settings of the site', () => {
  let service: Service;
  let other: Service;
  let admin: Person;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true, env: { MODERATION: 'reports' } });
    other = await startService({ beside: service });
    admin = await logInAsAdmin(service);
    creator = await signUp(service, 'Creator');
  });
  after(async () => {
    await other[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const change = async (body: object) => {
    const { status, body: answer } = await admin.api.patch('/v1/admin/site', body);
    assert.equal(status, 200, JSON.stringify(answer));
    return answer.data;
  };
  const page = async (path: string, headers: Record<string, string> = {}, from = service) =>
    String((await from.api.get(path, { headers: { accept: 'text/html', ...headers } })).body);

  it('are read by everybody, and changed by administrators', async () => {
    const { status, body } = await service.api.get('/v1/site');
    assert.equal(status, 200);
    assert.deepEqual(body.data, initial);
    assert.equal((await service.api.get('/v1/admin/site')).status, 401);
    assert.equal((await creator.api.get('/v1/admin/site')).status, 403);
    assert.equal((await creator.api.patch('/v1/admin/site', { name: 'Mine' })).status, 403);
    assert.deepEqual((await admin.api.get('/v1/admin/site')).body.data, {
      ...initial,
      contact_email: null,
      mail_from_name: { value: null, fixed: false },
      mail_reply_to: { value: null, fixed: false },
      signup: 'open',
      moderation: { value: 'reports', fixed: true },
      signature_policy: { value: 'open', fixed: false },
    });
  });

  it('name and colour pages, mails, cards, feeds, embeds and the description', async () => {
    const petition = await createPublished(creator, { title: 'Room for hedgehogs' });
    const cardOf = (text: string) => /card\.jpg[^"]*/.exec(text)?.[0];
    const card = cardOf(await page(`/p/${petition.slug}`));
    const shown = await change({ name: ' Our <City> ', accent: '#E3000F', tagline: 'For all' });
    assert.equal(shown.name, 'Our <City>');
    assert.equal(shown.accent, '#e3000f');
    const name = 'Our &lt;City&gt;';
    for (const path of [
      '/',
      '/petitions',
      '/login',
      '/docs',
      '/errors',
      '/respond/none',
      '/none',
    ]) {
      const body = await page(path);
      assert.ok(body.includes(`<a class="brand" href="/">${name}</a>`), path);
      assert.ok(body.includes('/assets/theme-e3000f-'), path);
      assert.doesNotMatch(body, /Open Petitions/, path);
    }
    await eventually(async () => cardOf(await page(`/p/${petition.slug}`)) !== card);
    const styles = /\/assets\/theme-[\w-]+\.css/.exec(await page('/'))![0];
    const theme = await service.api.get(styles);
    assert.equal(theme.status, 200);
    assert.match(String(theme.body), /^:root\{--act:light-dark\(#/);
    assert.equal((await service.api.get('/assets/theme-e3000f-0.css')).status, 404);
    for (const [path, expected] of [
      [`/embed/p/${petition.slug}`, `<small>${name} `],
      ['/feeds/new.atom', `<name>${name}</name>`],
      ['/changelog.atom', name],
      ['/llms.txt', '# Our <City>: API'],
      ['/openapi.json', '"title":"Our <City>"'],
      ['/openapi.yaml', 'title: Our <City>'],
      [`/v1/oembed?url=${service.ctx.config.baseUrl}/p/${petition.slug}`, '"Our <City>"'],
    ] as const) {
      const { body } = await service.api.get(path);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      assert.ok(text.includes(expected), path);
      assert.doesNotMatch(text, /Open Petitions/, path);
    }
    await service.api.post('/v1/auth/forgot-password', { email: creator.email });
    await eventually(async () => (await service.mails()).some((mail) => /reset/.test(mail)));
    const mail = (await service.mails()).at(-1)!;
    assert.match(mail, /^From: "Our <City>" <no-reply@petitions\.test>$/m);
    assert.match(readMail(mail).html, /<p class="site"><a href="[^"]*">Our &lt;City&gt;<\/a>/);
    await change({ mail_from_name: 'The team', mail_reply_to: 'team@city.example' });
    const { length } = await service.mails();
    await service.api.post('/v1/auth/forgot-password', { email: creator.email });
    await eventually(async () => (await service.mails()).length > length);
    const second = (await service.mails()).at(-1)!;
    assert.match(second, /^From: The team <no-reply@petitions\.test>$/m);
    assert.match(second, /^Reply-To: team@city\.example$/m);
  });

  it('show in another process within two seconds, without a query per request', async () => {
    const body = await page('/petitions', {}, other);
    const begin = performance.now();
    await change({ name: 'Quick', modules: { map: false } });
    await eventually(async () => /Quick<\/a>/.test(await page('/petitions', {}, other)));
    assert.ok(performance.now() - begin < 2000, body.slice(0, 0));
    const { body: site } = await other.api.get('/v1/site');
    assert.equal(site.data.name, 'Quick');
    assert.deepEqual(site.data.modules, { ...initial.modules, map: false });
    await change({ modules: { map: true } });
  });

  it('offer languages, the default one to readers of others', async () => {
    await change({ languages: ['de', 'fr'], default_language: 'fr' });
    const languageFor = async (wanted: string) =>
      /<html lang="(\w+)"/.exec(await page('/login', { 'accept-language': wanted }))![1];
    assert.equal(await languageFor('de'), 'de');
    assert.equal(await languageFor('es'), 'fr');
    assert.equal(await languageFor('*'), 'fr');
    const options = [...(await page('/login')).matchAll(/<option value="(\w+)"/g)];
    assert.deepEqual(
      options.map(([, one]) => one),
      ['fr', 'de'],
    );
    const refused = await admin.api.patch('/v1/admin/site', { languages: ['de'] });
    assert.equal(refused.status, 422);
    assert.equal(refused.body.errors[0].field, 'default_language');
    assert.deepEqual((await change({ languages: null, default_language: null })).languages, [
      ...initial.languages,
    ]);
  });

  it('are refused where they are fixed or malformed', async () => {
    const fixed = await admin.api.patch('/v1/admin/site', { moderation: 'pre', name: 'No' });
    assert.equal(fixed.status, 409);
    assert.equal(fixed.body.code, 'setting_fixed');
    for (const [body, field] of [
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(61) }, 'name'],
      [{ name: '\u200b' }, 'name'],
      [{ accent: 'red' }, 'accent'],
      [{ languages: [] }, 'languages'],
      [{ languages: ['xx'] }, 'languages.0'],
      [{ contact_email: 'nobody' }, 'contact_email'],
      [{ mail_from_name: 'A <a@b.example>' }, 'mail_from_name'],
      [{ modules: { comments: 'off' } }, 'modules.comments'],
      [{ modules: { everything: false } }, 'modules'],
      [{ logo_url: 'https://pictures.example/a.png' }, 'logo_url'],
      [{ signup: 'maybe' }, 'signup'],
    ] as const) {
      const { status, body: answer } = await admin.api.patch('/v1/admin/site', body);
      assert.equal(status, 422, JSON.stringify(body));
      assert.ok(answer.errors[0].field.startsWith(field), JSON.stringify(answer.errors));
    }
    assert.notEqual((await service.api.get('/v1/site')).body.data.name, 'No');
  });

  it('can be undone one by one, each on record', async () => {
    await change({ name: 'First', tagline: 'A line' });
    await change({ name: 'Second' });
    const { body } = await admin.api.get('/v1/admin/site/changes?limit=3');
    const [second, ...first] = body.data;
    assert.deepEqual([second.name, second.before, second.after], ['name', 'First', 'Second']);
    assert.equal(second.changed_by.display_name, 'Administrator');
    assert.deepEqual(
      new Set(first.map(({ name }: { name: string }) => name)),
      new Set(['name', 'tagline']),
    );
    const undo = (id: string) => admin.api.post(`/v1/admin/site/changes/${id}/undo`);
    const undone = await undo(second.id);
    assert.equal(undone.status, 200);
    assert.equal(undone.body.data.name, 'First');
    assert.equal((await service.api.get('/v1/site')).body.data.name, 'First');
    assert.equal((await undo('00000000-0000-7000-8000-000000000000')).status, 404);
    const [entry] = (await admin.api.get('/v1/admin/audit-logs?action=site.change')).body.data;
    assert.equal(entry.details.settings, 'name');
    const rest = await admin.api.get(
      `/v1/admin/site/changes?cursor=${body.pagination.next_cursor}`,
    );
    assert.ok(rest.body.data.length > 3);
  });

  it('change one after the other, however many at once', async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        change({ tagline: `Line ${n}`, modules: { phone: n % 2 === 0 } }),
      ),
    );
    const { body } = await admin.api.get('/v1/admin/site/changes?limit=100');
    const taglines = body.data.filter(({ name }: { name: string }) => name === 'tagline');
    // Each began from what the one before it had made.
    for (let n = 0; n < 9; n += 1) assert.equal(taglines[n].before, taglines[n + 1].after);
  });

  it('have a logo, of which a copy is kept', async () => {
    const png = await sharp({
      create: { width: 900, height: 300, channels: 4, background: '#e3000f80' },
    })
      .png()
      .toBuffer();
    const upload = await uploadAndConfirm(service, admin, {
      bytes: png,
      content_type: 'image/png',
    });
    let variants: { url: string }[] = [];
    await eventually(async () => {
      variants = (await admin.api.get(`/v1/media/${upload.body.data.id}`)).body.data.variants;
      return variants.length > 0;
    });
    const shown = await change({ logo_url: variants.at(-1)!.url });
    assert.match(shown.logo_url, /^http:\/\/petitions\.test\/logo\/[\w-]{22}\.png$/);
    assert.equal((await change({ logo_url: shown.logo_url })).logo_url, shown.logo_url);
    assert.equal((await change({ logo_url: null })).logo_url, null);
  });

  it('close sign-up, and signing by mail goes on', async () => {
    await change({ signup: 'closed' });
    const person = {
      email: 'new@example.org',
      password: 'correct horse battery',
      display_name: 'N',
    };
    const refused = await service.api.post('/v1/auth/register', person);
    assert.equal(refused.status, 403);
    assert.equal(refused.body.code, 'signup_closed');
    const petition = await createPublished(creator, { title: 'Signed by mail' });
    const path = `/v1/petitions/${petition.id}/signatures/pending`;
    const pending = await service.api.post(path, { display_name: 'Any', email: 'any@example.org' });
    assert.equal(pending.status, 202);
    await change({ signup: null });
    assert.equal((await service.api.post('/v1/auth/register', person)).status, 201);
  });
});
