import assert from 'node:assert/strict';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { crc32, createDeflate } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import type { Answer } from './client.ts';
import type { Person } from './people.ts';
import type { Service } from './service.ts';

/** An image of noise, which does not compress well. */
export const noiseImage = (width: number, height: number): Sharp =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: 'white',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  });

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Creates a black PNG of that size without holding its pixels in memory. */
export async function pngOfZeros(width: number, height: number): Promise<Buffer> {
  const deflate = createDeflate({ level: 9 });
  const packed = buffer(deflate);
  // Each row begins with a byte for its filter.
  let left = (width + 1) * height;
  for (const zeros = Buffer.alloc(1_000_000); left > 0; left -= zeros.length) {
    if (!deflate.write(zeros.subarray(0, left))) await once(deflate, 'drain');
  }
  deflate.end();
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits of grey.
  header[8] = 8;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', await packed),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Creates a GIF of 10 × 10 pixels with that number of frames: the first white, the others black. */
export function gifOf(frames: number): Buffer {
  const head = Buffer.from('GIF89a\x0a\0\x0a\0\x80\0\0\xff\xff\xff\0\0\0', 'latin1');
  const delay = [0x21, 0xf9, 4, 0, 5, 0, 0, 0];
  const place = [0x2c, 0, 0, 0, 0, 10, 0, 10, 0, 0, 2];
  // 100 pixels of one colour in LZW, with a clear code before each, so that codes keep their three bits.
  const frame = (colour: 0 | 1) => {
    const codes = Array.from({ length: 100 }, () => [4, colour]).flat();
    const bits = [...codes, 5].map((code) => code.toString(2).padStart(3, '0')).toReversed();
    const text = bits.join('').padStart(Math.ceil((bits.length * 3) / 8) * 8, '0');
    const bytes = text.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2));
    return Buffer.from([
      // Its delay, its place, and its pixels.
      ...delay,
      ...place,
      bytes.length,
      ...bytes.toReversed(),
      0,
    ]);
  };
  const rest = frame(1);
  return Buffer.concat([
    head,
    frame(0),
    ...Array.from({ length: frames - 1 }, () => rest),
    Buffer.from([0x3b]),
  ]);
}

interface Upload {
  bytes: Buffer;
  content_type: string;
  entity_type?: string;
}

/** Requests an upload address and uploads the file. */
export async function sendUpload(
  service: Service,
  person: Person,
  { bytes, content_type, entity_type = 'petition_image' }: Upload,
): Promise<{ media_id: string; upload_url: string; put: Response }> {
  const input = { entity_type, filename: 'picture', content_type };
  const { status, body } = await person.api.post('/v1/media/upload-url', input);
  assert.equal(status, 201, JSON.stringify(body));
  const { media_id, upload_url } = body.data;
  const put = await fetch(toReachableUrl(service, upload_url), {
    method: 'PUT',
    headers: { 'content-type': content_type },
    body: new Blob([new Uint8Array(bytes)]),
  });
  return { media_id, upload_url, put };
}

/** Replaces BASE_URL by the address where the test reaches the service. */
export const toReachableUrl = (service: Service, url: string): string =>
  url.replace(service.ctx.config.baseUrl, service.origin);

/** Uploads an image and confirms it. */
export async function uploadAndConfirm(
  service: Service,
  person: Person,
  { entity_id, ...upload }: Upload & { entity_id?: string },
): Promise<Answer> {
  const { media_id, put } = await sendUpload(service, person, upload);
  assert.ok(put.ok, `${put.status}`);
  return person.api.post('/v1/media/confirm', { media_id, ...(entity_id && { entity_id }) });
}
