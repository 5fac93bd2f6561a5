import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, formOf, logInBrowser } from '../../../test/support/browser.ts';
import type { Answer } from '../../../test/support/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createDraft,
  createTokens,
  createPublished,
  signUp,
  type Person,
  verifyAddress,
} from '../../../test/support/people.ts';
import { noiseImage } from '../../../test/support/pictures.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { maxBytes } from '../../campaigns/media/schema.ts';
import { directionOf, languages } from '../../platform/pages/language.ts';
import { summaryQuota } from '../../campaigns/decision-makers/summary-file.ts';

describe('the dashboard', () => {
  let service: Service;
  let creator: Person;
  let browser: Browser;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    browser = await logInBrowser(service, creator);
  });
  after(() => service[Symbol.asyncDispose]());

  const shows = (page: Answer, text: string | RegExp, status = 200) => {
    assert.equal(page.status, status, page.body);
    assert.match(page.body, text instanceof RegExp ? text : new RegExp(RegExp.escape(text)));
  };
  const hides = (page: Answer, text: string) => assert.ok(!page.body.includes(text), text);

  it('redirects from its former addresses', async () => {
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await fetch(`${service.origin}/desk/keys?cursor=a/desk`, {
        method,
        redirect: 'manual',
      });
      assert.deepEqual([status, headers.get('location')], [308, '/dashboard/keys?cursor=a/desk']);
    }
    const { url } = await fetch(`${service.origin}/desk`);
    assert.equal(url, `${service.origin}/login?next=%2Fdashboard`);
  });

  describe('the list on the dashboard', () => {
    it('redirects to the login and back', async () => {
      const stranger = new Browser(service.api);
      const page = await stranger.open('/dashboard');
      shows(page, 'name="password"');
      const { email, password } = creator;
      shows(await stranger.submit(page, { email, password }, '/login'), 'My petitions');
    });

    it('shows only own petitions, by state', async () => {
      const person = await signUp(service);
      const own = await logInBrowser(service, person);
      shows(await own.open('/dashboard'), 'You have no petitions yet.');
      await createDraft(person, { title: 'A <draft> of mine' });
      await createPublished(person, { title: 'One that is open' });
      const all = await own.open('/dashboard');
      shows(all, 'A &lt;draft&gt; of mine');
      shows(all, 'One that is open');
      const drafts = await own.open('/dashboard?status=draft');
      shows(drafts, 'A &lt;draft&gt; of mine');
      hides(drafts, 'One that is open');
      hides(await browser.open('/dashboard'), 'One that is open');
    });

    it('links to the next page', async () => {
      const person = await signUp(service);
      for (let n = 0; n < 21; n += 1) await createDraft(person, { title: `Draft number ${n}` });
      const own = await logInBrowser(service, person);
      const first = await own.open('/dashboard');
      hides(first, 'Draft number 0<');
      const [, more] = /href="(\/dashboard\?cursor=[^"]+)"/.exec(first.body)!;
      shows(await own.open(more!), 'Draft number 0<');
    });

    it('is available in every language, in Arabic from right to left', async () => {
      for (const language of languages) {
        const page = await service.api.get('/dashboard', {
          headers: { cookie: `${browser.cookies}; language=${language}` },
        });
        shows(page, `lang="${language}" dir="${directionOf(language)}"`);
      }
    });
  });

  describe('a petition on the dashboard', () => {
    it('is accessible to its creator only', async () => {
      const petition = await createPublished(creator);
      const at = `/dashboard/petitions/${petition.id}`;
      const other = await logInBrowser(service, await signUp(service));
      const pages = [
        '',
        '/edit',
        '/updates',
        '/decision-makers',
        '/figures',
        '/promotion',
        '/finish',
      ];
      for (const page of pages) {
        assert.equal((await browser.open(at + page)).status, 200, page);
        assert.equal((await other.open(at + page)).status, 403, page);
      }
      const hidden = await createDraft(creator);
      assert.equal((await other.open(`/dashboard/petitions/${hidden.id}`)).status, 404);
      assert.equal((await other.open(`/start/${hidden.id}/details`)).status, 404);
      // As for an id that nobody has: a new draft.
      assert.doesNotMatch((await other.open(`/start/${hidden.id}`)).body, new RegExp(hidden.title));
      assert.equal((await other.open(`${at}/signatures.csv`)).status, 403);
    });

    it('rejects forms that another site may have sent with 403', async () => {
      const { id } = await createPublished(creator);
      const page = await browser.open(`/dashboard/petitions/${id}/finish`);
      const action = `/dashboard/petitions/${id}/close`;
      const { fields } = formOf(page, action);
      const send = (form: Record<string, string>, headers: Record<string, string>) =>
        service.api.send('POST', action, new URLSearchParams(form).toString(), {
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            cookie: browser.cookies,
            ...headers,
          },
        });
      assert.equal((await send({}, { origin: 'http://petitions.test' })).status, 403);
      assert.equal((await send(fields, { origin: 'http://evil.example' })).status, 403);
      assert.equal((await creator.api.get(`/v1/petitions/${id}`)).body.data.status, 'active');
    });

    it('shows what cannot be undone, and whom it reaches, before it does it', async () => {
      const { id } = await createPublished(creator);
      const signer = await signUp(service);
      await signer.api.post(`/v1/petitions/${id}/signatures`);
      const at = `/dashboard/petitions/${id}`;
      const read = async () => (await creator.api.get(`/v1/petitions/${id}`)).body.data;
      const updates = async () => (await service.api.get(`/v1/petitions/${id}/updates`)).body.data;

      const update = { title: 'News', body: 'It is **lit**.' };
      const preview = await browser.submit(await browser.open(`${at}/updates`), update);
      shows(preview, '<strong>lit</strong>');
      shows(preview, '1 person who signed is told.');
      assert.equal((await updates()).length, 0);
      const form = await browser.submit(preview, { go: 'change' });
      shows(form, 'value="News"');
      shows(await browser.submit(preview, {}), 'The update is posted');
      assert.equal((await updates())[0].body, update.body);

      const message = { victory_message: 'The *light* is on.' };
      const finish = await browser.open(`${at}/finish`);
      shows(await browser.submit(finish, {}, `${at}/close`), 'Nobody is told.');
      const victory = await browser.submit(finish, message, `${at}/victory`);
      shows(victory, '<em>light</em>');
      assert.equal((await read()).status, 'active');
      const again = await browser.submit(victory, { go: 'change' }, `${at}/victory`);
      shows(again, 'The *light* is on.');
      shows(await browser.submit(victory, {}, `${at}/victory`), 'Congratulations!');
      assert.equal((await read()).status, 'victory');
    });

    it('shows a refused form with its input and the errors at their fields', async () => {
      const { id } = await createPublished(creator, { signatureGoal: 10 });
      const at = `/dashboard/petitions/${id}/edit`;
      const refused = await browser.submit(
        await browser.open(at),
        { title: 'Hm', tags: 'a <tag>', signatureGoal: 'many' },
        at,
      );
      assert.equal(refused.status, 422);
      shows(refused, /id="title"[^>]*aria-invalid="true"/, 422);
      shows(refused, /id="signatureGoal"[^>]*aria-invalid="true"[^>]*value="many"/, 422);
      shows(refused, 'value="a &lt;tag&gt;"', 422);
      const part = await browser.submit(await browser.open(at), { signatureGoal: '2.5' }, at);
      shows(part, /id="signatureGoal"[^>]*aria-invalid="true"[^>]*value="2\.5"/, 422);
      shows(part, /id="signatureGoal-wrong">Enter a whole number\.</, 422);
      for (const token of await createTokens(service, 2)) {
        await service.api.as(token).post(`/v1/petitions/${id}/signatures`);
      }
      const low = await browser.submit(await browser.open(at), { signatureGoal: '1' }, at);
      shows(low, /id="signatureGoal-wrong">Enter 2 or more\.</, 422);
    });

    it('sets and removes the closing date, in UTC, until the petition has ended', async () => {
      const { id } = await createPublished(creator);
      const at = `/dashboard/petitions/${id}/edit`;
      const submit = async (closesAt: string) =>
        browser.submit(await browser.open(at), { closesAt }, at);
      const stored = async () =>
        (await creator.api.get(`/v1/petitions/${id}`)).body.data.closes_at as string | null;
      const field = (value: string) =>
        new RegExp(`type="datetime-local" id="closesAt"[^>]*value="${RegExp.escape(value)}"`);
      shows(await submit('2100-12-03T23:59'), field('2100-12-03T23:59'));
      assert.equal(await stored(), '2100-12-03T23:59:00.000Z');
      const closesAt = '2100-12-03T23:59:59.900Z';
      await creator.api.patch(`/v1/petitions/${id}`, { closesAt });
      shows(await submit('2100-12-03T23:59:59.900'), field('2100-12-03T23:59:59.900'));
      assert.equal(await stored(), closesAt, 'the form keeps seconds that it was shown with');
      shows(await submit('2001-01-01T00:00'), 'id="closesAt-wrong"', 422);
      shows(await submit('next week'), 'id="closesAt-wrong"', 422);
      await submit('');
      assert.equal(await stored(), null);
      await submit('2100-12-03 23:59');
      await creator.api.post(`/v1/petitions/${id}/close`);
      hides(await browser.open(at), 'id="closesAt"');
      const changed = await browser.submit(await browser.open(at), { signatureGoal: '50' }, at);
      assert.equal(changed.status, 200);
      assert.equal(await stored(), '2100-12-03T23:59:00.000Z');
    });

    it('stores a version only if the text has changed', async () => {
      const { id } = await createPublished(creator, { description: 'One line.\n'.repeat(10) });
      const at = `/dashboard/petitions/${id}/edit`;
      const versions = async () =>
        (await creator.api.get(`/v1/petitions/${id}/versions`)).body.data.length;
      // Browsers send line breaks as CR LF.
      const description = 'One line.\r\n'.repeat(10).trim();
      await browser.submit(await browser.open(at), { description, locationCity: 'Leeds' }, at);
      const kept = await versions();
      await browser.submit(await browser.open(at), { description }, at);
      assert.equal(await versions(), kept);
      await browser.submit(await browser.open(at), { title: 'Another title' }, at);
      assert.equal(await versions(), kept + 1);
      const { data } = (await creator.api.get(`/v1/petitions/${id}`)).body;
      assert.equal(data.location_city, 'Leeds');
      shows(await browser.open(at), 'Earlier published texts');
    });

    it('exports signatures as files', async () => {
      const { id } = await createPublished(creator);
      await creator.api.post(`/v1/petitions/${id}/signatures`, { comment: 'Yes.' });
      const csv = await browser.open(`/dashboard/petitions/${id}/signatures.csv`);
      shows(csv, 'Yes.');
      assert.match(csv.headers.get('content-disposition')!, /attachment; filename="signatures-/);
      const json = await browser.open(`/dashboard/petitions/${id}/signatures.json`);
      assert.equal(json.body.data[0].comment, 'Yes.');
    });

    it('draws traffic sources and places of signers', async () => {
      const petition = await createPublished(creator);
      await using worker = await startService({ beside: service, worker: true });
      const signers = await createTokens(service, 4);
      for (const token of signers) {
        const input = { source: 'a newsletter', display_location: 'Leeds, GB' };
        await worker.api.as(token).post(`/v1/petitions/${petition.id}/signatures`, input);
      }
      const open = (query = '') =>
        browser.open(`/dashboard/petitions/${petition.id}/figures${query}`);
      await eventually(async () => (await open()).body.includes('Leeds, United Kingdom: 4'));
      const page = await open('?granularity=month');
      shows(page, /<svg class="chart"/);
      shows(page, 'a newsletter');
      shows(page, 'England, United Kingdom');
      shows(page, /<title>Leeds, United Kingdom: 4<\/title>/);
      shows(await open('?granularity=hour'), /role="alert"/, 422);
    });

    it('draws figures after the end of the petition if that is chosen', async () => {
      const { id } = await createPublished(creator);
      const open = (query = '') => browser.open(`/dashboard/petitions/${id}/figures${query}`);
      hides(await open(), 'Until today');
      await creator.api.post(`/v1/petitions/${id}/victory`);
      const day = (days: number) => new Date(Date.now() - days * 86_400_000);
      const { db } = service.ctx;
      await db`update petitions set published_at = ${day(9)}, closed_at = ${day(5)}
        where id = ${id}`;
      await db`
        insert into petition_views (petition_id, day, source, views)
        values (${id}, ${day(5)}, 'before.example', 1), (${id}, ${day(2)}, 'after.example', 1)`;
      const ended = await open('?granularity=week');
      shows(ended, 'before.example');
      hides(ended, 'after.example');
      const [link] = /\/dashboard[^"]*until=today/.exec(ended.body)!;
      const since = await browser.open(link.replace('&amp;', '&'));
      shows(since, 'before.example');
      shows(since, 'after.example');
      shows(since, /until=today" aria-current="true">By week/);
      shows(since, /aria-current="true">Until today/);
    });

    it('shows the access code of a private petition, and its link', async () => {
      const { id, access_code: code } = await createPublished(creator, { visibility: 'private' });
      const page = await browser.open(`/dashboard/petitions/${id}`);
      shows(page, `access_code=${code}`);
      shows(page, `<code>${code}</code>`);
    });

    it('replaces the access code of a private petition', async () => {
      const { id, access_code: code } = await createPublished(creator, { visibility: 'private' });
      const path = `/dashboard/petitions/${id}`;
      const page = await browser.submit(await browser.open(path), {}, `${path}/access-code`);
      shows(page, 'The petition has a new access code');
      const { access_code: replaced } = (await creator.api.get(`/v1/petitions/${id}`)).body.data;
      assert.notEqual(replaced, code);
      shows(page, `<code>${replaced}</code>`);
    });

    it('is deleted only if the box was ticked', async () => {
      const { id } = await createPublished(creator);
      const at = `/dashboard/petitions/${id}`;
      const page = await browser.open(`${at}/finish`);
      assert.equal((await browser.submit(page, {}, `${at}/delete`)).status, 422);
      shows(await browser.submit(page, { sure: 'on' }, `${at}/delete`), 'The petition is deleted.');
      assert.equal((await creator.api.get(`/v1/petitions/${id}`)).status, 404);
    });

    it('is promoted for an amount with a decimal point or comma', async () => {
      const { id } = await createPublished(creator);
      const at = `/dashboard/petitions/${id}/promotion`;
      const page = await browser.open(at);
      assert.equal((await browser.submit(page, { amount: 'much', currency: 'EUR' })).status, 422);
      const little = await browser.submit(page, { amount: '0,5', currency: 'EUR' });
      assert.match(little.body, /class="wrong"[^>]*>Enter 1 or more\./);
      shows(
        await browser.submit(page, { amount: '12,5', currency: 'EUR' }),
        'Waiting for the payment',
      );
      const { data } = (await creator.api.get(`/v1/petitions/${id}/promotions`)).body;
      assert.equal(data[0].amount, 1250);
    });
  });

  describe('updates on the dashboard', () => {
    it('are posted, changed and deleted', async () => {
      const { id } = await createPublished(creator);
      const at = `/dashboard/petitions/${id}/updates`;
      assert.equal((await browser.submit(await browser.open(at), { title: 'News' })).status, 422);
      const preview = await browser.submit(await browser.open(at), {
        title: 'News',
        body: 'A\r\nB',
      });
      shows(await browser.submit(preview, {}), 'The update is posted');
      const [update] = (await creator.api.get(`/v1/petitions/${id}/updates`)).body.data;
      assert.equal(update.body, 'A\nB');
      const one = await browser.open(`${at}/${update.id}`);
      shows(await browser.submit(one, { title: 'Newer' }, `${at}/${update.id}`), 'Newer');
      shows(await browser.submit(one, {}, `${at}/${update.id}/delete`), 'The update is deleted.');
    });

    it('are kept while they are written, until they are posted', async () => {
      const { id } = await createPublished(creator);
      const at = `/dashboard/petitions/${id}/updates`;
      const page = await browser.open(at);
      const { fields } = formOf(page, at);
      const saved = await browser.send(`${at}/draft`, { ...fields, title: 'Ne', body: '' });
      assert.equal(saved.status, 200);
      assert.equal(saved.headers.get('content-location'), at);
      shows(await browser.open(at), 'value="Ne"');
      const preview = await browser.submit(
        await browser.open(at),
        { title: 'News', body: 'Lit.' },
        at,
      );
      shows(await browser.open(at), 'value="News"');
      const exported = (await creator.api.get('/v1/users/me/export')).body;
      assert.ok(JSON.stringify(exported).includes('Lit.'));
      await browser.submit(preview, {});
      assert.equal(formOf(await browser.open(at), at).fields['title'], '');
    });

    it('are not found below another petition', async () => {
      const [one, other] = [await createPublished(creator), await createPublished(creator)];
      const input = { title: 'News', body: 'New.' };
      const { body } = await creator.api.post(`/v1/petitions/${one.id}/updates`, input);
      const page = await browser.open(`/dashboard/petitions/${other.id}/updates/${body.data.id}`);
      assert.equal(page.status, 404);
    });
  });

  describe('decision makers on the dashboard', () => {
    it('are added, delivered to and removed', async () => {
      await verifyAddress(service, creator);
      const { id } = await createPublished(creator);
      const at = `/dashboard/petitions/${id}/decision-makers`;
      const refused = await browser.submit(
        await browser.open(at),
        { name: 'Grace', email: 'none' },
        at,
      );
      shows(refused, /id="email"[^>]*aria-invalid="true"/, 422);
      const input = { name: 'Grace', title: 'Mayor', email: 'grace@example.org' };
      const page = await browser.submit(await browser.open(at), input, at);
      shows(page, 'Nothing sent yet');
      const [, maker] = new RegExp(`href="${at}/([0-9a-f-]{36})"`).exec(page.body)!;
      const delivery = await browser.open(`${at}/${maker}`);
      const preview = await browser.submit(delivery, { message: 'Please.' });
      shows(preview, 'Please.');
      shows(await browser.submit(preview, {}), 'The email is on its way.');
      const pdf = await browser.open(`${at}/summary.pdf`);
      assert.equal(pdf.headers.get('content-type'), 'application/pdf');
      shows(await browser.open(`${at}/summary.csv`), 'signatures,date');
      const list = await browser.open(at);
      shows(
        await browser.submit(list, {}, `${at}/${maker}/remove`),
        'The decision maker is removed.',
      );
    });
  });

  it('limits summaries to ten a minute', async () => {
    await using strict = await startService({ env: { RATE_LIMITS: 'on' } });
    const person = await signUp(strict);
    const own = await logInBrowser(strict, person);
    const at = `/dashboard/petitions/${(await createPublished(person)).id}/decision-makers`;
    for (let n = 0; n < 9; n++) await strict.ctx.limits.take(summaryQuota, person.id);
    assert.equal((await own.open(`${at}/summary.csv`)).status, 200);
    assert.equal((await own.open(`${at}/summary.pdf`)).status, 429);
  });

  describe('pictures on the dashboard', () => {
    const upload = async (path: string, file: Blob, page: Answer) => {
      const form = new FormData();
      const { _token: token } = formOf(page, path).fields;
      form.set('_token', token!);
      form.set('file', file, 'picture');
      return service.api.send('POST', path, form, {
        headers: { cookie: browser.cookies, origin: 'http://petitions.test' },
      });
    };

    it('are uploaded by a form, which explains refusals', async () => {
      const { id } = await createPublished(creator);
      const at = `/dashboard/petitions/${id}`;
      const page = await browser.open(`${at}/edit`);
      const png = new Blob([await noiseImage(40, 30).png().toBuffer()], { type: 'image/png' });
      const answer = await upload(`${at}/picture`, png, page);
      assert.equal(answer.status, 303, answer.body);
      const next = answer.headers.get('location')!;
      shows(await browser.open(next), 'The picture is being prepared.');
      const text = new Blob(['no picture'], { type: 'text/plain' });
      const large = new Blob([Buffer.alloc(maxBytes + 1)], { type: 'image/png' });
      for (const [file, status] of [
        [text, 422],
        [large, 413],
      ] as const) {
        const refused = await upload(`${at}/picture`, file, page);
        shows(refused, 'Choose a picture of 5\u00a0MB at most', status);
        shows(refused, 'aria-describedby="picture-hint picture-wrong" aria-invalid="true"', status);
      }
    });
  });
});
