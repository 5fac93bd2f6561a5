import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import sharp from 'sharp';
import { eventually } from '../support/eventually.ts';
import { createPublished, signUp, type Person } from '../support/people.ts';
import { noiseImage, toReachableUrl, sendUpload } from '../support/pictures.ts';
import { startService, type Service } from '../support/service.ts';

/** The settings from test/s3/run.ts. */
const names = ['ENDPOINT', 'BUCKET', 'REGION', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'];
const s3 = Object.fromEntries(names.map((name) => [`S3_${name}`, process.env[`S3_${name}`]!]));

let service: Service;
let owner: Person;
let bytes: Buffer;
before(async () => {
  service = await startService({ worker: true, env: s3 });
  owner = await signUp(service);
  bytes = await noiseImage(500, 400).jpeg().toBuffer();
});
after(() => service[Symbol.asyncDispose]());

const content_type = 'image/jpeg';
const confirm = (media_id: string, entity_id?: string) =>
  owner.api.post('/v1/media/confirm', { media_id, ...(entity_id && { entity_id }) });
/** The key of the upload in the bucket. */
const keyOf = (url: string) => new URL(url).pathname.replace('/petitions/', '');
const put = (url: string, type: string | undefined, body: Buffer = bytes) =>
  fetch(url, {
    method: 'PUT',
    headers: type === undefined ? {} : { 'content-type': type },
    body: new Uint8Array(body),
  });
const ask = async () => {
  const input = { entity_type: 'petition_image', filename: 'river.jpg', content_type };
  return (await owner.api.post('/v1/media/upload-url', input)).body.data;
};

it('takes an upload through to a served variant', async () => {
  const petition = await createPublished(owner);
  const sent = await sendUpload(service, owner, { bytes, content_type });
  assert.ok(sent.upload_url.startsWith(`${s3.S3_ENDPOINT}/petitions/uploads/`), sent.upload_url);
  assert.equal(sent.put.status, 200);
  assert.equal((await confirm(sent.media_id, petition.id)).status, 200);
  const read = async () => (await owner.api.get(`/v1/media/${sent.media_id}`)).body.data;
  await eventually(async () => (await read()).status === 'ready', 20_000);
  const { variants } = await read();
  assert.deepEqual(
    variants.map(({ width }: { width: number }) => width),
    [320, 500],
  );
  const shown = (await service.api.get(`/v1/petitions/${petition.id}`)).body.data;
  assert.equal(shown.image_url, variants[1].url);
  const served = await fetch(toReachableUrl(service, variants[1].url));
  assert.equal(served.headers.get('content-type'), 'image/webp');
  const body = Buffer.from(await served.arrayBuffer());
  assert.equal(Number(served.headers.get('content-length')), body.length);
  assert.equal((await sharp(body).metadata()).width, 500);
  const gone = async () => (await service.ctx.blobs.get(keyOf(sent.upload_url))) === undefined;
  await eventually(gone);
  const none = await fetch(toReachableUrl(service, variants[1].url.replace(/-\d+/, '-1280')));
  assert.equal(none.status, 404);
  // Reads need a signature.
  const open = await fetch(
    `${s3.S3_ENDPOINT}/petitions/images/${variants[1].url.split('/').at(-1)}`,
  );
  assert.equal(open.status, 403);
});

it('has forged, expired and altered uploads rejected by the store', async () => {
  const { media_id, upload_url } = await ask();
  const changed = (name: string, value: string) => {
    const url = new URL(upload_url);
    url.searchParams.set(name, value);
    return url.href;
  };
  const signature = new URL(upload_url).searchParams.get('X-Amz-Signature')!;
  const forged = signature.replace(/^./, (one) => (one === '0' ? '1' : '0'));
  assert.equal((await put(changed('X-Amz-Signature', forged), content_type)).status, 403);
  assert.equal((await put(changed('X-Amz-Expires', '90000'), content_type)).status, 403);
  assert.equal((await put(changed('X-Amz-Date', '20200101T000000Z'), content_type)).status, 403);
  assert.equal((await put(upload_url.replace('uploads/', 'images/'), content_type)).status, 403);
  assert.equal((await put(upload_url.replace(/\?.*/, ''), content_type)).status, 403);
  assert.equal((await put(upload_url, 'image/png')).status, 403);
  assert.equal((await put(upload_url, undefined)).status, 403);
  assert.equal((await confirm(media_id)).status, 404, 'nothing was stored');

  const short = await service.ctx.blobs.uploadAddress('uploads/short', {
    type: content_type,
    maxBytes: 1,
    seconds: 1,
  });
  await eventually(async () => (await put(short, content_type)).status === 403, 20_000);
});

it('rejects and deletes uploads that are too large or of another type', async () => {
  const cases: [Buffer, number][] = [
    [Buffer.concat([bytes, Buffer.alloc(5_242_881)]), 413],
    [await noiseImage(20, 20).png().toBuffer(), 422],
  ];
  for (const [body, status] of cases) {
    const { media_id, upload_url } = await ask();
    assert.equal((await put(upload_url, content_type, body)).status, 200);
    for (let time = 0; time < 2; time++) {
      assert.equal((await confirm(media_id)).status, status);
    }
    assert.equal(await service.ctx.blobs.get(keyOf(upload_url)), undefined);
  }
});

it('accepts a form, and has no upload route of its own', async () => {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)], { type: content_type }), 'river.jpg');
  form.set('entity_type', 'user_avatar');
  const { status, body } = await owner.api.post('/v1/media/upload', form);
  assert.equal(status, 201);
  const read = async () => (await owner.api.get(`/v1/media/${body.data.id}`)).body.data;
  await eventually(async () => (await read()).status === 'ready', 20_000);
  assert.equal((await service.api.send('PUT', '/uploads/a.b', 'x')).status, 404);
});

it('answers 503 while the store is unavailable', async () => {
  await using lost = await startService({
    env: { ...s3, S3_ENDPOINT: 'http://127.0.0.1:1', LOG_LEVEL: 'silent' },
    beside: service,
  });
  const { media_id } = await ask();
  const away = await lost.api.as(owner.accessToken).post('/v1/media/confirm', { media_id });
  assert.equal(away.status, 503);
  assert.equal((await confirm(media_id)).status, 404);
});
