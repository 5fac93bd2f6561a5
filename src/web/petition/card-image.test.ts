import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { Problem } from '../../platform/problems.ts';
import { cardVersion, shownCount } from '../../reach/embeds/embeds.ts';
import { cardOf } from './card-image.ts';

describe('the card of a petition', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ env: { LOG_LEVEL: 'fatal' } });
    creator = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  /** The address of the card in the page's head, as it is reached here. */
  const addressIn = async (slug: string) => {
    const { body } = await service.api.get(`/p/${slug}`);
    const [, url] = /property="og:image" content="([^"]+)"/.exec(String(body))!;
    return url!.replaceAll('&amp;', '&').replace(service.ctx.config.baseUrl, service.origin);
  };

  const fetchCard = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, { headers });
    return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
  };

  /** The colour at a place that no text covers. */
  const colorOf = async (bytes: Buffer) => {
    const area = { left: 1100, top: 160, width: 20, height: 20 };
    const { channels } = await sharp(await sharp(bytes).extract(area).toBuffer()).stats();
    return channels.map(({ mean }) => mean);
  };

  const token = 'a1'.repeat(16);
  const photoUrl = () => `${service.ctx.config.baseUrl}/media/${token}-1280.webp`;
  const storePhoto = async () => {
    const create = { width: 1280, height: 900, channels: 3, background: '#ff8800' } as const;
    const bytes = await sharp({ create }).webp().toBuffer();
    await service.ctx.blobs.put(`images/${token}-1280.webp`, bytes, 'image/webp');
  };

  it('is a JPEG file of 1200 × 630 that caches keep while its address stays', async () => {
    const petition = await createPublished(creator, {
      title: 'Größe & **حافظوا** على ممر <النهر> '.repeat(5).trim(),
    });
    const url = await addressIn(petition.slug);
    assert.match(url, /\/card\.jpg\?lang=en&v=[\w-]{10}$/);
    const { answer, bytes } = await fetchCard(url);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'image/jpeg');
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=2592000');
    const { width, height, format } = await sharp(bytes).metadata();
    assert.deepEqual({ width, height, format }, { width: 1200, height: 630, format: 'jpeg' });
    assert.ok(bytes.length < 300_000);
    const held = await fetchCard(url, { 'if-none-match': answer.headers.get('etag')! });
    assert.equal(held.answer.status, 304);
    const { body } = await service.api.get(`/p/${petition.slug}`);
    assert.match(body, /og:image:type" content="image\/jpeg"/);
    assert.match(body, /og:image:width" content="1200"/);
    assert.match(body, /og:image:height" content="630"/);
    assert.match(body, /og:image:alt" content="Größe &amp; حافظوا على/);
    assert.match(body, /twitter:card" content="summary_large_image"/);
  });

  it('answers at old addresses, for a shorter time', async () => {
    const { slug } = await createPublished(creator);
    for (const [path, type] of [
      ['card.png?lang=ar', 'image/png'],
      ['card.png?lang=xx&width=300', 'image/png'],
      ['card.jpg', 'image/jpeg'],
      ['card.jpg?lang=en&v=older', 'image/jpeg'],
    ] as const) {
      const { answer } = await fetchCard(`${service.origin}/p/${slug}/${path}`);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers.get('content-type'), type);
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=300');
    }
    const missing = await fetchCard(`${service.origin}/p/no-such-petition/card.jpg`);
    assert.equal(missing.answer.status, 404);
  });

  it('shows the photo that was uploaded here, and is plain without it', async () => {
    const { id, slug } = await createPublished(creator);
    const plain = await fetchCard(await addressIn(slug));
    // Fields of colour are dark.
    assert.ok(Math.max(...(await colorOf(plain.bytes))) < 175);

    await creator.api.patch(`/v1/petitions/${id}`, { imageUrl: photoUrl() });
    const address = await addressIn(slug);
    const unreadable = await fetchCard(address);
    assert.equal(unreadable.answer.status, 200);
    assert.equal(unreadable.answer.headers.get('cache-control'), 'public, max-age=300');
    assert.ok(Math.max(...(await colorOf(unreadable.bytes))) < 175);

    await storePhoto();
    const other = await createPublished(creator, { imageUrl: photoUrl() });
    const shown = await fetchCard(await addressIn(other.slug));
    assert.equal(shown.answer.headers.get('cache-control'), 'public, max-age=2592000');
    const [red, green, blue] = await colorOf(shown.bytes);
    assert.ok(red! > 150 && red! > green! + 40 && green! > blue! + 40, `${red} ${green} ${blue}`);

    const elsewhere = await createPublished(creator, {
      imageUrl: 'https://pictures.example/a.png',
    });
    const { answer } = await fetchCard(await addressIn(elsewhere.slug));
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=2592000');
  });

  it('has an address that changes with title, picture, status, range of the count and name of the site', () => {
    const one = { id: '1', title: 'A', image_url: null, signature_count: 1234, status: 'active' };
    const site = { name: 'Petitions' };
    const version = cardVersion(one, site);
    assert.equal(cardVersion({ ...one, signature_count: 1299 }, site), version);
    for (const change of [
      { title: 'B' },
      { image_url: 'https://pictures.example/a.png' },
      { signature_count: 1200 },
      { signature_count: 1300 },
      { status: 'victory' },
    ]) {
      assert.notEqual(cardVersion({ ...one, ...change }, site), version, JSON.stringify(change));
    }
    assert.notEqual(cardVersion(one, { name: 'Our City' }), version);
  });

  it('rounds counts down to two digits', () => {
    assert.deepEqual(
      [0, 7, 99, 100, 129, 2310, 1_999_999].map((count) => shownCount(count)),
      [
        { count: 0, isExact: true },
        { count: 7, isExact: true },
        { count: 99, isExact: true },
        { count: 100, isExact: true },
        { count: 120, isExact: false },
        { count: 2300, isExact: false },
        { count: 1_900_000, isExact: false },
      ],
    );
  });

  it('is refused while too many others are drawn', async () => {
    const options = { language: 'en', width: 150, format: 'jpeg' } as const;
    const draw = async (n: number) =>
      cardOf(
        service.ctx,
        { id: `${n}`, title: 'Many', image_url: null, signature_count: 0, status: 'active' },
        options,
      );
    const answers = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => draw(n)));
    const refused = answers.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 15);
    for (const { reason } of refused as PromiseRejectedResult[]) {
      assert.ok(reason instanceof Problem && reason.kind === 'unavailable');
    }
    assert.ok((await draw(39)).bytes.length > 0);
  });
});
