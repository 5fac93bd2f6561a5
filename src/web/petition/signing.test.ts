import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, formOf, logInBrowser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import {
  logInAsAdmin,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('signing on the page of a petition', () => {
  let service: Service;
  let creator: Person;
  let count = 0;
  before(async () => {
    service = await startService({ worker: true, env: { SIGNATURE_POLICY: 'verified' } });
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const newAddress = () => `reader-${++count}@example.org`;
  const loggedIn = (person: Person) => logInBrowser(service, person);
  const verified = async (name: string) => {
    const person = await signUp(service, name);
    await service.ctx.db`update users set email_verified_at = now() where id = ${person.id}`;
    return person;
  };
  const mailTo = async (email: string) => {
    const find = async () =>
      (await service.mails())
        .map(readMail)
        .findLast((one) => one.to === email && /\/confirm\?/.test(one.text));
    await eventually(async () => (await find()) !== undefined);
    const { text } = (await find())!;
    return {
      path: /http:\/\/petitions\.test(\/p\/\S+\/confirm\?token=\S+)/.exec(text)![1]!,
      code: /: (\d{6})\n/.exec(text)![1]!,
    };
  };
  /** Submits the form as a guest; returns the next page. */
  const signAs = async (browser: Browser, slug: string, email: string, more: object = {}) =>
    browser.submit(
      await browser.open(`/p/${slug}`),
      { display_name: 'Grace', email, ...more },
      `/p/${slug}/sign`,
    );
  const signatures = async ({ id }: { id: string }) =>
    (await creator.api.get(`/v1/petitions/${id}/signatures`)).body.data;

  it('takes one button for users who are logged in, and can be withdrawn', async () => {
    const petition = await createPublished(creator);
    const browser = await loggedIn(await verified('Signer'));
    const form = await browser.open(`/p/${petition.slug}`);
    assert.match(form.body, /You are signing as <bdi>Signer<\/bdi>/);
    const signed = await browser.submit(form, {}, `/p/${petition.slug}/sign`);
    assert.match(signed.body, /your signature counts!/);
    assert.match(signed.body, /1 signature</);
    assert.match(signed.body, /<h1>You are number 1<\/h1>/);
    assert.match(signed.body, /99 more to reach 100/);
    // The screen is shown once, and nobody can write it into an address.
    const shared = await browser.open(`/p/${petition.slug}?done=signed&number=5`);
    assert.doesNotMatch(shared.body, /You are number/);
    const again = await browser.open(`/p/${petition.slug}`);
    assert.match(again.body, /You have signed this petition/);
    assert.doesNotMatch(again.body, /\/sign"/);
    const taken = await browser.submit(again, {}, `/p/${petition.slug}/withdraw`);
    assert.match(taken.body, /Your signature is withdrawn/);
    assert.match(taken.body, /0 signatures</);
  });

  it('counts a guest’s signature by the code, and logs the guest in', async () => {
    const petition = await createPublished(creator);
    const email = newAddress();
    const browser = new Browser(service.api);
    const asked = await signAs(browser, petition.slug, email, { is_anonymous: 'on' });
    assert.match(asked.body, new RegExp(`<p class="lead" dir="auto">${petition.title}`));
    assert.match(asked.body, new RegExp(`We have sent an email to <strong><bdi>${email}</bdi>`));
    assert.equal((await signatures(petition)).length, 0);
    const { code } = await mailTo(email);
    const wrong = await browser.submit(asked, { code: code === '000000' ? '111111' : '000000' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.body, /id="code-wrong"/);
    // In Arabic digits, with a space.
    const arabic = code.replaceAll(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'[Number(digit)]!);
    const done = await browser.submit(wrong, { code: ` ${arabic.slice(0, 3)} ${arabic.slice(3)}` });
    assert.match(done.body, /your signature counts!/);
    // A new user may set a password.
    assert.match(done.body, /href="\/forgot-password"/);
    const [signature] = await signatures(petition);
    assert.equal(signature.user, null);
  });

  it('accepts a second form from a page that was loaded before the first one was sent', async () => {
    const petition = await createPublished(creator);
    const browser = new Browser(service.api);
    const page = await browser.open(`/p/${petition.slug}`);
    const to = `/p/${petition.slug}/sign`;
    await browser.submit(page, { display_name: 'Grace', email: 'typing@errer.example' }, to);
    const email = newAddress();
    const asked = await browser.submit(page, { display_name: 'Grace', email }, to);
    assert.match(asked.body, new RegExp(`<bdi>${email}</bdi>`));
    const { code } = await mailTo(email);
    assert.match((await browser.submit(asked, { code })).body, /your signature counts!/);
  });

  it('rejects a form without a token and without an origin of its own', async () => {
    const petition = await createPublished(creator);
    const to = `/p/${petition.slug}/sign`;
    const fields = { display_name: 'Grace', email: newAddress() };
    const known = new Browser(service.api);
    await known.submit(await known.open(`/p/${petition.slug}`), fields, to);
    const form = new URLSearchParams({ ...fields, email: newAddress() }).toString();
    const foreignOrigins: Record<string, string>[] = [
      {},
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: 'http://petitions.test', 'sec-fetch-site': 'cross-site' },
    ];
    for (const origin of foreignOrigins) {
      const type = 'application/x-www-form-urlencoded';
      const headers = { cookie: known.cookies, 'content-type': type, ...origin };
      const { status } = await service.api.post(to, form, { headers });
      assert.equal(status, 403, JSON.stringify(origin));
    }
  });

  it('counts by the link and a button, without a login in another browser', async () => {
    const petition = await createPublished(creator);
    const email = newAddress();
    await signAs(new Browser(service.api), petition.slug, email);
    const { path } = await mailTo(email);
    const elsewhere = new Browser(service.api);
    // Mail scanners open links, perhaps several times.
    await elsewhere.open(path);
    const page = await elsewhere.open(path);
    assert.match(page.body, /name="display_name"[^>]* value="Grace"/);
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.equal((await signatures(petition)).length, 0);
    const done = await elsewhere.submit(page, {});
    assert.match(done.body, /your signature counts!/);
    assert.match(done.body, /href="\/login\b/);
    assert.equal((await signatures(petition)).length, 1);
    // A second click has the same result.
    assert.match((await elsewhere.submit(page, {})).body, /your signature counts!/);
    assert.equal((await signatures(petition)).length, 1);
  });

  it('logs in to an existing account by the link, not by the code, and not to one with a role', async () => {
    const [first, second] = [await createPublished(creator), await createPublished(creator)];
    const known = await verified('Known');
    const browser = new Browser(service.api);
    const asked = await signAs(browser, first.slug, known.email);
    const done = await browser.submit(asked, { code: (await mailTo(known.email)).code });
    assert.match(done.body, /your signature counts!/);
    assert.match(done.body, /href="\/login\b/);
    const { path: firstPath } = await mailTo(known.email);
    await signAs(browser, second.slug, known.email);
    await eventually(async () => (await mailTo(known.email)).path !== firstPath, 15_000);
    const { path } = await mailTo(known.email);
    const opened = await browser.submit(await browser.open(path), {});
    assert.match(opened.body, /<bdi>Known<\/bdi><\/summary>/);
    // The link logs in once: the browser's history may be read by others.
    await browser.submit(opened, {}, '/logout');
    const again = await browser.open(path);
    assert.match(again.body, /Your signature counts\. There is nothing more to do\./);
    assert.match(again.body, /href="\/login\b/);
    const moderator = await verified('Moderator');
    const admin = await logInAsAdmin(service);
    await admin.api.patch(`/v1/admin/users/${moderator.id}`, { role: 'moderator' });
    const other = new Browser(service.api);
    await signAs(other, second.slug, moderator.email);
    const theirs = await other.open((await mailTo(moderator.email)).path);
    assert.match((await other.submit(theirs, {})).body, /href="\/login\b/);
  });

  it('asks for the reason after signing', async () => {
    const petition = await createPublished(creator);
    const browser = await loggedIn(await verified('Signer'));
    const to = `/p/${petition.slug}/reason`;
    const form = await browser.open(`/p/${petition.slug}`);
    const signed = await browser.submit(form, {}, `/p/${petition.slug}/sign`);
    const long = await browser.submit(signed, { comment: 'x'.repeat(501) }, to);
    assert.equal(long.status, 422);
    assert.match(long.body, /id="comment-wrong"/);
    const saved = await browser.submit(long, { comment: 'I walk <there>.' }, to);
    assert.match(saved.body, /Your reason is saved\./);
    assert.equal((await signatures(petition))[0].comment, 'I walk <there>.');
  });

  it('offers petitions like it after signing', async () => {
    const title = 'Restore the wetlands beside the lighthouse';
    const petition = await createPublished(creator, { title });
    const other = await createPublished(creator, { title: `${title} now` });
    await eventually(async () => {
      const { body } = await new Browser(service.api).open(`/p/${petition.slug}`, 'done=signed');
      const [section = ''] = /<ul class="cards">.*?<\/ul>/s.exec(body) ?? [];
      return section.includes(`/p/${other.slug}"`) && !section.includes(`/p/${petition.slug}"`);
    }, 20_000);
  });

  it('asks for two fields and an optional place, and says what is shown and stored', async () => {
    const { slug } = await createPublished(creator);
    const { body } = await service.api.get(`/p/${slug}`);
    const [form] = /<form method="post" action="[^"]*\/sign">.*?<\/form>/s.exec(body)!;
    const shown = [...form.matchAll(/<(?:input|textarea)(?![^>]*type="hidden")[^>]*name="(\w+)"/g)];
    assert.deepEqual(
      shown.map(([, name]) => name),
      ['display_name', 'email', 'display_location', 'is_anonymous', 'updates'],
    );
    assert.match(form, /autocomplete="name"[^>]*enterkeyhint="next"/);
    assert.match(form, /type="email"[^>]*autocomplete="email"[^>]*inputmode="email"/);
    assert.match(form, /name="display_location" maxlength="200" autocomplete="address-level2"/);
    assert.doesNotMatch(form, /name="display_location"[^>]*required/);
    assert.match(form, /Your name is shown on this petition\./);
    assert.match(
      form,
      /<bdi>petitions\.test<\/bdi> stores your signature, which may show a political/,
    );
    assert.doesNotMatch(form, /<details/);
  });

  it('takes where signers live, and counts them there', async () => {
    const petition = await createPublished(creator);
    const place = 'Springfield, Illinois, United States';
    const placeOf = async (location: string) => {
      const [row] = await service.ctx.db<{ place: string }[]>`
        select place from signatures
        where petition_id = ${petition.id} and display_location = ${location}`;
      return row!.place;
    };
    const browser = new Browser(service.api);
    const refused = await signAs(browser, petition.slug, 'no address', { display_location: place });
    assert.match(refused.body, new RegExp(`name="display_location"[^>]*value="${place}"`));
    const email = newAddress();
    const asked = await browser.submit(refused, { email }, `/p/${petition.slug}/sign`);
    await browser.submit(asked, { code: (await mailTo(email)).code });
    assert.equal(await placeOf(place), 'US.IL.4250542');

    const member = await loggedIn(await verified('Member'));
    const form = await member.open(`/p/${petition.slug}`);
    await member.submit(
      form,
      { display_location: ' Leeds ', is_anonymous: 'on' },
      `/p/${petition.slug}/sign`,
    );
    assert.equal(await placeOf('Leeds'), 'GB.ENG.2644688');
    assert.deepEqual(
      (await signatures(petition)).map(
        (one: { user: { display_name: string } | null; display_location: string }) => [
          one.user?.display_name,
          one.display_location,
        ],
      ),
      [
        [undefined, 'Leeds'],
        ['Grace', place],
      ],
    );
  });

  it('reports a signature that exists', async () => {
    const petition = await createPublished(creator);
    const known = await verified('Twice');
    await known.api.post(`/v1/petitions/${petition.id}/signatures`);
    const browser = new Browser(service.api);
    const asked = await signAs(browser, petition.slug, known.email);
    const page = await browser.submit(asked, { code: (await mailTo(known.email)).code });
    assert.equal(page.status, 409);
    assert.match(page.body, /You have already signed/);
    assert.match(page.body, new RegExp(`href="/p/${petition.slug}"`));
  });

  it('shows errors at their fields, with the input', async () => {
    const { slug } = await createPublished(creator);
    const page = await signAs(new Browser(service.api), slug, 'no address', {
      display_name: '<Grace>'.repeat(30),
    });
    assert.equal(page.status, 422);
    assert.match(page.body, /id="email-wrong"/);
    assert.match(page.body, /id="display_name-wrong"/);
    assert.match(page.body, /<title>Error: /);
    // The summary stands before everything else, with links to the fields.
    assert.match(
      page.body,
      /<main[^>]*>\s*<div class="errors" role="alert" tabindex="-1" autofocus>/,
    );
    const [summary] = /<div class="errors".*?<\/div>/s.exec(page.body)!;
    const links = [...summary.matchAll(/<a href="#([^"]+)">([^<]+)<\/a>/g)];
    assert.deepEqual(
      links.map(([, id, text]) => `${id} ${text}`),
      [
        'display_name Your name: Enter at most 100 characters.',
        'email Email address: Enter an email address, such as name@example.org.',
      ],
    );
    for (const [, id] of links) assert.match(page.body, new RegExp(`<input [^>]*id="${id}"`));
    assert.match(page.body, /value="(?:&lt;Grace&gt;){30}"/);
  });

  it('shows the address of the mail to no other browser', async () => {
    const { slug } = await createPublished(creator);
    const email = newAddress();
    const browser = new Browser(service.api);
    const asked = await signAs(browser, slug, email);
    const [, id] = /name="id" value="([^"]+)"/.exec(asked.body)!;
    const other = await new Browser(service.api).open(`/p/${slug}/confirm?id=${id}`);
    assert.doesNotMatch(other.body, new RegExp(email));
    assert.equal((await browser.open(`/p/${slug}/confirm?id=nonsense`)).status, 200);
    const typed = await browser.submit(asked, { code: 'none' });
    assert.match(typed.body, /Enter 6 digits\./);
  });

  it('rejects forms of other sites and forms without a token', async () => {
    const { slug } = await createPublished(creator);
    const fields = { display_name: 'Forged', email: newAddress() };
    const foreign = new Browser(service.api, { origin: 'https://evil.example' });
    assert.equal((await foreign.send(`/p/${slug}/sign`, fields)).status, 403);
    const signer = await loggedIn(await verified('Victim'));
    assert.equal((await signer.send(`/p/${slug}/sign`, {})).status, 403);
  });

  it('counts for the share link of the visit', async () => {
    const petition = await createPublished(creator);
    const sharer = await signUp(service, 'Sharer');
    const shares = `/v1/petitions/${petition.id}/shares`;
    const { ref } = (await sharer.api.post(shares, { channel: 'link' })).body.data;
    const email = newAddress();
    const browser = new Browser(service.api);
    const page = await browser.open(`/p/${petition.slug}?ref=${ref}`);
    const asked = await browser.submit(
      page,
      { display_name: 'Guest', email },
      `/p/${petition.slug}/sign`,
    );
    await browser.submit(asked, { code: (await mailTo(email)).code });
    const mine = async () => (await sharer.api.get(`${shares}/mine`)).body.data[0];
    await eventually(async () => (await mine()).signatures === 1);
  });

  it('encodes the petition’s name in links and forms', async () => {
    const petition = await createPublished(creator);
    const browser = new Browser(service.api);
    const email = newAddress();
    await signAs(browser, petition.slug, email);
    const { path } = await mailTo(email);
    const token = path.slice(path.indexOf('token='));
    const away = '..%2Fdashboard%2Forganizations%2Facme%2Fmembers%2F1%2Fadmin%3F';
    const page = await browser.open(`/p/${away}/confirm?${token}`);
    assert.equal(formOf(page).action, `/p/${petition.slug}/confirm`);
    assert.equal((await browser.open(`/p/${away}/confirm?id=${petition.id}`)).status, 404);
    // A refused code is shown again without reading the petition.
    const fields = formOf(await browser.open(`/p/${petition.slug}/confirm?id=none`)).fields;
    const again = await browser.send(`/p/${away}/confirm`, { ...fields, id: petition.id });
    assert.equal(
      formOf(again).action,
      `/p/${encodeURIComponent('../dashboard/organizations/acme/members/1/admin?')}/confirm`,
    );
  });

  it('confirms signatures of a private petition, by the code and by the link', async () => {
    const hidden = await createPublished(creator, { visibility: 'private' });
    const { access_code } = (await creator.api.get(`/v1/petitions/${hidden.id}`)).body.data;
    for (const way of ['code', 'link'] as const) {
      const email = newAddress();
      const browser = new Browser(service.api);
      const page = await browser.open(`/p/${hidden.slug}?access_code=${access_code}`);
      const typed = { display_name: 'Guest', email };
      const asked = await browser.submit(page, typed, `/p/${hidden.slug}/sign`);
      const mail = await mailTo(email);
      const done =
        way === 'code'
          ? await browser.submit(asked, { code: mail.code })
          : await browser.submit(await browser.open(mail.path), {});
      assert.equal(done.status, 200);
      assert.match(done.body, /your signature counts!/);
    }
    assert.equal((await signatures(hidden)).length, 2);
  });
});
