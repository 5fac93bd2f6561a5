import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  codingFor,
  compress,
  minCompressedBytes,
  varyBy,
  type ContentCoding,
  type Effort,
} from './compression.ts';

/** One content coding of a page. */
export interface Representation {
  /** One character per byte, as in `Rendered`. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface PageText {
  mediaType: string;
  body: string;
}

interface RenderedPageOptions {
  /** Those that the page was rendered with. */
  headers: Readonly<Record<string, string>>;
  effort: Effort;
}

/**
 * A page or asset that is rendered once, for all anonymous readers of a language, and compressed once for each coding
 * that is asked for: nearly all the work for a hot page is sending its bytes (docs/benchmarks.md). It contains no
 * secrets, so its compressed length reveals none.
 */
export class RenderedPage {
  readonly #bytes: Buffer;
  readonly #tag: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #effort: Effort;
  readonly #representations = new Map<ContentCoding, Representation | Promise<Representation>>();

  constructor({ mediaType, body }: PageText, { headers, effort }: RenderedPageOptions) {
    this.#bytes = Buffer.from(body);
    this.#tag = createHash('sha256').update(this.#bytes).digest('base64url').slice(0, 22);
    this.#headers = {
      ...headers,
      'content-type': mediaType,
      ...(this.#isCompressible && { vary: varyBy(headers.vary, 'Accept-Encoding') }),
    };
    this.#effort = effort;
  }

  /** The representation that the browser prefers; a promise only while it is compressed. */
  for(headers: IncomingHttpHeaders): Representation | Promise<Representation> {
    const coding = this.#isCompressible ? codingFor(headers) : 'identity';
    return this.#representations.get(coding) ?? this.#represent(coding);
  }

  get #isCompressible(): boolean {
    return this.#bytes.length > minCompressedBytes;
  }

  #represent(coding: ContentCoding): Representation | Promise<Representation> {
    const representation =
      coding === 'identity' ? this.#in(coding, this.#bytes) : this.#compress(coding);
    this.#representations.set(coding, representation);
    return representation;
  }

  async #compress(coding: Exclude<ContentCoding, 'identity'>): Promise<Representation> {
    const bytes = await compress(this.#bytes, coding, this.#effort);
    const representation = this.#in(coding, bytes);
    this.#representations.set(coding, representation);
    return representation;
  }

  #in(coding: ContentCoding, bytes: Buffer): Representation {
    return {
      body: bytes.toString('latin1'),
      headers: {
        ...this.#headers,
        ...(coding !== 'identity' && { 'content-encoding': coding }),
        etag: coding === 'identity' ? `"${this.#tag}"` : `"${this.#tag}-${coding}"`,
      },
    };
  }
}
