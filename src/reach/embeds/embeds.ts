import { shownAddress, variantsAt } from '../../campaigns/media/media.ts';
import type { Config } from '../../config.ts';
import type { Context } from '../../platform/context.ts';
import { escapeHtml } from '../../platform/html.ts';
import { isLanguage } from '../../platform/pages/language.ts';
import type { Caller } from '../../platform/http/route.ts';
import { conflict, notFound, Problem } from '../../platform/problems.ts';
import { foreignPageAttributes } from '../../platform/pages/text-language.ts';
import { isOpenToAll } from '../../campaigns/petitions/policy.ts';
import { requireReadablePetition, type PetitionRow } from '../../campaigns/petitions/read.ts';
import { fittingCard } from './card.ts';
import type { Embed, EmbedInput, OEmbed, OEmbedQuery, Theme } from './schema.ts';

export {
  cardHeight,
  cardSize,
  cardUrl,
  cardVersion,
  cardWidths,
  shownCount,
  type CardPetition,
  type CardWidth,
} from './card.ts';

/** Initial size of a frame in pixels. The script on its page adjusts the height. */
const defaultWidth = 600;
const defaultHeight = 260;

/** How long consumers can cache an answer, which does not contain the count. */
const cacheSeconds = 3600;

type BaseConfig = Pick<Config, 'baseUrl'>;

export const pageUrl = ({ baseUrl }: BaseConfig, slug: string) => `${baseUrl}/p/${slug}`;

export const embedUrl = ({ baseUrl }: BaseConfig, slug: string, theme: Theme = 'light') =>
  `${baseUrl}/embed/p/${slug}${theme === 'dark' ? '?theme=dark' : ''}`;

/** Returns the oEmbed discovery link for a URL. */
export const oembedUrl = ({ baseUrl }: BaseConfig, url: string) =>
  `${baseUrl}/v1/oembed?url=${encodeURIComponent(url)}`;

/**
 * Returns HTML that shows a petition in another page.
 * @throws {Problem} not-found, forbidden for a private petition, conflict for others that are not public
 *   but visible to the caller
 */
export async function embedCode(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { theme, width = defaultWidth, height = defaultHeight }: EmbedInput,
): Promise<Embed> {
  const petition = await requireReadablePetition(ctx, caller, ref, undefined);
  if (!isOpenToAll(petition)) {
    throw conflict(
      'invalid_state',
      'Only a published petition that is not private can be embedded.',
    );
  }
  const { slug, title, language } = petition;
  const url = embedUrl(ctx.config, slug, theme);
  return {
    html: embedHtml(ctx.config, { slug, url, title, language, width, height }),
    url,
    oembed_url: oembedUrl(ctx.config, url),
  };
}

/**
 * Returns the oEmbed 1.0 description of a petition by the URL of its page. Its thumbnail is the picture that the page
 * shows, else the petition's card.
 * @throws {Problem} not-implemented for XML, not-found for petitions that are not public
 */
export async function describeForOEmbed(
  ctx: Context,
  { url, maxwidth = Infinity, maxheight = Infinity, format }: OEmbedQuery,
): Promise<OEmbed> {
  if (format === 'xml') throw new Problem('not-implemented', 'Only JSON is offered.');
  const found = petitionAt(ctx.config, url);
  if (!found) throw notFound('petition');
  const petition = await publicPetition(ctx, found.ref);
  const { slug, title, language } = petition;
  const width = Math.min(defaultWidth, maxwidth);
  const height = Math.min(defaultHeight, maxheight);
  const { baseUrl } = ctx.config;
  return {
    type: 'rich',
    version: '1.0',
    title,
    provider_name: ctx.site.current.name,
    provider_url: baseUrl,
    html: embedHtml(ctx.config, {
      slug,
      url: embedUrl(ctx.config, slug, found.theme),
      title,
      language,
      width,
      height,
      maxHeight: maxheight,
    }),
    width,
    height,
    cache_age: cacheSeconds,
    ...(await thumbnailOf(ctx, petition, { maxwidth, maxheight })),
  };
}

/** Returns the largest picture of the petition that fits. */
async function thumbnailOf(
  ctx: Context,
  petition: PetitionRow,
  { maxwidth, maxheight }: { maxwidth: number; maxheight: number },
) {
  const { slug, image_url: image, language } = petition;
  const variants = image === null ? [] : await variantsAt(ctx, image);
  const picture =
    variants.findLast(({ width, height }) => width <= maxwidth && height <= maxheight) ??
    fittingCard(
      {
        pageUrl: pageUrl(ctx.config, slug),
        petition: { ...petition, image_url: await shownAddress(ctx, image) },
        language: isLanguage(language) ? language : 'en',
        site: ctx.site.current,
      },
      { maxwidth, maxheight },
    );
  return {
    thumbnail_url: picture.url,
    thumbnail_width: picture.width,
    thumbnail_height: picture.height,
  };
}

/** @throws {Problem} not-found if it is not public, so that private petitions are not revealed */
async function publicPetition(ctx: Context, ref: string): Promise<PetitionRow> {
  try {
    return await requireReadablePetition(ctx, null, ref, undefined);
  } catch (error) {
    if (error instanceof Problem && error.kind === 'forbidden') throw notFound('petition');
    throw error;
  }
}

/** Returns the petition that a URL of this instance shows, on its page or embedded. Ignores the scheme. */
function petitionAt(
  { baseUrl }: BaseConfig,
  text: string,
): { ref: string; theme: Theme } | undefined {
  const [base, url] = [new URL(baseUrl), new URL(text)];
  const root = base.pathname.replace(/\/$/, '');
  if (url.host !== base.host || !url.pathname.startsWith(`${root}/`)) return undefined;
  const [, ref] = /^\/(?:embed\/)?p\/([\w-]+)\/?$/.exec(url.pathname.slice(root.length)) ?? [];
  const theme = url.searchParams.get('theme') === 'dark' ? 'dark' : 'light';
  return ref === undefined ? undefined : { ref, theme };
}

interface Frame {
  slug: string;
  url: string;
  title: string;
  language: string | null;
  width: number;
  height: number;
  /** CSS max-height, which also limits the script that adjusts the height. */
  maxHeight?: number;
}

/**
 * A link, the frame, and the script that hides the link and sizes the frame. The link is for pages that take out the
 * script. WordPress keeps `a[href]`, a blockquote without attributes and the frame, in this order, and hides the frame
 * until it posts its height (`wp_filter_oembed_result`).
 */
function embedHtml(
  config: BaseConfig,
  { slug, url, title, language, width, height, maxHeight = Infinity }: Frame,
): string {
  const bound = Number.isFinite(maxHeight) ? `;max-height:${maxHeight}px` : '';
  return (
    `<blockquote><a href="${escapeHtml(pageUrl(config, slug))}"${foreignPageAttributes(language)}>${escapeHtml(title)}</a></blockquote>` +
    `<iframe src="${escapeHtml(url)}" title="${escapeHtml(title)}" width="${width}" ` +
    `height="${height}" style="border:0;border-radius:.5rem;max-width:100%${bound}" loading="lazy"></iframe>` +
    `<script async src="${escapeHtml(config.baseUrl)}/embed.js"></script>`
  );
}
