import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';

const gzip = promisify(gzipCallback);

/** One way in which a page is sent. */
export interface Writing {
  /** With a character for each byte, as in `Rendered`. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A page that is written out already, the same for all who read its language and are not known, also
 * compressed: of a hot page nearly all the work is to send its bytes (docs/benchmarks.md). Nothing
 * in it is secret, so that its length tells nothing.
 */
export class WrittenPage {
  readonly #plain: Writing;
  readonly #gzipped: Writing;

  private constructor(plain: Writing, gzipped: Writing) {
    this.#plain = plain;
    this.#gzipped = gzipped;
  }

  /** `headers` are those with which the page was made. */
  static async of(
    { mediaType, body }: { mediaType: string; body: string },
    headers: Readonly<Record<string, string>>,
  ): Promise<WrittenPage> {
    const bytes = Buffer.from(body);
    const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    const vary = [headers.vary, 'Accept-Encoding'].filter(Boolean).join(', ');
    const common = { ...headers, vary, 'content-type': mediaType };
    return new WrittenPage(
      { body: bytes.toString('latin1'), headers: { ...common, etag: `"${tag}"` } },
      {
        body: (await gzip(bytes)).toString('latin1'),
        headers: { ...common, etag: `"${tag}-gzip"`, 'content-encoding': 'gzip' },
      },
    );
  }

  /** As the browser takes it. */
  for(headers: IncomingHttpHeaders): Writing {
    return takesGzip.test(headers['accept-encoding'] ?? '') ? this.#gzipped : this.#plain;
  }
}

/** Named, and not by `q=0`, which says no: RFC 9110 section 12.5.3. */
const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;
