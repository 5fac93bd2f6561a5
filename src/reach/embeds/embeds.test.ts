import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { unfurl } from 'unfurl.js';
import { createDraft, createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { freePort } from '../../../test/support/process.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { asWordPressFilters } from '../../../test/support/wordpress.ts';
import { escapeHtml } from '../../platform/html.ts';

describe('embeds', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ port: await freePort() });
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const oembed = (url: string, more = '') =>
    service.api.get(`/v1/oembed?url=${encodeURIComponent(url)}${more}`);
  const addressesOf = ({ slug }: { slug: string }) => ({
    page: `${service.origin}/p/${slug}`,
    embed: `${service.origin}/embed/p/${slug}`,
  });
  const attribute = (html: string, name: string) =>
    new RegExp(` ${name}="([^"]*)"`).exec(html)?.[1];

  it('are discovered by an oEmbed consumer from the page of the petition', async () => {
    const title = 'Keep <b>"our"</b> river & path open';
    const petition = await createPublished(creator, { title });
    const { page, embed } = addressesOf(petition);
    const { oEmbed, open_graph: graph, canonical_url: canonical } = await unfurl(page);
    assert.ok(oEmbed?.type === 'rich');
    assert.equal(oEmbed.title, title);
    assert.equal(oEmbed.version, '1.0');
    assert.equal(attribute(oEmbed.html, 'src'), embed);
    assert.deepEqual([oEmbed.width, oEmbed.height], [600, 260]);
    assert.deepEqual([graph.title, graph.url, canonical], [title, page, page]);
    const { headers } = await service.api.get(`/p/${petition.slug}`);
    const [, link] = /^<(.+)>; rel="alternate"; type="application\/json\+oembed"$/.exec(
      headers.get('link')!,
    )!;
    const answer = await fetch(link!);
    assert.match(answer.headers.get('content-type')!, /^application\/json/);
    assert.equal(((await answer.json()) as { title: string }).title, title);
  });

  it('respect maxwidth and maxheight', async () => {
    const { page } = addressesOf(await createPublished(creator));
    const small = (await oembed(page, '&maxwidth=320&maxheight=180')).body;
    assert.deepEqual([small.width, small.height], [320, 180]);
    assert.equal(attribute(small.html, 'width'), '320');
    assert.match(attribute(small.html, 'style')!, /max-height:180px/);
    const large = (await oembed(page, '&maxwidth=5000&maxheight=5000')).body;
    assert.deepEqual([large.width, large.height], [600, 260]);
    assert.match(attribute(large.html, 'style')!, /max-height:5000px/);
  });

  it('are a link and a frame where scripts are taken out', async () => {
    const title = 'Keep <b>"our"</b> river & path open';
    const petition = await createPublished(creator, { title });
    const { page, embed } = addressesOf(petition);
    const { html } = (await oembed(page)).body;
    const kept = asWordPressFilters(html, 'k3Jd92hsQa');
    assert.ok(kept, html);
    assert.equal(attribute(kept, 'href'), page);
    assert.ok(kept.includes(`>${escapeHtml(title)}</a>`), kept);
    assert.equal(attribute(kept, 'src'), `${embed}#?secret=k3Jd92hsQa`);
  });

  it('always have a thumbnail that fits', async () => {
    const petition = await createPublished(creator, { language: 'ar' });
    const { page } = addressesOf(petition);
    for (const [limits, width, height] of [
      ['', 1200, 630],
      ['&maxwidth=600', 600, 315],
      ['&maxwidth=1000&maxheight=180', 300, 158],
      ['&maxwidth=100', 150, 79],
    ] as const) {
      const { body } = await oembed(page, limits);
      assert.deepEqual([body.thumbnail_width, body.thumbnail_height], [width, height], limits);
      assert.ok(body.thumbnail_url.startsWith(`${page}/card.jpg?lang=`), body.thumbnail_url);
      const picture = await fetch(body.thumbnail_url);
      assert.equal(picture.headers.get('content-type'), 'image/jpeg');
      const size = await sharp(await picture.arrayBuffer()).metadata();
      assert.deepEqual([size.width, size.height], [width, height]);
    }
    assert.notEqual((await fetch(`${page}/card.jpg?width=151`)).status, 200);
  });

  it('accept every URL of a petition, and the theme of an embedded one', async () => {
    const petition = await createPublished(creator);
    const { page, embed } = addressesOf(petition);
    const byId = `${service.origin}/p/${petition.id}`;
    for (const url of [page, embed, byId, `${page}/`, `${page}?utm_source=x#top`]) {
      const { status, body } = await oembed(url);
      assert.equal(status, 200, url);
      assert.equal(attribute(body.html, 'src'), embed);
    }
    const dark = await oembed(`${embed}?theme=dark`);
    assert.equal(attribute(dark.body.html, 'src'), `${embed}?theme=dark`);
    const secure = await oembed(page.replace('http:', 'https:'));
    assert.equal(secure.status, 200);
  });

  it('are refused with 400, 404 or 501', async () => {
    const petition = await createPublished(creator);
    const { page } = addressesOf(petition);
    const hidden = await createPublished(creator, { visibility: 'private' });
    const unfinished = await createDraft(creator);
    for (const [url, more, status] of [
      [page, '&format=xml', 501],
      [page, '&format=yaml', 400],
      [page, '&maxwidth=0', 400],
      [page, '&maxwidth=wide', 400],
      ['', '', 400],
      ['/p/river', '', 400],
      [`${service.origin}/p/no-such-petition`, '', 404],
      [`${service.origin}/p/%zz`, '', 400],
      [`${service.origin}/p/%2e%2e%2fhealth`, '', 404],
      [`${service.origin}/v1/petitions/${petition.slug}`, '', 404],
      [`https://elsewhere.example/p/${petition.slug}`, '', 404],
      ['mailto:somebody@example.org', '', 404],
      [addressesOf(hidden).page, '', 404],
      [addressesOf(unfinished).page, '', 404],
    ] as const) {
      assert.equal((await oembed(url, more)).status, status, `${url} ${more}`);
    }
    assert.equal((await service.api.get('/v1/oembed')).status, 400);
    const unlisted = await createPublished(creator, { visibility: 'unlisted' });
    assert.equal((await oembed(addressesOf(unlisted).page)).status, 200);
  });

  it('return HTML that shows a petition to anyone', async () => {
    const petition = await createPublished(creator);
    const { embed } = addressesOf(petition);
    const path = `/v1/petitions/${petition.slug}/embed`;
    const plain = await service.api.post(path);
    assert.equal(plain.status, 200);
    assert.equal(plain.body.data.url, embed);
    const input = { theme: 'dark', width: 480, height: 300 };
    const { data } = (await service.api.post(path, input)).body;
    assert.equal(data.url, `${embed}?theme=dark`);
    assert.deepEqual(
      ['src', 'width', 'height'].map((name) => attribute(data.html, name)),
      [data.url, '480', '300'],
    );
    const described = await fetch(data.oembed_url);
    const { html } = (await described.json()) as { html: string };
    assert.equal(attribute(html, 'src'), data.url);
    for (const wrong of [{ theme: 'pink' }, { width: 199 }, { width: 2001 }, { height: '300' }]) {
      assert.equal((await service.api.post(path, wrong)).status, 422, JSON.stringify(wrong));
    }
  });

  it('return no HTML for petitions that are not public', async () => {
    const hidden = await createPublished(creator, { visibility: 'private' });
    const unfinished = await createDraft(creator);
    const statusFor = async (api: Person['api'], { id }: { id: string }) =>
      (await api.post(`/v1/petitions/${id}/embed`)).status;
    assert.deepEqual(
      [await statusFor(service.api, hidden), await statusFor(creator.api, hidden)],
      [403, 409],
    );
    assert.deepEqual(
      [await statusFor(service.api, unfinished), await statusFor(creator.api, unfinished)],
      [404, 409],
    );
  });

  it('show a small page that anyone can frame, without external resources', async () => {
    const petition = await createPublished(creator, {
      title: 'Keep the path open',
      signatureGoal: 50,
    });
    await creator.api.post(`/v1/petitions/${petition.id}/signatures`);
    const { status, headers, body } = await service.api.get(`/embed/p/${petition.slug}?theme=dark`);
    assert.equal(status, 200);
    assert.match(body, /data-theme="dark"/);
    assert.match(body, /<progress max="50" value="1"/);
    assert.match(body, /<strong data-count>1<\/strong> <span data-noun>signature<\/span>/);
    const policy = headers.get('content-security-policy')!;
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors \*/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(headers.get('set-cookie'), null);
    const addresses = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    assert.ok(addresses.every((address) => address.startsWith(service.origin)));
    const script = await fetch(addresses.find((address) => address.includes('widget.js')) ?? '');
    assert.match(script.headers.get('cache-control')!, /immutable/);
    const bytes = Buffer.byteLength(body) + (await script.arrayBuffer()).byteLength;
    assert.ok(bytes < 15_000, `${bytes} bytes`);
  });

  it('show in the frame how a petition has ended, and why one cannot be shown', async () => {
    const closed = await createPublished(creator);
    await creator.api.post(`/v1/petitions/${closed.id}/close`);
    const page = await service.api.get(`/embed/p/${closed.slug}`);
    assert.match(page.body, /<p class="end" data-when="closed">/);
    assert.match(page.body, /<p data-when="active" hidden>/);
    const hidden = await createPublished(creator, { visibility: 'private' });
    for (const [slug, status] of [
      [hidden.slug, 403],
      [(await createDraft(creator)).slug, 404],
      ['no-such-petition', 404],
    ]) {
      const refusal = await service.api.get(`/embed/p/${slug}`);
      assert.equal(refusal.status, status);
      assert.match(refusal.body, /<h1>This petition cannot be shown/);
      assert.match(refusal.headers.get('content-security-policy')!, /frame-ancestors \*/);
    }
  });
});
