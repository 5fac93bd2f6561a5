import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { noiseImage, uploadAndConfirm } from '../../../test/support/pictures.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('pictures of pages', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  /** The image elements of a page, as attributes by name. */
  const imagesOf = async (path: string) => {
    const { body } = await service.api.get(path, { headers: { accept: 'text/html' } });
    return [...String(body).matchAll(/<img\b[^>]*>/g)].map(
      ([tag]) =>
        Object.fromEntries(
          [...tag.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
        ) as Record<string, string>,
    );
  };

  /** Those that are no avatars. */
  const picturesOf = async (path: string) =>
    (await imagesOf(path)).filter(({ class: name }) => !name?.includes('avatar'));

  /** Uploads a picture of 1400 × 700 for a record. Returns the address of its largest variant. */
  const upload = async (entity_type: string, entity_id?: string): Promise<string> => {
    const bytes = await noiseImage(1400, 700).jpeg({ quality: 30 }).toBuffer();
    const { body } = await uploadAndConfirm(service, creator, {
      bytes,
      content_type: 'image/jpeg',
      entity_type,
      ...(entity_id && { entity_id }),
    });
    let url = '';
    await eventually(async () => {
      const { data } = (await creator.api.get(`/v1/media/${body.data.id}`)).body;
      url = data.variants.at(-1)?.url ?? '';
      return data.status === 'ready';
    }, 20_000);
    return url;
  };

  const srcsetOf = (url: string) =>
    [320, 640, 1280].map((size) => `${url.replace('-1280', `-${size}`)} ${size}w`).join(', ');

  it('offer variants, keep their place, and load the main one first', async () => {
    const { id, slug } = await createPublished(creator);
    await creator.api.post(`/v1/petitions/${id}/updates`, {
      title: 'News',
      body: 'There is some.',
    });
    const [update] = (await service.api.get(`/v1/petitions/${id}/updates`)).body.data;
    const url = await upload('petition_image', id);
    const updateUrl = await upload('petition_update_image', update.id);
    const avatarUrl = await upload('user_avatar');
    await eventually(async () => (await picturesOf(`/p/${slug}`)).length >= 2);
    const [main, news] = await picturesOf(`/p/${slug}`);
    assert.equal(main!.src, url);
    assert.equal(main!.srcset, srcsetOf(url));
    assert.match(main!.sizes!, /100vw/);
    assert.deepEqual([main!.width, main!.height], ['1280', '640']);
    assert.equal(main!.fetchpriority, 'high');
    assert.equal(main!.loading, undefined);
    assert.equal(main!.decoding, 'async');
    assert.equal(news!.srcset, srcsetOf(updateUrl));
    assert.equal(news!.loading, 'lazy');
    assert.deepEqual([news!.width, news!.height], ['1280', '640']);
    const [ofList] = await picturesOf(`/p/${slug}/updates`);
    assert.equal(ofList!.srcset, srcsetOf(updateUrl));

    for (let n = 0; n < 4; n += 1) await createPublished(creator, { imageUrl: url });
    for (const path of ['/', '/petitions', `/u/${creator.slug}`]) {
      let cards: Record<string, string>[] = [];
      await eventually(async () => {
        cards = await picturesOf(path);
        return cards.length >= 5;
      });
      for (const card of cards) {
        assert.equal(card.srcset, srcsetOf(url), path);
        assert.deepEqual([card.width, card.height], ['640', '360']);
      }
      assert.equal(cards[0]!.loading, undefined, path);
      assert.equal(cards.at(-1)!.loading, 'lazy', path);
    }
    const profile = await imagesOf(`/u/${creator.slug}`);
    const avatar = profile.find(({ class: name }) => name?.includes('avatar'))!;
    assert.equal(avatar.srcset, srcsetOf(avatarUrl));
    assert.equal(avatar.sizes, '5rem');
  });
});
