import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';

const gzip = promisify(gzipCallback);

/** One content coding of a page. */
export interface Representation {
  /** One character per byte, as in `Rendered`. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A page that is rendered and compressed once, for all anonymous readers of a language: nearly all the work for a hot
 * page is sending its bytes (docs/benchmarks.md). It contains no secrets, so its compressed length reveals none.
 */
export class RenderedPage {
  readonly #plain: Representation;
  readonly #gzipped: Representation;

  private constructor(plain: Representation, gzipped: Representation) {
    this.#plain = plain;
    this.#gzipped = gzipped;
  }

  /** `headers` are those that the page was rendered with. */
  static async of(
    { mediaType, body }: { mediaType: string; body: string },
    headers: Readonly<Record<string, string>>,
  ): Promise<RenderedPage> {
    const bytes = Buffer.from(body);
    const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    const vary = [headers.vary, 'Accept-Encoding'].filter(Boolean).join(', ');
    const common = { ...headers, vary, 'content-type': mediaType };
    return new RenderedPage(
      { body: bytes.toString('latin1'), headers: { ...common, etag: `"${tag}"` } },
      {
        body: (await gzip(bytes)).toString('latin1'),
        headers: { ...common, etag: `"${tag}-gzip"`, 'content-encoding': 'gzip' },
      },
    );
  }

  /** The representation that the browser accepts. */
  for(headers: IncomingHttpHeaders): Representation {
    return takesGzip.test(headers['accept-encoding'] ?? '') ? this.#gzipped : this.#plain;
  }
}

/** gzip is named, and not refused by `q=0` (RFC 9110 section 12.5.3). */
const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;
