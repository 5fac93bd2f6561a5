import { randomBytes } from 'node:crypto';
import { copiesAt, type Media } from '../../campaigns/media/media.ts';
import type { Context } from '../../platform/context.ts';
import { isDatabaseUnavailable } from '../../platform/db.ts';
import { Html } from '../../platform/html.ts';

/** The variants of a copy, smallest first. */
type Copy = Media['variants'];

type Copies = Awaited<ReturnType<typeof copiesAt>>;

interface Place {
  url: string;
  show: (copy: Copy | undefined) => Html;
}

/**
 * Pictures of other hosts on a page, which shows our copies of them. Parts of the page are made without waiting: they get
 * placeholders, which are filled once all of the page is there, by one query.
 */
export class ForeignPictures {
  readonly #places: Place[] = [];
  #nonce: string | undefined;

  /** Random, so that no text of users can look like a placeholder. Made late: most views are answered from a cache. */
  get #mark(): string {
    this.#nonce ??= randomBytes(16).toString('hex');
    return this.#nonce;
  }

  /** Returns a placeholder for what `show` makes of the copy; there is none until it is ready. */
  place(url: string, show: Place['show']): Html {
    const index = this.#places.push({ url, show }) - 1;
    return new Html(`<!--${this.#mark}:${index}-->`);
  }

  /** Fills the placeholders in a page. */
  async fill(ctx: Context, page: string): Promise<string> {
    if (this.#places.length === 0) return page;
    const urls = new Set(this.#places.map(({ url }) => url));
    const copies = await copiesIfAvailable(ctx, [...urls]);
    return page.replaceAll(new RegExp(`<!--${this.#mark}:(\\d+)-->`, 'g'), (_, index: string) => {
      const { url, show } = this.#places[Number(index)]!;
      return show(copies.get(url)).text;
    });
  }
}

/** None while the database is unavailable: the rest of the page may come from caches. */
async function copiesIfAvailable(ctx: Context, urls: string[]): Promise<Copies> {
  try {
    return await copiesAt(ctx, urls);
  } catch (error) {
    if (isDatabaseUnavailable(error)) return new Map();
    throw error;
  }
}
