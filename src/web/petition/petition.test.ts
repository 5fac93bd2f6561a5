import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, logInBrowser } from '../../../test/support/browser.ts';
import {
  createDraft,
  logInAsAdmin,
  createUsers,
  createPublished,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import type { Comment } from '../../campaigns/comments/schema.ts';
import { summaryOf } from './head.ts';
import { withReplies } from './parts.ts';

describe('the page of a petition', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Ada <Lovelace>');
  });
  after(() => service[Symbol.asyncDispose]());

  const read = (path: string, headers: Record<string, string> = {}) =>
    service.api.get(`/p/${path}`, { headers });
  const loggedIn = (person: Person) => logInBrowser(service, person);

  it('says that a public petition was removed, and not why', async () => {
    for (const visibility of ['public', 'unlisted']) {
      const { id, slug } = await createPublished(creator, { visibility });
      assert.equal((await creator.api.delete(`/v1/petitions/${id}`)).status, 204);
      const { status, headers, body } = await read(slug);
      assert.equal(status, 404);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.match(body, /<h1>This petition was removed<\/h1>/);
      assert.match(body, /noindex/);
      const german = await read(id, { 'accept-language': 'de' });
      assert.match(german.body, /<h1>Diese Petition wurde entfernt<\/h1>/);
    }
  });

  it('does not differ from that of an unknown petition where it was never public', async () => {
    const draft = await createDraft(creator);
    const removedDraft = await createDraft(creator);
    const secret = await createPublished(creator, { visibility: 'private' });
    for (const { id } of [removedDraft, secret]) await creator.api.delete(`/v1/petitions/${id}`);
    const pageOf = async (slug: string) => {
      const { status, headers, body } = await read(slug);
      const names = [...headers.keys()].filter((name) => name !== 'content-length');
      return { status, names, body: body.replaceAll(slug, 'a-slug') };
    };
    const unknown = await pageOf('no-such-petition');
    assert.equal(unknown.status, 404);
    for (const { slug } of [draft, removedDraft, secret]) {
      assert.deepEqual(await pageOf(slug), unknown);
    }
  });

  it('escapes the texts of the petition', async () => {
    const petition = await createPublished(creator, {
      title: 'Open the </script><script>alert(1)</script> path',
      description: `First line & <img src=x onerror=alert(1)>.\n\n"Second" paragraph, long enough. ${'More words. '.repeat(30)}`,
      imageUrl: 'https://pictures.example/river.jpg?a="b"',
      signatureGoal: 1000,
      decisionMakers: [{ name: '<Mayor>', title: 'Leeds', email: 'mayor@example.org' }],
    });
    const { status, headers, body } = await read(petition.slug);
    assert.equal(status, 200);
    assert.match(body, /<h1 dir="auto">Open the &lt;\/script&gt;&lt;script&gt;alert\(1\)/);
    assert.match(body, /First line &amp; &lt;img src=x onerror=alert\(1\)&gt;/);
    assert.match(
      body,
      /<bdi>Ada &lt;Lovelace&gt;<\/bdi><\/a> asks <strong><bdi>&lt;Mayor&gt;<\/bdi><\/strong> <span class="quiet">\(<bdi>Leeds</,
    );
    assert.match(
      body,
      /<strong data-count>0 signatures<\/strong> <span class="quiet" data-next>1,000 more to reach 1,000</,
    );
    assert.match(body, /<progress class="progress" max="1000" value="0"/);
    assert.match(body, /&lt;Mayor&gt;/);
    assert.doesNotMatch(body, /mayor@example\.org/);
    // Of another host, where nothing is loaded from.
    assert.doesNotMatch(body, /pictures\.example/);
    assert.match(
      body,
      /<meta property="og:description" content="First line .{100,220}More words\.…">/,
    );
    assert.match(body, /<link rel="canonical" href="http:\/\/petitions\.test\/p\//);
    assert.doesNotMatch(body, /noindex/);
    // The page has no inline scripts, and its JSON-LD is valid.
    const scripts = [...body.matchAll(/<script[^>]*>(.*?)<\/script>/gs)];
    const [, jsonLd] = scripts.find(([tag]) => tag.includes('ld+json'))!;
    assert.equal(JSON.parse(jsonLd).headline, petition.title);
    const others = scripts.filter(([tag]) => !tag.includes('ld+json'));
    for (const [tag, inside] of others) {
      assert.match(tag, /src="\/assets\//);
      assert.equal(inside, '');
    }
    assert.match(headers.get('content-security-policy')!, /frame-ancestors 'none'/);
    assert.doesNotMatch(headers.get('content-security-policy')!, /unsafe/);
  });

  it('links to oEmbed in its head and by a header', async () => {
    const petition = await createPublished(creator);
    const { headers, body } = await read(petition.slug);
    const [, url] = /<([^>]+)>; rel="alternate"; type="application\/json\+oembed"/.exec(
      headers.get('link')!,
    )!;
    assert.ok(body.includes(`type="application/json+oembed" href="${url}"`));
    const { status } = await service.api.get(url!.replace('http://petitions.test', ''));
    assert.equal(status, 200);
  });

  it('shows that it is closed or won, and has a page for a victory', async () => {
    const petition = await createPublished(creator);
    assert.equal((await read(`${petition.slug}/victory`)).status, 404);
    const message = { victory_message: 'They <listened>.' };
    await creator.api.post(`/v1/petitions/${petition.id}/victory`, message);
    const { body } = await (await loggedIn(creator)).open(`/p/${petition.slug}`);
    assert.match(body, /Victory!.*They &lt;listened&gt;\./s);
    assert.doesNotMatch(body, /<button class="large">Sign/);
    const page = await read(`${petition.slug}/victory`);
    assert.match(page.body, /They &lt;listened&gt;\./);
    assert.match(page.body, new RegExp(`value="http://petitions.test/p/${petition.slug}/victory"`));
    const other = await createPublished(creator);
    await creator.api.post(`/v1/petitions/${other.id}/close`);
    assert.match((await read(other.slug)).body, /This petition is closed/);
  });

  it('shows a draft to its creator only', async () => {
    const own = await createDraft(creator);
    for (const slug of [own.slug, 'no-such-petition']) {
      const { status, body } = await read(slug);
      assert.equal(status, 404);
      assert.match(body, /<h1>/);
    }
    const shown = await (await loggedIn(creator)).open(`/p/${own.slug}`);
    assert.match(shown.body, /This is a draft/);
    assert.match(shown.body, new RegExp(`href="/dashboard/petitions/${own.id}"`));
    assert.match(shown.body, /noindex/);
  });

  it('asks for the access code of a private petition', async () => {
    const hidden = await createPublished(creator, { visibility: 'private' });
    const asked = await read(hidden.slug);
    assert.equal(asked.status, 403);
    assert.match(asked.body, /name="access_code"/);
    assert.doesNotMatch(asked.body, new RegExp(hidden.title));
    const wrong = await read(`${hidden.slug}?access_code=wrong`);
    assert.equal(wrong.status, 403);
    assert.match(wrong.body, /role="alert"/);
    const own = await creator.api.get(`/v1/petitions/${hidden.id}`);
    const code = own.body.data.access_code;
    const shown = await read(`${hidden.slug}?access_code=${code}`);
    assert.equal(shown.status, 200);
    assert.match(shown.headers.get('cache-control')!, /no-store/);
    assert.match(shown.body, /noindex/);
    assert.match(shown.body, new RegExp(`name="access_code" value="${code}"`));
    // oEmbed does not serve private petitions.
    assert.equal(shown.headers.get('link'), null);
    assert.doesNotMatch(shown.body, /oembed|\/embed\//);
    assert.equal((await read(`${hidden.slug}/card.png`)).status, 403);
  });

  it('uses the language of the request, and mirrors Arabic', async () => {
    const petition = await createPublished(creator, { signatureGoal: 10 });
    const german = await read(petition.slug, { 'accept-language': 'de' });
    assert.match(german.body, /<html lang="de" dir="ltr">.*0 Unterschriften/s);
    const arabic = await read(petition.slug, { 'accept-language': 'ar' });
    assert.match(arabic.body, /<html lang="ar" dir="rtl">/);
    assert.equal(arabic.headers.get('vary'), 'Accept-Language, Cookie, Accept-Encoding');
    // The cached page is stored for each language.
    for (const [language, text] of [
      ['de', 'Unterschriften'],
      ['fr', 'Lancée par'],
      ['en', 'Started by'],
    ]) {
      assert.match(
        (await read(petition.slug, { 'accept-language': language! })).body,
        new RegExp(text!),
      );
    }
  });

  it('is cached for anonymous visitors, and rendered for viewers who are logged in', async () => {
    const petition = await createPublished(creator);
    const first = await read(petition.slug);
    const tag = first.headers.get('etag')!;
    assert.equal(first.headers.get('cache-control'), 'public, max-age=5');
    assert.equal(first.headers.get('content-encoding'), 'gzip');
    const plain = await read(petition.slug, { 'accept-encoding': 'gzip;q=0, identity' });
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(plain.body, first.body);
    assert.notEqual(plain.headers.get('etag'), tag);
    const again = await read(petition.slug, { 'if-none-match': tag });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get('x-api-version'), '1');
    assert.ok(again.headers.get('x-request-id'));
    const known = await (await loggedIn(creator)).open(`/p/${petition.slug}`);
    assert.equal(known.headers.get('cache-control'), 'no-store');
    assert.match(known.body, /You are signing as/);
    assert.match((await read(petition.slug)).body, /Your name/);
  });

  it('counts towards the rate limit of its readers', async () => {
    // The clock stands still, so that the rate limit is not refilled.
    const time = new Date();
    const parts = { now: () => time };
    await using limited = await startService({ env: { RATE_LIMITS: 'on' }, parts });
    const petition = await createPublished(await signUp(limited, 'Limited'));
    const path = `/p/${petition.slug}`;
    await limited.api.get(path);
    const answers = await Promise.all(Array.from({ length: 130 }, () => limited.api.get(path)));
    const statuses = new Set(answers.map(({ status }) => status));
    assert.deepEqual(statuses, new Set([200, 429]));
  });

  it('shows signers according to the privacy of signatures', async () => {
    const [signer] = await createUsers(service, 1);
    for (const [signaturePrivacy, shown] of [
      ['public', true],
      ['count_only', false],
      ['creator_only', false],
    ] as const) {
      const { id, slug } = await createPublished(creator, { signaturePrivacy });
      await signer!.api.post(`/v1/petitions/${id}/signatures`, { comment: 'For the children' });
      await creator.api.post(`/v1/petitions/${id}/signatures`, { is_anonymous: true });
      const { body } = await read(slug);
      assert.match(body, /2 signatures/);
      assert.equal(body.includes('For the children'), shown, signaturePrivacy);
      const own = await (await loggedIn(creator)).open(`/p/${slug}`);
      assert.equal(
        own.body.includes('For the children'),
        signaturePrivacy !== 'count_only',
        signaturePrivacy,
      );
    }
  });

  it('shows the newest update, and all of them on a page of their own', async () => {
    const { id, slug } = await createPublished(creator);
    for (const title of ['First <news>', 'Second news']) {
      await creator.api.post(`/v1/petitions/${id}/updates`, { title, body: 'There is some.' });
    }
    const { body } = await read(slug);
    const [news] = /<section id="updates">.*?<\/section>/s.exec(body)!;
    assert.match(news, /Second news/);
    assert.doesNotMatch(news, /First &lt;news/);
    assert.match((await read(`${slug}/updates`)).body, /Second news.*First &lt;news&gt;/s);
  });

  it('has a QR code', async () => {
    const petition = await createPublished(creator);
    const { status, headers, body } = await read(`${petition.slug}/qr.svg`);
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'image/svg+xml');
    assert.match(body, /^<svg/);
  });

  it('accepts comments, replies, changes and deletions', async () => {
    const { id, slug } = await createPublished(creator);
    const path = `/p/${slug}/comments`;
    const author = await loggedIn(await signUp(service, 'Author'));
    let page = await author.open(`/p/${slug}`);
    page = await author.submit(page, { body: 'A <first> word' }, path);
    assert.match(page.body, /Your comment is published\./);
    assert.match(page.body, /A &lt;first&gt; word/);
    const { data } = (await service.api.get(`/v1/petitions/${id}/comments`)).body;
    const comment = data[0].id;
    const other = await loggedIn(creator);
    const forms = (await other.open(`/p/${slug}`)).body;
    assert.match(forms, new RegExp(`name="parent_id" value="${comment}"`));
    const token = /name="_token" value="([^"]+)"/.exec(forms)![1]!;
    await other.send(path, { _token: token, body: 'An answer', parent_id: comment });
    page = await author.open(`/p/${slug}`);
    assert.match(page.body, /A &lt;first&gt; word.*An answer/s);
    page = await author.submit(page, { body: 'A better word' }, `${path}/${comment}`);
    assert.match(page.body, /A better word/);
    assert.match(page.body, /edited/);
    page = await author.submit(page, { body: ' ' }, `${path}/${comment}`);
    assert.equal(page.status, 422);
    assert.match(page.body, /id="body-wrong"/);
    const thread = await read(`${slug}/comments/${comment}`);
    assert.match(thread.body, /A better word.*An answer/s);
    page = await author.submit(await author.open(`/p/${slug}`), {}, `${path}/${comment}/delete`);
    assert.match(page.body, /The comment is deleted\./);
    assert.match(page.body, /This comment is gone\..*An answer/s);
    // Rejects forms without a login or without a token.
    const stranger = await new Browser(service.api).send(path, { body: 'Hello' });
    assert.match(stranger.body, /name="password"/);
    const forged = await author.send(path, { body: 'Forged' });
    assert.equal(forged.status, 403);
  });

  it('shows a few replies of each thread, and the rest on a page of its own', async () => {
    const { id, slug } = await createPublished(creator);
    const path = `/v1/petitions/${id}/comments`;
    const { body } = await creator.api.post(path, { body: 'The beginning' });
    for (let n = 1; n <= 8; n += 1) {
      await creator.api.post(path, { body: `Reply ${n}.`, parent_id: body.data.id });
    }
    const page = (await read(slug)).body;
    assert.match(page, /Reply 5\./);
    assert.doesNotMatch(page, /Reply 6\./);
    assert.match(page, /3 more replies/);
    assert.match((await read(`${slug}/comments/${body.data.id}`)).body, /Reply 8\./);
    assert.match((await read(`${slug}/comments`)).body, /Reply 8\./);
  });

  it('has plain share links, and own ones for viewers who are logged in', async () => {
    const petition = await createPublished(creator, { title: 'Two words & more' });
    const { body } = await read(petition.slug);
    const url = encodeURIComponent(petition.share_url);
    assert.ok(body.includes(`https://wa.me/?text=Two%20words%20%26%20more%20${url}`));
    const sharer = await signUp(service, 'Sharer');
    const browser = await loggedIn(sharer);
    const mine = async () =>
      (await sharer.api.get(`/v1/petitions/${petition.id}/shares/mine`)).body.data;
    await browser.open(`/p/${petition.slug}`);
    assert.deepEqual(await mine(), []);
    const page = await browser.open(`/p/${petition.slug}/share/link`);
    const [link] = await mine();
    assert.match(page.body, new RegExp(`value="${RegExp.escape(link.share_url)}"`));
    const onward = await browser.open(`/p/${petition.slug}/share/telegram`);
    const [, other] = await mine();
    assert.equal(other.channel, 'telegram');
    assert.ok(onward.headers.get('location')!.includes(encodeURIComponent(other.share_url)));
    const led = await sharer.api.get(`/p/${petition.slug}/share/x`, {
      headers: { cookie: browser.cookies, 'sec-fetch-site': 'cross-site' },
    });
    assert.match(led.headers.get('location')!, /^\/p\//);
    assert.equal((await mine()).length, 2);
    assert.equal((await browser.open(`/p/${petition.slug}/share/constructor`)).status, 404);
  });

  it('gives scripts the own link, and counts the share by its channel', async () => {
    const petition = await createPublished(creator);
    const sharer = await signUp(service, 'Sharer');
    const browser = await loggedIn(sharer);
    const headers = { cookie: browser.cookies, accept: 'text/plain' };
    for (const [place, channel] of [
      ['device', 'other'],
      ['link', 'link'],
    ] as const) {
      const { body } = await sharer.api.get(`/p/${petition.slug}/share/${place}`, { headers });
      const { data } = (await sharer.api.get(`/v1/petitions/${petition.id}/shares/mine`)).body;
      const { share_url } = data.find((one: { channel: string }) => one.channel === channel);
      assert.equal(body, share_url);
    }
  });

  it('shares by mail, text message, QR code, Signal and the viewer’s Mastodon server', async () => {
    const petition = await createPublished(creator, { title: 'A title & more' });
    const { body } = await read(petition.slug);
    assert.match(
      body,
      /href="mailto:\?subject=A%20title%20%26%20more&amp;body=[^"]*%0D%0A%0D%0Ahttp/,
    );
    assert.match(body, /href="sms:\?&amp;body=A%20title%20%26%20more%20http/);
    assert.ok(body.includes(`href="/p/${petition.slug}/qr.svg"`));
    const sharer = await signUp(service, 'Sharer');
    const browser = await loggedIn(sharer);
    const path = `/p/${petition.slug}/share`;
    assert.match((await browser.open(`${path}/email`)).headers.get('location')!, /^mailto:/);
    assert.match((await browser.open(`${path}/sms`)).headers.get('location')!, /^sms:/);
    assert.match((await browser.open(`${path}/qr`)).body, /^<svg/);
    assert.match(
      (await browser.open(`${path}/signal`)).body,
      /A title &amp; more http:\S+\?ref=\w{10}/,
    );
    const asked = await browser.open(`${path}/mastodon`);
    assert.match(asked.body, /name="server"/);
    assert.match(asked.headers.get('content-security-policy')!, /form-action 'self' https:/);
    for (const server of [
      'mastodon.example',
      'https://mastodon.example/home',
      '@ada@mastodon.example',
    ]) {
      const onward = await browser.open(`${path}/mastodon?server=${encodeURIComponent(server)}`);
      const location = onward.headers.get('location')!;
      assert.match(location, /^https:\/\/mastodon\.example\/share\?text=A%20title%20%26%20more%20/);
      assert.match(location, /ref%3D\w{10}$/);
    }
    for (const server of [
      '',
      'nothing',
      'a b.example',
      'host.example:8443',
      'javascript:alert(1)',
    ]) {
      const refused = await browser.open(`${path}/mastodon?server=${encodeURIComponent(server)}`);
      assert.equal(refused.status, 422, server);
    }
    const { data } = (await sharer.api.get(`/v1/petitions/${petition.id}/shares/mine`)).body;
    const channels = data.map((one: { channel: string }) => one.channel);
    assert.deepEqual(channels, ['email', 'sms', 'qr', 'signal', 'mastodon']);
    // Visitors share the plain link.
    const visitor = new Browser(service.api);
    const plain = await visitor.open(`${path}/mastodon?server=mastodon.example`);
    assert.ok(plain.headers.get('location')!.endsWith(encodeURIComponent(petition.share_url)));
  });

  it('accepts reports of users who are logged in', async () => {
    const { id, slug } = await createPublished(creator);
    const asked = await new Browser(service.api).open(`/p/${slug}/report`);
    assert.match(asked.body, /name="email"/);
    const reporter = await loggedIn(await signUp(service, 'Reporter'));
    const form = await reporter.open(`/p/${slug}/report`);
    assert.doesNotMatch(form.body, /name="email"/);
    const done = await reporter.submit(form, { reason: 'spam', description: 'An <advert>' });
    assert.match(done.body, /Moderators will look at it/);
    const admin = await logInAsAdmin(service);
    const { data } = (await admin.api.get('/v1/admin/reports')).body;
    const reported = data.find((one: { target_id: string }) => one.target_id === id);
    assert.equal(reported.description, 'An <advert>');
  });
});

describe('withReplies', () => {
  it('collects 200,000 replies to one comment', () => {
    const comment = (replies: Comment[]) => ({ replies }) as Comment;
    const replies = Array.from({ length: 200_000 }, () => comment([]));
    assert.equal(withReplies([comment(replies), comment([comment([])])]).length, 200_003);
  });
});

describe('link previews', () => {
  it('cut the description between words', () => {
    assert.equal(summaryOf('Two\n\n words'), 'Two words');
    assert.equal(summaryOf('word '.repeat(60)), `${'word '.repeat(40).trim()}…`);
    assert.equal(summaryOf('x'.repeat(300)), `${'x'.repeat(200)}…`);
  });

  it('have no marks of Markdown', () => {
    for (const [markdown, plain] of [
      ['## Why\n\nThe **path** is _dark_.', 'Why The path is dark.'],
      ['> Quoted\n\n* one\n* two\n\n---\n\n1. three', 'Quoted one two 1. three'],
      ['See [the plan](https://a.example/x "title") and ![map](m.png).', 'See the plan and map.'],
      ['<https://a.example> `code` \\*kept\\*', 'https://a.example `code` *kept*'],
      ['2 * 3 * 4, snake_case_name, 5 > 3, C#', '2 * 3 * 4, snake_case_name, 5 > 3, C#'],
      ['***both*** and **open', 'both and **open'],
    ] as const) {
      assert.equal(summaryOf(markdown), plain);
    }
  });
});
