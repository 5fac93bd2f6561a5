import { AwsV4Signer } from 'aws4fetch';
import { Agent, request, type Dispatcher } from 'undici';
import type { S3Settings } from '../../config.ts';
import { storeIsAway, type Blob, type Blobs, type UploadTerms } from '../blobs.ts';

type Method = 'GET' | 'PUT' | 'DELETE';

interface Sent {
  type?: string;
  bytes?: Buffer;
}

/** Longest wait for a connection, for an answer to begin, and for each next part of it. */
const patience = { connect: 5_000, answer: 15_000 };

/** Blobs in a bucket of an S3 store, addressed by path. */
export class S3Blobs implements Blobs {
  #settings: S3Settings;
  #connections = new Agent({
    connect: { timeout: patience.connect },
    headersTimeout: patience.answer,
    bodyTimeout: patience.answer,
  });

  constructor(settings: S3Settings) {
    this.#settings = settings;
  }

  async put(key: string, bytes: Buffer, type: string): Promise<void> {
    await finished(await this.#send('PUT', key, { bytes, type }));
  }

  async get(key: string): Promise<Blob | undefined> {
    const answer = await this.#send('GET', key);
    if (answer.statusCode === 200) {
      return { size: Number(answer.headers['content-length'] ?? Infinity), stream: answer.body };
    }
    await finished(answer, 404);
    return undefined;
  }

  async delete(key: string): Promise<void> {
    await finished(await this.#send('DELETE', key), 404);
  }

  /** Signs the address by SigV4 in its query, for one key, one type and a time; S3 bounds no size. */
  async uploadAddress(key: string, { type, seconds }: UploadTerms): Promise<string> {
    const url = this.#urlOf(key);
    url.searchParams.set('X-Amz-Expires', String(seconds));
    const { url: signed } = await this.#sign('PUT', url, { type }, true);
    return signed.href;
  }

  // What a store keeps of an upload that broke off is deleted as one that nobody confirmed.
  async tidy(): Promise<void> {}

  async close(): Promise<void> {
    await this.#connections.close();
  }

  #urlOf(key: string): URL {
    const { endpoint, bucket } = this.#settings;
    return new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}/${key}`);
  }

  #sign(method: Method, url: URL, { type }: Sent, inQuery: boolean) {
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
      // The type too, which the signer leaves out unless told.
      allHeaders: true,
    }).sign();
  }

  async #send(method: Method, key: string, sent: Sent = {}): Promise<Dispatcher.ResponseData> {
    const { url, headers } = await this.#sign(method, this.#urlOf(key), sent, false);
    try {
      return await request(url, {
        method,
        headers: Object.fromEntries(headers),
        body: sent.bytes ?? null,
        dispatcher: this.#connections,
      });
    } catch (error) {
      throw storeIsAway(error);
    }
  }
}

/**
 * Reads an answer to its end.
 * @throws {Problem} unavailable where it tells of a failure other than the one that is expected
 */
async function finished(answer: Dispatcher.ResponseData, expected?: number): Promise<void> {
  const { statusCode, body } = answer;
  await body.dump();
  if (statusCode >= 300 && statusCode !== expected) {
    throw storeIsAway(new Error(`the S3 store answered ${statusCode}`));
  }
}
