import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { noiseImage, pngOfZeros } from '../../../test/support/pictures.ts';
import { startReceiver, type Receiver } from '../../../test/support/receiver.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { addJob } from '../../platform/jobs.ts';
import { HttpClient } from '../../platform/safe-fetch.ts';
import { petitionImage } from '../petitions/image.ts';
import { copyBackfill, copyPicture } from './copies.ts';
import type { PictureOwners } from './media.ts';

interface Copy {
  token: string;
  status: string;
  failure: string | null;
  attempts: number;
}

/** Answers by path; paths that are not listed get 404. */
const answers = new Map<string, RequestListener>();
const loopbackOnly = () =>
  new HttpClient({
    publicOnly: false,
    isAllowed: (address) => address === '127.0.0.1',
    timeoutMs: 3000,
  });

describe('pictures of other hosts', () => {
  let host: Receiver;
  let service: Service;
  let creator: Person;
  let photo: Buffer;
  let pathCount = 0;
  before(async () => {
    photo = await noiseImage(700, 400).jpeg().toBuffer();
    host = await startReceiver((request, response) => {
      const answer = answers.get(request.url!);
      if (answer) answer(request, response);
      else response.writeHead(404).end();
    });
    service = await startService({ worker: true, parts: { httpClient: loopbackOnly() } });
  });
  beforeEach(async () => {
    creator = await signUp(service);
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
  });

  const sendPhoto: RequestListener = (_, response) => response.end(photo);
  /** A new address on the other host. */
  const addressOf = (answer: RequestListener = sendPhoto): string => {
    const path = `/${(pathCount += 1)}.jpg`;
    answers.set(path, answer);
    return host.origin + path;
  };
  /** An address whose answers wait for `send`. */
  const heldAddress = () => {
    const waiting: ServerResponse[] = [];
    let isSent = false;
    const url = addressOf((_, response) => {
      if (isSent) response.end(photo);
      else waiting.push(response);
    });
    const send = () => {
      isSent = true;
      for (const response of waiting) response.end(photo);
    };
    return { url, isAsked: () => waiting.length > 0, send };
  };
  const copyOf = (url: string, { ctx } = service) =>
    ctx.pools.main.first<Copy>`
      select token, status, failure, attempts from picture_copies
      where url_hash = ${createHash('sha256').update(url).digest()}`;
  const untilStatus = (url: string, status: string) =>
    eventually(async () => (await copyOf(url))?.status === status, 60_000);
  const pageAt = async (path: string): Promise<string> => {
    const { status, body } = await service.api.get(path, { headers: { accept: 'text/html' } });
    assert.equal(status, 200, path);
    return String(body);
  };
  const imagesIn = (page: string) => page.match(/<img\b[^>]*>/g) ?? [];
  const isServed = async (token: string, size: number) =>
    (await fetch(`${service.origin}/media/${token}-${size}.webp`)).status === 200;

  it('are shown as copies of ours once these are ready, and before not at all', async () => {
    const { url, isAsked, send } = heldAddress();
    const { id, slug } = await createPublished(creator, { imageUrl: url });
    await eventually(isAsked);
    const earlier = await pageAt(`/p/${slug}`);
    assert.deepEqual(imagesIn(earlier), []);
    assert.ok(!earlier.includes(host.origin));
    const cardBefore = /og:image" content="([^"]+)"/.exec(earlier)![1]!;
    assert.equal(await copyOf(url).then((copy) => copy?.status), 'wanted');

    send();
    await untilStatus(url, 'ready');
    const { token } = (await copyOf(url))!;
    const own = (size: number) => `http://petitions.test/media/${token}-${size}.webp`;
    await eventually(async () => imagesIn(await pageAt(`/p/${slug}`)).length === 1);
    const page = await pageAt(`/p/${slug}`);
    const [image] = imagesIn(page);
    assert.match(image!, /width="700" height="400"/);
    assert.ok(image!.includes(`srcset="${own(320)} 320w, ${own(640)} 640w, ${own(1280)} 700w"`));
    assert.ok(image!.includes(`src="${own(1280)}"`));
    assert.ok(page.includes(`"image":["${own(1280)}",`), 'structured data');
    assert.ok(!page.includes(host.origin));
    for (const size of [320, 640, 1280]) assert.ok(await isServed(token, size), `${size}`);

    const card = /og:image" content="([^"]+)"/.exec(page)![1]!;
    assert.notEqual(card, cardBefore);
    const cardPath = (address: string) =>
      address.replaceAll('&amp;', '&').replace('http://petitions.test', service.origin);
    const drawn = await fetch(cardPath(card));
    assert.match(drawn.headers.get('cache-control')!, /max-age=2592000/);
    const plain = await createPublished(creator);
    const plainCard = await fetch(`${service.origin}/p/${plain.slug}/card.jpg`);
    const sizeOf = async (answer: Response) => (await answer.arrayBuffer()).byteLength;
    assert.ok((await sizeOf(drawn)) > 2 * (await sizeOf(plainCard)), 'the card shows the photo');

    const { body: oembed } = await service.api.get(
      `/v1/oembed?url=${encodeURIComponent(`http://petitions.test/p/${slug}`)}`,
    );
    assert.equal(oembed.thumbnail_url, own(1280));
    assert.equal(oembed.thumbnail_width, 700);
    // The API shows what was sent.
    assert.equal((await service.api.get(`/v1/petitions/${id}`)).body.data.image_url, url);
  });

  it('are copied for avatars, updates and organizations too', async () => {
    const [avatar, news, logo, cover] = [addressOf(), addressOf(), addressOf(), addressOf()];
    const { url: slow, isAsked, send } = heldAddress();
    const { id, slug } = await createPublished(creator);
    const update = { title: 'News', body: 'There is some.', image_url: news };
    assert.equal((await creator.api.post(`/v1/petitions/${id}/updates`, update)).status, 201);
    const { body } = await creator.api.post('/v1/organizations', {
      name: `Friends of ${slug}`,
      logo_url: logo,
    });
    const { slug: org, id: orgId } = body.data;
    await creator.api.patch(`/v1/organizations/${orgId}`, { cover_url: cover });
    for (const url of [news, logo, cover]) await untilStatus(url, 'ready');
    const page = await pageAt(`/o/${org}`);
    for (const url of [logo, cover]) assert.ok(page.includes((await copyOf(url))!.token));
    assert.ok((await pageAt(`/p/${slug}/updates`)).includes((await copyOf(news))!.token));

    // The initial stands for an avatar that is not ready.
    await creator.api.patch('/v1/users/me', { avatar_url: slow });
    await eventually(isAsked);
    assert.match(await pageAt(`/u/${creator.slug}`), /<span class="avatar large"[^>]*>A<\/span>/);
    send();
    await untilStatus(slow, 'ready');
    const profile = await pageAt(`/u/${creator.slug}`);
    assert.match(profile, /<img class="avatar large"[^>]* width="80" height="80"/);
    await creator.api.patch('/v1/users/me', { avatar_url: avatar });
    await untilStatus(avatar, 'ready');
    await eventually(async () => (await copyOf(slow)) === undefined);
  });

  it('are fetched once for all records', async () => {
    const url = addressOf();
    const other = await signUp(service);
    await Promise.all([
      createPublished(creator, { imageUrl: url }),
      createPublished(other, { imageUrl: url }),
      other.api.patch('/v1/users/me', { avatar_url: url }),
    ]);
    await untilStatus(url, 'ready');
    await untilNoJobs('copy-picture');
    assert.equal(host.at(new URL(url).pathname).length, 1);
  });

  const untilNoJobs = (task: string) =>
    eventually(
      async () =>
        !(await service.ctx.pools.main.exists`
          select from graphile_worker.jobs where task_identifier = ${task} and attempts = 0`),
    );

  it('lose their copy when no record uses them any more', async () => {
    const [shared, replaced] = [addressOf(), addressOf()];
    const first = await createPublished(creator, { imageUrl: shared });
    const second = await createPublished(creator, { imageUrl: shared });
    await untilStatus(shared, 'ready');
    const { token } = (await copyOf(shared))!;
    const change = (id: string, imageUrl: string | null) =>
      creator.api.patch(`/v1/petitions/${id}`, { imageUrl });
    await change(first.id, replaced);
    await untilStatus(replaced, 'ready');
    await untilNoJobs('remove-picture-copy');
    assert.equal((await copyOf(shared))?.token, token);
    await change(second.id, null);
    await eventually(async () => (await copyOf(shared)) === undefined);
    await eventually(async () => !(await isServed(token, 640)));
  });

  it('lose it by a daily sweep after a petition is deleted, and with an account', async () => {
    const [kept, ofPetition, ofAccount] = [addressOf(), addressOf(), addressOf()];
    await createPublished(creator, { imageUrl: kept });
    const { id } = await createPublished(creator, { imageUrl: ofPetition });
    const leaving = await signUp(service);
    await leaving.api.patch('/v1/users/me', { avatar_url: ofAccount });
    for (const url of [kept, ofPetition, ofAccount]) await untilStatus(url, 'ready');
    const { token } = (await copyOf(ofPetition))!;
    const { password } = leaving;
    const erased = await leaving.api.delete('/v1/users/me', { password });
    assert.ok(erased.status < 300, JSON.stringify(erased.body));
    await eventually(async () => (await copyOf(ofAccount)) === undefined);

    assert.equal((await creator.api.delete(`/v1/petitions/${id}`)).status, 204);
    await addJob(service.ctx.pools.main, 'sweep-picture-copies', {});
    await eventually(async () => (await copyOf(ofPetition)) === undefined);
    await eventually(async () => !(await isServed(token, 320)));
    assert.equal((await copyOf(kept))?.status, 'ready');
  });

  it('are given up at once with the reason if another attempt would fail too', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    const send =
      (type: string, bytes: Buffer | string): RequestListener =>
      (_, response) =>
        response.setHeader('content-type', type).end(bytes);
    const wide = await pngOfZeros(11_000, 1_000);
    const bomb = await pngOfZeros(9_000, 9_000);
    const hostile: [RequestListener, RegExp][] = [
      [(_, response) => response.writeHead(404).end(), /answered with status 404/],
      [(_, response) => response.writeHead(403).end(photo), /answered with status 403/],
      [send('text/html', '<!doctype html><title>Hello</title>'), /no JPEG, PNG/],
      [send('image/jpeg', svg), /no JPEG, PNG/],
      [send('image/svg+xml', svg), /no JPEG, PNG/],
      [send('image/jpeg', ''), /no JPEG, PNG/],
      [send('image/jpeg', photo.subarray(0, 2000)), /damaged|no JPEG/],
      [send('image/png', wide), /10 times as wide/],
      [send('image/png', bomb), /40 million pixels/],
      [send('image/jpeg', Buffer.concat([photo, Buffer.alloc(10_000_000)])), /too large/],
      [redirect('http://127.0.0.2:1/inside.jpg'), /not public/],
      [redirect('http://[::1]:1/inside.jpg'), /not public/],
      [redirect('ftp://127.0.0.1/inside.jpg'), /must be http/],
    ];
    for (const [answer, reason] of hostile) {
      const url = addressOf(answer);
      const { slug } = await createPublished(creator, { imageUrl: url });
      await untilStatus(url, 'failed');
      assert.match((await copyOf(url))!.failure!, reason);
      assert.equal(host.at(new URL(url).pathname).length, 1);
      assert.deepEqual(imagesIn(await pageAt(`/p/${slug}`)), []);
    }
  });

  const redirect =
    (location: string): RequestListener =>
    (_, response) =>
      response.writeHead(302, { location }).end();

  it('are taken by their bytes, and from where redirects lead', async () => {
    const webp = await noiseImage(50, 50).webp().toBuffer();
    const mislabelled = addressOf((_, response) =>
      response.setHeader('content-type', 'text/html').end(webp),
    );
    const moved = addressOf(redirect(new URL(addressOf()).pathname));
    for (const url of [mislabelled, moved]) {
      await createPublished(creator, { imageUrl: url });
      await untilStatus(url, 'ready');
    }
  });

  it('are tried again after failures that may be temporary', async () => {
    let count = 0;
    const url = addressOf((request, response) => {
      count += 1;
      if (count === 1) response.writeHead(503).end();
      else if (count === 2) response.write('slow');
      else sendPhoto(request, response);
    });
    await createPublished(creator, { imageUrl: url });
    await untilStatus(url, 'ready');
    assert.equal(count, 3);
    assert.equal((await copyOf(url))!.attempts, 2);
  });

  describe('without a worker', () => {
    const pictureOwners = { petition_image: petitionImage } as unknown as PictureOwners;
    let idle: Service;
    let person: Person;
    before(async () => {
      idle = await startService({ parts: { httpClient: loopbackOnly() } });
      person = await signUp(idle);
    });
    after(() => idle[Symbol.asyncDispose]());

    it('are given up after seven attempts, and tried again for another record', async () => {
      let isAway = true;
      const url = addressOf((request, response) =>
        isAway ? response.writeHead(500).end() : sendPhoto(request, response),
      );
      await createPublished(person, { imageUrl: url });
      for (let n = 1; n < 7; n += 1)
        await assert.rejects(copyPicture(idle.ctx, pictureOwners, url));
      await copyPicture(idle.ctx, pictureOwners, url);
      assert.match((await copyOf(url, idle))!.failure!, /status 500/);
      isAway = false;
      await copyPicture(idle.ctx, pictureOwners, url);
      assert.equal((await copyOf(url, idle))!.status, 'ready');
    });

    it('are copied by two workers at once to the same files', async () => {
      const url = addressOf();
      await createPublished(person, { imageUrl: url });
      await Promise.all([1, 2].map(() => copyPicture(idle.ctx, pictureOwners, url)));
      const { status, token } = (await copyOf(url, idle))!;
      assert.equal(status, 'ready');
      assert.equal((await fetch(`${idle.origin}/media/${token}-1280.webp`)).status, 200);
      await copyPicture(idle.ctx, pictureOwners, url);
      assert.ok(host.at(new URL(url).pathname).length <= 2);
    });

    it('leave no files if the record changes meanwhile, and are not fetched after that', async () => {
      const { url, isAsked, send } = heldAddress();
      const { id } = await createPublished(person, { imageUrl: url });
      const copying = copyPicture(idle.ctx, pictureOwners, url);
      await eventually(isAsked);
      const { token } = (await copyOf(url, idle))!;
      await person.api.patch(`/v1/petitions/${id}`, { imageUrl: null });
      await idle.ctx.pools.main`delete from picture_copies where token = ${token}`;
      send();
      await copying;
      assert.equal((await fetch(`${idle.origin}/media/${token}-640.webp`)).status, 404);
      await copyPicture(idle.ctx, pictureOwners, url);
      assert.equal(await copyOf(url, idle), undefined);
      assert.equal(host.at(new URL(url).pathname).length, 1);
    });

    it('of ours are not copied', async () => {
      const url = `http://petitions.test/media/${'ab'.repeat(16)}-640.webp`;
      await createPublished(person, { imageUrl: url });
      await copyPicture(idle.ctx, pictureOwners, url);
      assert.equal(await copyOf(url, idle), undefined);
    });

    it('that records had before are asked for by a backfill, each once', async () => {
      const db = idle.ctx.pools.main;
      const urls = [addressOf(), addressOf(), addressOf()];
      for (const url of [...urls, urls[0]!]) await createPublished(person, { imageUrl: url });
      await copyPicture(idle.ctx, pictureOwners, urls[2]!);
      await db`select graphile_worker.complete_jobs(array(
        select id from graphile_worker.jobs where task_identifier = 'copy-picture'))`;
      const backfill = copyBackfill(idle.ctx, pictureOwners);
      let cursor: string | null = null;
      let rows = 0;
      for (
        let done = await backfill.step(db, cursor);
        done;
        done = await backfill.step(db, cursor)
      ) {
        cursor = done.cursor;
        rows += done.rows;
      }
      const asked = await db.column<string>`
        select payload ->> 'url' from graphile_worker._private_jobs
        join graphile_worker._private_tasks t on t.id = task_id
        where t.identifier = 'copy-picture'`;
      assert.equal(rows, asked.length);
      assert.deepEqual(
        asked.filter((url) => urls.includes(url)).toSorted(),
        urls.slice(0, 2).toSorted(),
      );
    });
  });
});
