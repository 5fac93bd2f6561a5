import { Readable } from 'node:stream';
import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor } from '../../platform/cursor.ts';
import { escapeHtml } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { keyAfter, organizationSlugs, petitionsBetween, type Key } from './queries.ts';

/** Addresses in one file. Sitemaps.org allows 50,000, which would keep a core busy for 0.3 s. */
const maxAddresses = 3_500;
/** Fewer than the maximum, since petitions can be listed again within a part. */
const addressesPerPart = 3_000;
/** Petitions in one query. */
const batchSize = 500;
/** Organizations, all in one file. */
const maxOrganizations = 50_000;
/** How long the list of parts is cached. */
const cacheMs = 600_000;

const first: Key = { at: '0001-01-01T00:00:00.000Z', id: '00000000-0000-0000-0000-000000000000' };
const last: Key = { at: '9999-12-31T23:59:59.999Z', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** An index of all public addresses; its parts are ranges of the order of publishing. */
export class Sitemap {
  readonly #ctx: Context;
  readonly #size: number;
  /** Last keys of the full parts. */
  #ends: Key[] = [];
  #reading: Promise<void> | undefined;
  #readAt = -Infinity;

  constructor(ctx: Context, size = addressesPerPart) {
    this.#ctx = ctx;
    this.#size = size;
  }

  /** Names of the parts with petitions. Full parts never change; new ones are appended. */
  async parts(): Promise<string[]> {
    if (this.#ctx.now().getTime() - this.#readAt > cacheMs) {
      this.#reading ??= this.#readEnds().finally(() => (this.#reading = undefined));
      await this.#reading;
    }
    const ends = [...this.#ends, last];
    return ends.map(({ at, id }, index) => {
      const from = ends[index - 1] ?? first;
      return encodeCursor('sitemap', [from.at, from.id, at, id]);
    });
  }

  async #readEnds(): Promise<void> {
    const db = this.#ctx.pools.replica;
    for (;;) {
      const end = await keyAfter(db, this.#ends.at(-1) ?? first, this.#size);
      if (!end) break;
      this.#ends.push(end);
    }
    this.#readAt = this.#ctx.now().getTime();
  }
}

/** The index of all parts. */
export async function sitemapIndex(ctx: Context, sitemap: Sitemap): Promise<RawAnswer> {
  const { baseUrl } = ctx.config;
  const parts = ['pages', ...(await sitemap.parts())].map(
    (part) => `<sitemap><loc>${baseUrl}/sitemap/${part}.xml</loc></sitemap>\n`,
  );
  return asXml(`<sitemapindex xmlns="${namespace}">\n${parts.join('')}</sitemapindex>\n`);
}

/** Pages other than petitions: start pages and organizations. */
export async function pagesPart(ctx: Context): Promise<RawAnswer> {
  const organizations = ctx.site.current.modules.organizations ? await organizationPaths(ctx) : [];
  const urls = ['/', '/petitions', ...organizations].map((path) =>
    urlEntry(`${ctx.config.baseUrl}${path}`),
  );
  return asXml(`<urlset xmlns="${namespace}">\n${urls.join('')}</urlset>\n`);
}

async function organizationPaths({ pools }: Context): Promise<string[]> {
  const slugs = await organizationSlugs(pools.replica, maxOrganizations);
  return ['/organizations', ...slugs.map((slug) => `/o/${slug}`)];
}

/**
 * The petitions of a part, as a stream.
 * @throws {Problem} invalid-request if no part has this name
 */
export function petitionsPart(ctx: Context, name: string): RawAnswer {
  const [fromAt, fromId, toAt, toId] = decodeCursor(
    'sitemap',
    ['time', 'uuid', 'time', 'uuid'],
    name,
  ) as [string, string, string, string];
  const from = { at: fromAt, id: fromId };
  const upTo = { at: toAt, id: toId };
  return asXml(Readable.from(petitionEntries(ctx, from, upTo)));
}

async function* petitionEntries({ config, pools }: Context, from: Key, upTo: Key) {
  yield `${declaration}<urlset xmlns="${namespace}">\n`;
  let after = from;
  for (let left = maxAddresses; left > 0;) {
    const limit = Math.min(batchSize, left);
    const rows = await petitionsBetween(pools.replica, after, upTo, limit);
    yield rows
      .map(({ slug, changed_at }) => urlEntry(`${config.baseUrl}/p/${slug}`, changed_at))
      .join('');
    if (rows.length < limit) break;
    left -= rows.length;
    const end = rows.at(-1)!;
    after = { at: end.at.toISOString(), id: end.id };
  }
  yield '</urlset>\n';
}

const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

const urlEntry = (address: string, changedAt?: Date) =>
  `<url><loc>${escapeHtml(address)}</loc>${
    changedAt ? `<lastmod>${changedAt.toISOString()}</lastmod>` : ''
  }</url>\n`;

const asXml = (body: string | Readable): RawAnswer => ({
  mediaType: 'application/xml; charset=utf-8',
  body: typeof body === 'string' ? declaration + body : body,
});
