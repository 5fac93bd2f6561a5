import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { formOf, logInBrowser, type Browser } from '../../../test/support/browser.ts';
import type { Answer } from '../../../test/support/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createPublished,
  petitionInput,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { noiseImage } from '../../../test/support/pictures.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('words for pictures', () => {
  let service: Service;
  let creator: Person;
  let browser: Browser;
  let png: Blob;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Ada');
    browser = await logInBrowser(service, creator);
    png = new Blob([await noiseImage(40, 30).png().toBuffer()], { type: 'image/png' });
  });
  after(() => service[Symbol.asyncDispose]());

  let pictures = 0;
  const ownPicture = () =>
    `http://petitions.test/media/${String((pictures += 1)).padStart(32, '0')}-320.webp`;
  const shown = async (path: string) => {
    const { status, body } = await creator.api.get(path);
    assert.equal(status, 200);
    return body.data;
  };
  const refusal = ({ status, body }: Answer) => {
    assert.equal(status, 422, JSON.stringify(body));
    return [body.errors[0].field, body.errors[0].code];
  };

  it('stand in reads and lists of petitions, and go with the picture', async () => {
    const input = { imageUrl: ownPicture(), imageAlt: '  A path & a lamp ' };
    const { id } = await createPublished(creator, input);
    const path = `/v1/petitions/${id}`;
    const alt = async () => (await shown(path)).image_alt;
    assert.equal(await alt(), 'A path & a lamp');
    const [first] = await shown('/v1/petitions');
    assert.equal(first.image_alt, 'A path & a lamp');
    const change = (changes: object) => creator.api.patch(path, changes);
    assert.equal((await change({ imageAlt: 'A lamp' })).body.data.image_alt, 'A lamp');
    assert.equal((await change({ signatureGoal: 50 })).body.data.image_alt, 'A lamp');
    // The same picture again is no new one.
    const { image_url: imageUrl } = await shown(path);
    assert.equal((await change({ imageUrl })).body.data.image_alt, 'A lamp');
    const both = { imageUrl: ownPicture(), imageAlt: 'A bridge' };
    assert.equal((await change(both)).body.data.image_alt, 'A bridge');
    assert.equal((await change({ imageUrl: ownPicture() })).body.data.image_alt, null);
    await change({ imageAlt: 'A gate' });
    assert.equal((await change({ imageAlt: ' ' })).body.data.image_alt, null);
    await change({ imageAlt: 'A gate' });
    assert.equal((await change({ imageAlt: null })).body.data.image_alt, null);
    await change({ imageAlt: 'A gate' });
    const removed = (await change({ imageUrl: null })).body.data;
    assert.deepEqual([removed.image_url, removed.image_alt], [null, null]);
    const without = ['imageAlt', 'invalid_value'];
    assert.deepEqual(refusal(await change({ imageAlt: 'A gate' })), without);
    const draft = { ...petitionInput, imageAlt: 'A gate' };
    assert.deepEqual(refusal(await creator.api.post('/v1/petitions', draft)), without);
    const given = { ...petitionInput, imageUrl: ownPicture() };
    for (const [imageAlt, code] of [
      ['a'.repeat(301), 'too_big'],
      ['A \u202egate', 'invalid_characters'],
      ['\u200b', 'invalid_characters'],
      [1, 'invalid_type'],
    ] as const) {
      const answer = await creator.api.post('/v1/petitions', { ...given, imageAlt });
      assert.deepEqual(refusal(answer), ['imageAlt', code]);
    }
    const longest = { ...given, imageAlt: '🌳'.repeat(300) };
    assert.equal((await creator.api.post('/v1/petitions', longest)).status, 201);
  });

  it('stand in updates, and go with the picture', async () => {
    const { id } = await createPublished(creator);
    const news = { title: 'News', body: 'There is some.' };
    const posted = await creator.api.post(`/v1/petitions/${id}/updates`, {
      ...news,
      image_url: ownPicture(),
      image_alt: ' The town hall ',
    });
    assert.equal(posted.body.data.image_alt, 'The town hall');
    const path = `/v1/updates/${posted.body.data.id}`;
    const [listed] = await shown(`/v1/petitions/${id}/updates`);
    assert.equal(listed.image_alt, 'The town hall');
    const change = async (changes: object) => (await creator.api.patch(path, changes)).body.data;
    assert.equal((await change({ title: 'More news' })).image_alt, 'The town hall');
    assert.equal((await change({ image_alt: 'A vote' })).image_alt, 'A vote');
    assert.equal((await change({ image_url: ownPicture() })).image_alt, null);
    assert.equal((await change({ image_alt: 'A vote' })).image_alt, 'A vote');
    assert.equal((await change({ image_url: null })).image_alt, null);
    const without = ['image_alt', 'invalid_value'];
    assert.deepEqual(refusal(await creator.api.patch(path, { image_alt: 'A vote' })), without);
    const bare = { ...news, image_alt: 'A vote' };
    const refused = await creator.api.post(`/v1/petitions/${id}/updates`, bare);
    assert.deepEqual(refusal(refused), without);
  });

  it('come with an upload, which replaces those of the picture before', async () => {
    const input = { imageUrl: ownPicture(), imageAlt: 'A path' };
    const { id } = await createPublished(creator, input);
    const send = async (alt?: string) => {
      const { image_url: former } = await shown(`/v1/petitions/${id}`);
      const form = new FormData();
      form.set('file', png, 'picture.png');
      form.set('entity_type', 'petition_image');
      form.set('entity_id', id);
      if (alt !== undefined) form.set('image_alt', alt);
      const { status, body } = await creator.api.post('/v1/media/upload', form);
      assert.equal(status, 201, JSON.stringify(body));
      const current = () => shown(`/v1/petitions/${id}`);
      await eventually(async () => (await current()).image_url !== former);
      return (await current()).image_alt;
    };
    assert.equal(await send(' Noise '), 'Noise');
    assert.equal(await send(), null);
    const { body } = await creator.api.get('/v1/users/me/export');
    assert.ok(body.media.some(({ image_alt: alt }: { image_alt: string }) => alt === 'Noise'));
  });

  it('are the alternative text on pages', async () => {
    const input = { imageUrl: ownPicture(), imageAlt: 'A "path" <at dusk>' };
    const { id, slug } = await createPublished(creator, input);
    const update = { title: 'News', body: 'There is some.', image_url: ownPicture() };
    const path = `/v1/petitions/${id}/updates`;
    await creator.api.post(path, { ...update, image_alt: 'The town hall' });
    const page = async (address: string) => String((await service.api.get(address)).body);
    const alts = (html: string) =>
      [...html.matchAll(/<img[^>]* alt="([^"]*)"/g)].map(([, alt]) => alt);
    const escaped = 'A &quot;path&quot; &lt;at dusk&gt;';
    assert.deepEqual(alts(await page(`/p/${slug}`)), [escaped, 'The town hall']);
    const { slug: plain } = await createPublished(creator, { imageUrl: ownPicture() });
    assert.deepEqual(alts(await page(`/p/${plain}`)), ['']);
    // The title stands beside the picture of a card.
    await eventually(async () => (await page('/')).includes(slug));
    const home = await page('/');
    assert.ok(alts(home).length > 0);
    assert.doesNotMatch(home, /at dusk/);
  });

  const upload = (path: string, page: Answer, fields: Record<string, Blob | string>) => {
    const form = new FormData();
    const { _token: token } = formOf(page, path).fields;
    form.set('_token', token!);
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') form.set(name, value);
      else form.set(name, value, 'picture');
    }
    return service.api.send('POST', path, form, {
      headers: { cookie: browser.cookies, origin: 'http://petitions.test' },
    });
  };

  it('are typed beside the file, or changed afterwards', async () => {
    const petition = await createPublished(creator);
    const posted = await creator.api.post(`/v1/petitions/${petition.id}/updates`, {
      title: 'News',
      body: 'There is some.',
    });
    const update = posted.body.data.id;
    const base = `/dashboard/petitions/${petition.id}`;
    for (const { page, at, read, field } of [
      {
        page: `${base}/edit`,
        at: `${base}/picture`,
        read: `/v1/petitions/${petition.id}`,
        field: 'imageAlt',
      },
      {
        page: `${base}/updates/${update}`,
        at: `${base}/updates/${update}/picture`,
        read: `/v1/updates/${update}`,
        field: 'image_alt',
      },
    ]) {
      const empty = await browser.open(page);
      assert.match(empty.body, /For people who cannot see it/);
      assert.doesNotMatch(empty.body, /Save the description/);
      // What was typed is there again where the file was refused.
      const text = new Blob(['no picture'], { type: 'text/plain' });
      const refused = await upload(at, empty, { file: text, image_alt: 'A <lamp>' });
      assert.equal(refused.status, 422);
      assert.match(refused.body, /name="image_alt"[^>]* value="A &lt;lamp&gt;"/);
      const wrong = await upload(at, empty, { file: png, image_alt: 'A \u202elamp' });
      assert.equal(wrong.status, 422);
      assert.match(wrong.body, /id="picture-alt-wrong">/);
      assert.doesNotMatch(wrong.body, /id="picture-wrong"[^>]*>Choose/);

      const sent = await upload(at, empty, { file: png, image_alt: 'A <lamp>' });
      assert.equal(sent.status, 303, sent.body);
      await eventually(async () => (await shown(read)).image_alt === 'A <lamp>');
      const filled = await browser.open(page);
      assert.match(filled.body, new RegExp(`name="${field}"[^>]* value="A &lt;lamp&gt;"`));
      const long = await browser.submit(filled, { [field]: 'a'.repeat(301) }, `${at}/alt`);
      assert.equal(long.status, 422);
      assert.match(long.body, /id="picture-current-alt-wrong"/);
      assert.match(long.body, /value="a{301}"/);
      const saved = await browser.submit(filled, { [field]: 'Two lamps' }, `${at}/alt`);
      assert.equal(saved.status, 200);
      assert.match(saved.body, /role="status">[^<]*(saved|changed)/i);
      assert.equal((await shown(read)).image_alt, 'Two lamps');
      await browser.submit(await browser.open(page), { [field]: '' }, `${at}/alt`);
      assert.equal((await shown(read)).image_alt, null);
    }
    const settings = await browser.open('/settings');
    assert.doesNotMatch(settings.body, /image_alt/);
  });
});
