import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { draft, published, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('the page of a petition', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Ada <Lovelace>');
  });
  after(() => service[Symbol.asyncDispose]());

  const read = (slug: string) => service.api.get(`/p/${slug}`);

  it('shows what the petition says, as text and nothing else', async () => {
    const petition = await published(creator, {
      title: 'Open the <script>alert(1)</script> path',
      description: `First line & <img src=x onerror=alert(1)>.\n\n"Second" paragraph, long enough. ${'More words. '.repeat(30)}`,
      imageUrl: 'https://pictures.example/river.jpg?a="b"',
      signatureGoal: 1000,
    });
    const { status, headers, body } = await read(petition.slug);
    assert.equal(status, 200);
    assert.match(
      body,
      /<h1 dir="auto">Open the &lt;script&gt;alert\(1\)&lt;\/script&gt; path<\/h1>/,
    );
    assert.match(body, /First line &amp; &lt;img src=x onerror=alert\(1\)&gt;/);
    assert.match(body, /Started by Ada &lt;Lovelace&gt;/);
    assert.match(body, /<strong>0<\/strong> signatures <span class="quiet">of 1,000<\/span>/);
    assert.match(body, /<progress max="1000" value="0"/);
    assert.match(body, /<img src="https:\/\/pictures\.example\/river\.jpg\?a=&quot;b&quot;"/);
    assert.match(
      body,
      /<meta property="og:description" content="First line .{100,220}More words\.…">/,
    );
    assert.doesNotMatch(body, /noindex/);
    assert.match(headers.get('content-security-policy')!, /frame-ancestors 'none'/);
    assert.doesNotMatch(headers.get('content-security-policy')!, /unsafe/);
  });

  it('tells how it ended', async () => {
    const petition = await published(creator);
    const message = { victory_message: 'They <listened>.' };
    await creator.api.post(`/v1/petitions/${petition.id}/victory`, message);
    assert.match((await read(petition.slug)).body, /Victory!.*They &lt;listened&gt;\./);
    const other = await published(creator);
    await creator.api.post(`/v1/petitions/${other.id}/close`);
    assert.match((await read(other.slug)).body, /This petition is closed/);
  });

  it('is open to whom the petition is', async () => {
    for (const slug of [(await draft(creator)).slug, 'no-such-petition']) {
      const { status, body } = await read(slug);
      assert.equal(status, 404);
      assert.match(body, /<h1>/);
    }
    const hidden = await published(creator, { visibility: 'private' });
    assert.equal((await read(hidden.slug)).status, 403);
    assert.equal((await read(`${hidden.slug}?access_code=wrong`)).status, 403);
    const own = await creator.api.get(`/v1/petitions/${hidden.id}`);
    const shown = await read(`${hidden.slug}?access_code=${own.body.data.access_code}`);
    assert.equal(shown.status, 200);
    assert.match(shown.headers.get('cache-control')!, /no-store/);
    assert.match(shown.body, /noindex/);
    // oEmbed tells nothing of it, so the page does not lead there.
    assert.equal(shown.headers.get('link'), null);
    assert.doesNotMatch(shown.body, /oembed|\/embed\//);
  });
});
