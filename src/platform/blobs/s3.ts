import { buffer } from 'node:stream/consumers';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, request, type Dispatcher } from 'undici';
import type { S3Settings } from '../../config.ts';
import { checkKey, storeUnavailable, type Blob, type Blobs, type UploadTerms } from '../blobs.ts';

type Method = 'GET' | 'PUT' | 'DELETE';

interface Payload {
  type?: string;
  bytes?: Buffer;
}

const connectTimeoutMs = 5_000;
/** Longest wait for a response to begin, and for each next part of it. */
const responseTimeoutMs = 15_000;

/** Blobs in a bucket of an S3 store, with path-style addresses. */
export class S3Blobs implements Blobs {
  #settings: S3Settings;
  #connections = new Agent({
    connect: { timeout: connectTimeoutMs },
    headersTimeout: responseTimeoutMs,
    bodyTimeout: responseTimeoutMs,
  });

  constructor(settings: S3Settings) {
    this.#settings = settings;
  }

  async put(key: string, bytes: Buffer, type: string): Promise<void> {
    await requireSuccess(await this.#send('PUT', key, { bytes, type }));
  }

  async get(key: string): Promise<Blob | undefined> {
    const response = await this.#send('GET', key);
    if (response.statusCode === 200) {
      const { headers, body } = response;
      return {
        size: Number(headers['content-length'] ?? Infinity),
        stream: body,
        bytes: () => buffer(body),
      };
    }
    await requireSuccess(response, 404);
    return undefined;
  }

  async delete(key: string): Promise<void> {
    await requireSuccess(await this.#send('DELETE', key), 404);
  }

  /** Pre-signs the address (SigV4) for one key, type and time. S3 enforces no maximum size. */
  async uploadAddress(key: string, { type, seconds }: UploadTerms): Promise<string> {
    const url = this.#urlOf(key);
    url.searchParams.set('X-Amz-Expires', String(seconds));
    const { url: signed } = await this.#sign('PUT', url, { type }, true);
    return signed.href;
  }

  // Remains of interrupted uploads are deleted as unconfirmed uploads.
  async removeAbandoned(): Promise<void> {}

  async close(): Promise<void> {
    await this.#connections.close();
  }

  #urlOf(key: string): URL {
    checkKey(key);
    const { endpoint, bucket } = this.#settings;
    return new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}/${key}`);
  }

  #sign(method: Method, url: URL, { type }: Payload, inQuery: boolean) {
    const { region, accessKeyId, secretAccessKey } = this.#settings;
    return new AwsV4Signer({
      method,
      url: url.href,
      ...(type && { headers: { 'content-type': type } }),
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
      signQuery: inQuery,
      // By default the signer leaves out the content type.
      allHeaders: true,
    }).sign();
  }

  async #send(method: Method, key: string, sent: Payload = {}): Promise<Dispatcher.ResponseData> {
    const { url, headers } = await this.#sign(method, this.#urlOf(key), sent, false);
    try {
      return await request(url, {
        method,
        headers: Object.fromEntries(headers),
        body: sent.bytes ?? null,
        dispatcher: this.#connections,
      });
    } catch (error) {
      throw storeUnavailable(error);
    }
  }
}

/**
 * Reads a response to its end.
 * @throws {Problem} unavailable if its status is a failure other than the expected one
 */
async function requireSuccess(response: Dispatcher.ResponseData, expected?: number): Promise<void> {
  const { statusCode, body } = response;
  await body.dump();
  if (statusCode >= 300 && statusCode !== expected) {
    throw storeUnavailable(new Error(`the S3 store answered ${statusCode}`));
  }
}
