import assert from 'node:assert/strict';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { eventually } from '../../../test/support/eventually.ts';
import { createDraft, createPublished, signUp, type Person } from '../../../test/support/people.ts';
import {
  uploadAndConfirm,
  gifOf,
  noiseImage,
  pngOfZeros,
  toReachableUrl,
  sendUpload,
} from '../../../test/support/pictures.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import type { Blobs } from '../../platform/blobs.ts';
import type { Tx } from '../../platform/db.ts';
import { addJob } from '../../platform/jobs.ts';
import type { PictureOwners } from './media.ts';
import { processMedia } from './processing.ts';

interface MediaBody {
  id: string;
  status: string;
  variants: { width: number; height: number; url: string }[];
  failure: { code: string; message: string } | null;
}

describe('media', () => {
  let service: Service;
  let owner: Person;
  let other: Person;
  before(async () => {
    service = await startService({ worker: true });
    owner = await signUp(service, 'Owner');
    other = await signUp(service, 'Other');
  });
  after(() => service[Symbol.asyncDispose]());

  const directory = () => join(service.ctx.config.dataDir, 'media');
  /** Returns the names of all stored files. */
  const files = async () =>
    (await readdir(directory(), { recursive: true, withFileTypes: true }).catch(() => []))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  const token = (url: string) => /([0-9a-f]{32})-\d+\.webp$/.exec(url)![1]!;

  const read = async (id: string, person = owner): Promise<MediaBody> => {
    const { status, body } = await person.api.get(`/v1/media/${id}`);
    assert.equal(status, 200);
    return body.data;
  };
  /** Waits until the media is ready or failed. */
  const done = async (id: string, person = owner): Promise<MediaBody> => {
    const isDone = async () => ['ready', 'failed'].includes((await read(id, person)).status);
    await eventually(isDone, 60_000);
    return read(id, person);
  };
  const fetchVariant = (url: string, init?: RequestInit) =>
    fetch(toReachableUrl(service, url), init);
  const bytesOf = async (url: string) => Buffer.from(await (await fetchVariant(url)).arrayBuffer());
  const ready = async (
    input: Parameters<typeof uploadAndConfirm>[2],
    person = owner,
  ): Promise<MediaBody> => {
    const answer = await uploadAndConfirm(service, person, input);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const media = await done(answer.body.data.id, person);
    assert.equal(media.status, 'ready');
    return media;
  };
  const png = async (width = 40, height = 30) => noiseImage(width, height).png().toBuffer();
  const pngUpload = async () => ({ bytes: await png(), content_type: 'image/png' });

  it('converts an upload to variants that everybody may fetch and cache', async () => {
    const bytes = await noiseImage(2000, 1000).jpeg({ quality: 50 }).toBuffer();
    const sent = await sendUpload(service, owner, { bytes, content_type: 'image/jpeg' });
    assert.equal(sent.put.status, 204);
    assert.equal((await read(sent.media_id)).status, 'pending');
    const answer = await owner.api.post('/v1/media/confirm', { media_id: sent.media_id });
    assert.equal(answer.status, 200);
    const { variants } = await done(sent.media_id);
    assert.deepEqual(
      variants.map(({ width, height }) => [width, height]),
      [
        [320, 160],
        [640, 320],
        [1280, 640],
      ],
    );
    for (const { width, height, url } of variants) {
      const served = await fetchVariant(url);
      assert.equal(served.status, 200);
      assert.equal(served.headers.get('content-type'), 'image/webp');
      assert.equal(served.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.equal(served.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(served.headers.get('content-security-policy'), "default-src 'none'; sandbox");
      assert.equal(served.headers.get('access-control-allow-origin'), '*');
      const body = Buffer.from(await served.arrayBuffer());
      assert.equal(Number(served.headers.get('content-length')), body.length);
      const found = await sharp(body).metadata();
      assert.deepEqual([found.format, found.width, found.height], ['webp', width, height]);
      const head = await fetchVariant(url, { method: 'HEAD' });
      assert.equal(head.status, 200);
      assert.equal(Number(head.headers.get('content-length')), body.length);
    }
    const kept = (await files()).filter((name) => name.startsWith(token(variants[0]!.url)));
    assert.equal(kept.length, 3, 'the upload itself is gone');
    assert.equal((await fetchVariant(variants[0]!.url.replace('-320', '-321'))).status, 404);
  });

  it('accepts five types, and makes no variant larger than the original', async () => {
    for (const type of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
      const bytes = await noiseImage(200, 100).toFormat(type, { effort: 1 }).toBuffer();
      const { variants } = await ready({ bytes, content_type: `image/${type}` });
      assert.deepEqual(
        variants.map(({ width, height }) => [width, height]),
        [[200, 100]],
      );
    }
    const between = await ready({ bytes: await png(700, 70), content_type: 'image/png' });
    assert.deepEqual(
      between.variants.map(({ width }) => width),
      [320, 640, 700],
    );
    const tower = await ready({ bytes: await pngOfZeros(100, 1_000), content_type: 'image/png' });
    assert.equal(tower.variants[0]!.height, 1_000);
    const wire = { bytes: await pngOfZeros(100, 1_001), content_type: 'image/png' };
    const sent = await sendUpload(service, owner, wire);
    const refused = await owner.api.post('/v1/media/confirm', { media_id: sent.media_id });
    assert.match(refused.body.errors[0].message, /10 times as wide as high/);
  });

  it('applies the orientation and removes metadata', async () => {
    const gps = {
      IFD0: { Make: 'Camera', Copyright: 'Ada' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    };
    const bytes = await noiseImage(400, 200)
      .withExif(gps)
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const original = await sharp(bytes).metadata();
    assert.equal(original.orientation, 6);
    assert.ok(original.exif!.includes('Camera'));
    const { variants } = await ready({ bytes, content_type: 'image/jpeg' });
    assert.deepEqual(
      variants.map(({ width, height }) => [width, height]),
      [[200, 400]],
    );
    const made = await bytesOf(variants[0]!.url);
    const found = await sharp(made).metadata();
    assert.deepEqual(
      [found.exif, found.xmp, found.icc, found.orientation],
      Array(4).fill(undefined),
    );
    assert.equal(made.includes('Camera'), false);
    assert.equal(made.includes('GPS'), false);
  });

  it('shows the first frame of animations, and rejects those with too many frames', async () => {
    const { variants } = await ready({ bytes: gifOf(5), content_type: 'image/gif' });
    const made = sharp(await bytesOf(variants[0]!.url));
    assert.equal((await made.metadata()).pages ?? 1, 1);
    assert.ok((await made.stats()).channels[0]!.mean > 250, 'white');
    const film = await uploadAndConfirm(service, owner, {
      bytes: gifOf(3000),
      content_type: 'image/gif',
    });
    assert.equal(film.status, 422);
    assert.match(film.body.errors[0].message, /frames/);
  });

  it('rejects files that are no image of the declared type, repeatedly', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    const cases: [string, Buffer, string][] = [
      ['a text', Buffer.from('no picture'), 'image/png'],
      ['nothing', Buffer.alloc(0), 'image/png'],
      ['an SVG', svg, 'image/png'],
      ['a TIFF', await noiseImage(9, 9).tiff().toBuffer(), 'image/jpeg'],
      ['a PNG that says JPEG', await png(), 'image/jpeg'],
      ['a signature alone', (await png()).subarray(0, 8), 'image/png'],
      ['37 million million pixels', await pngOfZeros(60_000, 1).then(enlarge), 'image/png'],
    ];
    for (const [name, bytes, content_type] of cases) {
      const { media_id, put } = await sendUpload(service, owner, { bytes, content_type });
      assert.equal(put.status, 204, name);
      const confirm = () => owner.api.post('/v1/media/confirm', { media_id });
      const refused = await confirm();
      assert.equal(refused.status, 422, name);
      assert.equal(refused.body.errors[0].field, 'media_id');
      const again = await confirm();
      assert.deepEqual([again.status, again.body.errors], [422, refused.body.errors]);
      const { status, failure } = await read(media_id);
      assert.deepEqual([status, failure?.code], ['failed', 'unacceptable']);
      assert.equal(failure!.message, refused.body.errors[0].message);
    }
  });

  /** Returns the PNG with huge dimensions in its header. */
  function enlarge(bytes: Buffer): Buffer {
    const changed = Buffer.from(bytes);
    changed.writeUInt32BE(610_000, 16);
    changed.writeUInt32BE(60_000, 20);
    return changed;
  }

  it('fails truncated images and deletes their files', async () => {
    for (const type of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
      const whole = await noiseImage(200, 150).toFormat(type, { effort: 1 }).toBuffer();
      const bytes = whole.subarray(0, Math.floor(whole.length * 0.6));
      const answer = await uploadAndConfirm(service, owner, {
        bytes,
        content_type: `image/${type}`,
      });
      if (answer.status === 422) continue;
      assert.equal(answer.status, 200, type);
      const { status, variants, failure } = await done(answer.body.data.id);
      assert.deepEqual([status, variants], ['failed', []], type);
      assert.equal(failure?.code, 'damaged', type);
      assert.match(failure.message, /save it again/);
    }
    const rows = await service.ctx.db`select token from media where status = 'failed'`;
    await eventually(async () => {
      const kept = await files();
      return rows.every((row) => !kept.some((name) => name.startsWith(row.token)));
    });
  });

  it('stops reading uploads that are too large, and rejects their confirmation', async () => {
    const maxBytes = 5_242_880;
    const exact = await sendUpload(service, owner, {
      bytes: Buffer.concat([await png(), Buffer.alloc(maxBytes)], maxBytes),
      content_type: 'image/png',
    });
    assert.equal(exact.put.status, 204);
    const media_id = exact.media_id;
    assert.equal((await owner.api.post('/v1/media/confirm', { media_id })).status, 200);

    const large = await sendUpload(service, owner, {
      bytes: Buffer.alloc(maxBytes + 1),
      content_type: 'image/png',
    });
    assert.equal(large.put.status, 413);
    assert.match(await large.put.text(), /errors\/payload-too-large"/);
    for (let time = 0; time < 2; time++) {
      const refused = await owner.api.post('/v1/media/confirm', { media_id: large.media_id });
      assert.equal(refused.status, 413);
    }
    assert.equal((await read(large.media_id)).status, 'failed');
    // Sent without a content-length.
    const { upload_url } = await sendUpload(service, owner, await pngUpload());
    const endless = await fetch(toReachableUrl(service, upload_url), {
      method: 'PUT',
      headers: { 'content-type': 'image/png' },
      body: new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) }),
      duplex: 'half',
    });
    assert.equal(endless.status, 413);
    assert.deepEqual(await readdir(join(directory(), 'incoming')), []);
  });

  it('accepts uploads only as signed in the URL', async () => {
    const { upload_url } = await sendUpload(service, owner, await pngUpload());
    const send = async (url: string, type = 'image/png') => {
      const path = new URL(url).pathname;
      return service.api.send('PUT', path, new Blob([new Uint8Array(await png())], { type }));
    };
    assert.equal((await send(upload_url)).status, 204, 'once more is fine');
    assert.equal((await send(upload_url, 'image/jpeg')).status, 415);
    assert.equal((await send(upload_url, '')).status, 415);
    assert.equal((await service.api.send('PUT', new URL(upload_url).pathname)).status, 422);
    const [allowed, signature] = upload_url.split('/').at(-1)!.split('.') as [string, string];
    const claims = JSON.parse(Buffer.from(allowed, 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, maxBytes: 1e12 })).toString('base64url');
    assert.equal((await send(upload_url.replace(allowed, forged))).status, 403);
    const swapped = signature.replace(/^./, (one) => (one === 'A' ? 'B' : 'A'));
    assert.equal((await send(upload_url.replace(signature, swapped))).status, 403);
    assert.equal((await send(upload_url.replace(signature, ''))).status, 404);
    assert.equal((await service.api.get(new URL(upload_url).pathname)).status, 405);

    await using late = await startService({ beside: service });
    late.advanceClock(15 * 60_000 + 1000);
    const path = new URL(upload_url).pathname;
    assert.equal(
      (
        await late.api.send(
          'PUT',
          path,
          new Blob([new Uint8Array(await png())], { type: 'image/png' }),
        )
      ).status,
      403,
    );
  });

  it('confirms once for concurrent requests, and only for the owner', async () => {
    const { media_id } = await sendUpload(service, owner, await pngUpload());
    const confirm = () => owner.api.post('/v1/media/confirm', { media_id });
    const answers = await Promise.all(Array.from({ length: 8 }, confirm));
    for (const { status, body } of answers) {
      assert.equal(status, 200);
      assert.equal(body.data.id, media_id);
    }
    const { variants } = await done(media_id);
    assert.deepEqual((await confirm()).body.data.variants, variants);
    assert.equal((await other.api.get(`/v1/media/${media_id}`)).status, 404);
    assert.equal((await other.api.post('/v1/media/confirm', { media_id })).status, 404);

    const input = { entity_type: 'petition_image', filename: 'a', content_type: 'image/png' };
    const unsent = (await owner.api.post('/v1/media/upload-url', input)).body.data.media_id;
    const nothing = await owner.api.post('/v1/media/confirm', { media_id: unsent });
    assert.equal(nothing.status, 404);
    for (const [field, value] of [
      ['entity_type', 'cat'],
      ['filename', ''],
      ['filename', 'x'.repeat(256)],
      ['content_type', 'image/svg+xml'],
    ] as const) {
      const refused = await owner.api.post('/v1/media/upload-url', { ...input, [field]: value });
      assert.equal(refused.status, 422);
      assert.equal(refused.body.errors[0].field, field);
    }
  });

  it("sets the image of the caller's own petition only", async () => {
    const petition = await createPublished(owner);
    const shown = async () => (await service.api.get(`/v1/petitions/${petition.id}`)).body.data;
    assert.equal((await shown()).image_url, null);
    const entity_id = petition.id;
    const media = await ready({ ...(await pngUpload()), entity_id });
    assert.equal((await shown()).image_url, media.variants.at(-1)!.url);
    const [event] = await service.ctx.db`
      select actor_id, data from events where petition_id = ${entity_id}
        and type = 'petition.updated'`;
    assert.deepEqual([event!.actor_id, event!.data.fields], [owner.id, 'imageUrl']);

    const foreign = await uploadAndConfirm(service, other, { ...(await pngUpload()), entity_id });
    assert.equal(foreign.status, 403);
    for (const unknown of [(await createDraft(owner)).id, other.id]) {
      const refused = await uploadAndConfirm(service, other, {
        ...(await pngUpload()),
        entity_id: unknown,
      });
      assert.equal(refused.status, 422);
      assert.equal(refused.body.errors[0].field, 'entity_id');
    }
    assert.equal((await shown()).image_url, media.variants.at(-1)!.url);
  });

  it('shows the image that was confirmed last', async () => {
    const { id: entity_id } = await createDraft(owner);
    const large = await noiseImage(600, 600).jpeg().toBuffer();
    const first = await uploadAndConfirm(service, owner, {
      bytes: large,
      content_type: 'image/jpeg',
      entity_id,
    });
    const second = await uploadAndConfirm(service, owner, { ...(await pngUpload()), entity_id });
    await done(first.body.data.id);
    const { variants } = await done(second.body.data.id);
    const { body } = await owner.api.get(`/v1/petitions/${entity_id}`);
    assert.equal(body.data.image_url, variants.at(-1)!.url);
    // Simulates a late retry of the first job.
    await service.ctx.db`update media set status = 'uploaded', variants = '[]'
      where id = ${first.body.data.id}`;
    const [row] = await service.ctx.db`select token from media where id = ${first.body.data.id}`;
    await service.ctx.blobs.put(`uploads/${row!.token}`, large, 'image/jpeg');
    await addJob(service.ctx.db, 'process-media', { media_id: first.body.data.id });
    assert.equal((await done(first.body.data.id)).status, 'ready');
    const still = await owner.api.get(`/v1/petitions/${entity_id}`);
    assert.equal(still.body.data.image_url, variants.at(-1)!.url);
  });

  /** Returns a blob store whose first `call` waits for the hook. */
  const withHook = (blobs: Blobs, call: 'get' | 'put', hook: () => Promise<void>): Blobs => {
    let waited: Promise<void> | undefined;
    return new Proxy(blobs, {
      get(target, name) {
        const method = Reflect.get(target, name).bind(target);
        if (name !== call) return method;
        return async (...args: unknown[]) => {
          await (waited ??= hook());
          return method(...args);
        };
      },
    });
  };

  it('keeps an image that two workers process at once, and sets it once', async () => {
    await using idle = await startService();
    const person = await signUp(idle);
    const { id: entity_id } = await createDraft(person);
    const shown: string[] = [];
    const petition_image = { setImage: async (_: Tx, id: string) => void shown.push(id) };
    const pictureOwners = { petition_image } as unknown as PictureOwners;
    // The second worker finishes while the first waits to read the upload, or to write a variant.
    for (const call of ['get', 'put'] as const) {
      shown.length = 0;
      const { body } = await uploadAndConfirm(idle, person, { ...(await pngUpload()), entity_id });
      const { id } = body.data;
      const second = () => processMedia(idle.ctx, pictureOwners, id);
      const blobs = withHook(idle.ctx.blobs, call, second);
      await processMedia({ ...idle.ctx, blobs }, pictureOwners, id);
      const { data } = (await person.api.get(`/v1/media/${id}`)).body as { data: MediaBody };
      assert.equal(data.status, 'ready', call);
      const [variant] = data.variants;
      assert.equal((await fetch(toReachableUrl(idle, variant!.url))).status, 200, call);
      assert.deepEqual(shown, [entity_id], call);
      assert.equal(await idle.ctx.blobs.get(`uploads/${token(variant!.url)}`), undefined);
    }
  });

  it('leaves no files of an image that is deleted or fails while it is processed', async () => {
    await using idle = await startService();
    const person = await signUp(idle);
    for (const end of [
      idle.ctx.db`delete from media`,
      idle.ctx.db`update media set status = 'failed'`,
    ]) {
      const { body } = await uploadAndConfirm(idle, person, await pngUpload());
      const blobs = withHook(idle.ctx.blobs, 'put', async () => void (await end));
      await processMedia({ ...idle.ctx, blobs }, {} as PictureOwners, body.data.id);
      const stored = await readdir(join(idle.ctx.config.dataDir, 'media'), {
        recursive: true,
        withFileTypes: true,
      });
      assert.deepEqual(
        stored.filter((entry) => entry.isFile()),
        [],
      );
    }
  });

  it('keeps a file that was sent again and confirmed while the first one is inspected', async () => {
    await using idle = await startService();
    const person = await signUp(idle);
    const bad = { bytes: Buffer.from('no picture'), content_type: 'image/png' };
    const { media_id } = await sendUpload(idle, person, bad);
    const confirm = () => person.api.post('/v1/media/confirm', { media_id });
    const { blobs } = idle.ctx;
    const get = async (key: string) => {
      const found = await blobs.get(key);
      idle.ctx.blobs = blobs;
      await blobs.put(key, await png(), 'image/png');
      assert.equal((await confirm()).status, 200);
      return found;
    };
    idle.ctx.blobs = new Proxy(blobs, {
      get: (target, name) => (name === 'get' ? get : Reflect.get(target, name).bind(target)),
    });
    assert.equal((await confirm()).status, 200);
    await processMedia(idle.ctx, {} as PictureOwners, media_id);
    const { data } = (await person.api.get(`/v1/media/${media_id}`)).body;
    assert.equal(data.status, 'ready');
  });

  it('sets the avatar of the caller', async () => {
    const upload = { ...(await pngUpload()), entity_type: 'user_avatar' };
    const media = await ready(upload);
    const profile = await service.api.get(`/v1/users/${owner.slug}`);
    assert.equal(profile.body.data.avatar_url, media.variants[0]!.url);
    const foreign = await uploadAndConfirm(service, owner, { ...upload, entity_id: other.id });
    assert.equal(foreign.status, 403);
    const own = await uploadAndConfirm(service, owner, {
      ...upload,
      entity_id: owner.id.toUpperCase(),
    });
    assert.equal(own.status, 200);
    await done(own.body.data.id);
  });

  describe('in one step', () => {
    const form = (members: Record<string, string | Blob>) => {
      const made = new FormData();
      for (const [name, value] of Object.entries(members)) {
        if (typeof value === 'string') made.set(name, value);
        else made.set(name, value, 'picture');
      }
      return made;
    };
    const post = (body: unknown, headers = {}) =>
      owner.api.post('/v1/media/upload', body, { headers });
    const picture = async (type = 'image/png') => new Blob([new Uint8Array(await png())], { type });

    it('accepts form members in any order', async () => {
      const { id } = await createDraft(owner);
      for (const file of [await picture(), await picture('application/octet-stream')]) {
        for (const members of [
          { file, entity_type: 'petition_image', entity_id: id },
          { entity_id: id, entity_type: 'petition_image', file },
        ]) {
          const { status, body } = await post(form(members));
          assert.equal(status, 201, JSON.stringify(body));
          const { variants } = await done(body.data.id);
          const petition = await owner.api.get(`/v1/petitions/${id}`);
          assert.equal(petition.body.data.image_url, variants[0]!.url);
        }
      }
    });

    it('uploads once per idempotency key', async () => {
      const key = { 'idempotency-key': 'picture' };
      const file = await picture();
      const members = { file, entity_type: 'petition_image' };
      const first = await post(form(members), key);
      assert.equal(first.status, 201);
      assert.deepEqual((await post(form(members), key)).body.data, first.body.data);
      const changed = { ...members, file: await picture() };
      assert.equal((await post(form(changed), key)).status, 422, 'other noise');
    });

    it('rejects invalid forms', async () => {
      const file = await picture();
      const entity_type = 'petition_image';
      const wrong: [string, object, string][] = [
        ['no file', form({ entity_type }), 'file'],
        ['a text for a file', form({ entity_type, file: 'text' }), 'file'],
        ['no type of entity', form({ file }), 'entity_type'],
        ['no such type', form({ file, entity_type: 'cat' }), 'entity_type'],
        ['no such petition', form({ file, entity_type, entity_id: other.id }), 'entity_id'],
        ['another type', form({ file: await picture('image/jpeg'), entity_type }), 'file'],
        ['no picture', form({ file: new Blob(['x'], { type: 'image/png' }), entity_type }), 'file'],
        ['a page', form({ file: new Blob(['x'], { type: 'text/html' }), entity_type }), 'file'],
      ];
      for (const [name, body, field] of wrong) {
        const refused = await post(body);
        assert.equal(refused.status, 422, name);
        assert.equal(refused.body.errors[0].field, field, name);
      }
      const large = new Blob([new Uint8Array(5_242_881)], { type: 'image/png' });
      assert.equal((await post(form({ file: large, entity_type }))).status, 413);
      assert.equal((await post({ entity_type })).status, 415);
      assert.equal((await owner.api.post('/v1/media/upload')).status, 422);
      const broken = { 'content-type': 'multipart/form-data; boundary=x' };
      assert.equal((await post('--x\r\nno form', broken)).status, 400);
      assert.equal((await post('x', { 'content-type': 'multipart/form-data' })).status, 400);
      assert.equal((await service.api.post('/v1/media/upload', form({ file }))).status, 401);
      const left = async () =>
        (await readdir(tmpdir())).filter((name) => name.startsWith('petitions-form-'));
      await eventually(async () => (await left()).length === 0);
    });
  });

  it('deletes unconfirmed, stuck and repeated uploads after a day', async () => {
    await using late = await startService({ worker: true });
    const person = await signUp(late);
    const stored = () =>
      readdir(join(late.ctx.config.dataDir, 'media'), { recursive: true, withFileTypes: true });
    const left = async () => (await stored()).filter((entry) => entry.isFile());
    const unconfirmed = await sendUpload(late, person, await pngUpload());
    const kept = await sendUpload(late, person, await pngUpload());
    await person.api.post('/v1/media/confirm', { media_id: kept.media_id });
    // Reads the table, since the access token expires before the uploads.
    const row = async (id: string) =>
      (await late.ctx.db`select status from media where id = ${id}`)[0]?.status;
    const status = () => row(kept.media_id);
    // Decoding yields to everything else on the machine.
    await eventually(async () => (await status()) === 'ready', 60_000);
    await fetch(toReachableUrl(late, kept.upload_url), {
      method: 'PUT',
      headers: { 'content-type': 'image/png' },
      body: new Blob([new Uint8Array(await png())]),
    });
    const stuck = await sendUpload(late, person, await pngUpload());
    await late.ctx.db`
      update media set status = 'processing', confirmed_at = now() where id = ${stuck.media_id}`;
    const abandoned = join(late.ctx.config.dataDir, 'media', 'incoming', 'abandoned');
    await writeFile(abandoned, 'half of it');
    await utimes(abandoned, 0, 0);
    const sweep = () => addJob(late.ctx.db, 'sweep-uploads', {});
    await sweep();
    await eventually(async () => (await left()).length === 4, 5000);
    late.advanceClock(24 * 3600 * 1000 + 1000);
    await sweep();
    await eventually(async () => (await left()).length === 1);
    assert.match((await left())[0]!.name, /-320\.webp$/);
    assert.equal(await status(), 'ready');
    assert.equal(await row(unconfirmed.media_id), undefined);
    await eventually(async () => (await row(stuck.media_id)) === 'failed');
  });

  it('exports media, and erases those that nothing shows any more', async () => {
    const person = await signUp(service, 'Leaver');
    const active = await createPublished(person);
    await other.api.post(`/v1/petitions/${active.id}/signatures`);
    const unsigned = await createDraft(person);
    const upload = { bytes: await png(), content_type: 'image/png' };
    const stays = await ready({ ...upload, entity_id: active.id }, person);
    const goes = await ready({ ...upload, entity_id: unsigned.id }, person);
    const avatar = await ready({ ...upload, entity_type: 'user_avatar' }, person);
    // Uploaded before the petition existed, as most are.
    const early = await ready(upload, person);
    const later = await createPublished(person, { imageUrl: early.variants[0]!.url });
    await other.api.post(`/v1/petitions/${later.id}/signatures`);
    // In texts, which have one variant each.
    const inText = await ready(upload, person);
    const inUpdate = await ready({ ...upload, entity_type: 'petition_update_image' }, person);
    const { pathname } = new URL(inText.variants[0]!.url);
    const told = await createPublished(person, {
      description: `${'The path along the river is dark. '.repeat(3)}![The path](${pathname}#40x30)`,
    });
    await other.api.post(`/v1/petitions/${told.id}/signatures`);
    const update = await person.api.post(`/v1/petitions/${told.id}/updates`, {
      title: 'News',
      body: `![The path](${inUpdate.variants[0]!.url})`,
    });
    assert.equal(update.status, 201);
    // A deleted petition is kept, but shows nothing.
    const deleted = await createPublished(person);
    await other.api.post(`/v1/petitions/${deleted.id}/signatures`);
    const unseen = await ready({ ...upload, entity_id: deleted.id }, person);
    const news = await person.api.post(`/v1/petitions/${deleted.id}/updates`, {
      title: 'News',
      body: 'On a deleted petition.',
    });
    const type = 'petition_update_image';
    const ofNews = await ready(
      { ...upload, entity_type: type, entity_id: news.body.data.id },
      person,
    );
    await person.api.delete(`/v1/petitions/${deleted.id}`);
    const unsent = await sendUpload(service, person, upload);

    const kept = [stays, early, inText, inUpdate];
    const ids = [stays, goes, avatar, early, inText, inUpdate, unseen, ofNews]
      .map(({ id }) => id)
      .concat(unsent.media_id);
    const { body } = await person.api.get('/v1/users/me/export');
    assert.deepEqual(
      body.media.map(({ id }: MediaBody) => id),
      ids,
    );
    assert.equal(body.media[0].variants[0].url, stays.variants[0]!.url);
    const erased = await person.api.delete('/v1/users/me', { password: person.password });
    assert.equal(erased.status, 204);
    const status = async ({ variants }: MediaBody) => (await fetchVariant(variants[0]!.url)).status;
    await eventually(async () => (await status(goes)) === 404);
    await eventually(async () => (await status(avatar)) === 404);
    await eventually(async () => (await status(unseen)) === 404);
    await eventually(async () => (await status(ofNews)) === 404);
    for (const one of kept) assert.equal(await status(one), 200);
    const rows = await service.ctx.db`
      select id, user_id from media where id = any(${ids}) order by id`;
    assert.deepEqual(
      rows.map((row) => [row.id, row.user_id]),
      kept.map(({ id }) => [id, null]),
    );
  });

  it('allows 100 uploads a day per user', async () => {
    await using strict = await startService({ env: { RATE_LIMITS: 'on' } });
    const person = await signUp(strict);
    const input = { entity_type: 'petition_image', filename: 'a', content_type: 'image/png' };
    const ask = () => person.api.post('/v1/media/upload-url', input);
    for (let sent = 0; sent < 100; sent += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, ask));
      assert.ok(answers.every(({ status }) => status === 201));
      strict.advanceClock(1000);
    }
    const refused = await ask();
    assert.equal(refused.status, 429);
    assert.match(refused.body.message, /uploads/);
  });
});
