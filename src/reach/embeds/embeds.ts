import { variantsAt } from '../../campaigns/media/media.ts';
import type { Config } from '../../config.ts';
import type { Context } from '../../platform/context.ts';
import { escapeHtml } from '../../platform/html.ts';
import type { Caller } from '../../platform/http/route.ts';
import { conflict, notFound, Problem } from '../../platform/problems.ts';
import { isOpenToAll } from '../../campaigns/petitions/policy.ts';
import { readablePetition, type PetitionRow } from '../../campaigns/petitions/read.ts';
import type { Embed, EmbedInput, OEmbed, OEmbedQuery, Theme } from './schema.ts';

export const providerName = 'Open Petitions';

/** Size of a frame in pixels, until the script on its page fits the height to what it shows. */
const usualWidth = 600;
const usualHeight = 260;

/** How long consumers may keep an answer, in seconds. The count lives in the frame, not in it. */
const cacheSeconds = 3600;

type Place = Pick<Config, 'baseUrl'>;

export const pageUrl = ({ baseUrl }: Place, slug: string) => `${baseUrl}/p/${slug}`;

export const embedUrl = ({ baseUrl }: Place, slug: string, theme: Theme = 'light') =>
  `${baseUrl}/embed/p/${slug}${theme === 'dark' ? '?theme=dark' : ''}`;

/** Where oEmbed tells of that URL: what pages give as their discovery link. */
export const oembedUrl = ({ baseUrl }: Place, url: string) =>
  `${baseUrl}/v1/oembed?url=${encodeURIComponent(url)}`;

/**
 * What is to be put into another page to show a petition there.
 * @throws {Problem} not-found, forbidden for a private petition, conflict for others that the caller
 *   sees and not everybody does
 */
export async function embedCode(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { theme, width = usualWidth, height = usualHeight }: EmbedInput,
): Promise<Embed> {
  const petition = await readablePetition(ctx, caller, ref, undefined);
  if (!isOpenToAll(petition)) {
    throw conflict(
      'invalid_state',
      'Only a published petition that is not private can be embedded.',
    );
  }
  const url = embedUrl(ctx.config, petition.slug, theme);
  return {
    html: frame(ctx.config, { url, title: petition.title, width, height }),
    url,
    oembed_url: oembedUrl(ctx.config, url),
  };
}

/**
 * Tells of a petition by the URL of its page, as oEmbed 1.0 asks. It has a thumbnail where the picture was
 * uploaded here: oEmbed wants them with their size, and others may be anywhere on the web.
 * @throws {Problem} not-implemented for XML, not-found for all that not everybody can see
 */
export async function describeForOEmbed(
  ctx: Context,
  { url, maxwidth = Infinity, maxheight = Infinity, format }: OEmbedQuery,
): Promise<OEmbed> {
  if (format === 'xml') throw new Problem('not-implemented', 'Only JSON is offered.');
  const found = petitionAt(ctx.config, url);
  if (!found) throw notFound('petition');
  const { slug, title, image_url } = await petitionForAll(ctx, found.ref);
  const width = Math.min(usualWidth, maxwidth);
  const height = Math.min(usualHeight, maxheight);
  const { baseUrl } = ctx.config;
  return {
    type: 'rich',
    version: '1.0',
    title,
    provider_name: providerName,
    provider_url: baseUrl,
    html: frame(ctx.config, {
      url: embedUrl(ctx.config, slug, found.theme),
      title,
      width,
      height,
      maxHeight: maxheight,
    }),
    width,
    height,
    cache_age: cacheSeconds,
    ...(await thumbnailOf(ctx, image_url, { maxwidth, maxheight })),
  };
}

/** The largest size of the picture that fits; nothing where there is none. */
async function thumbnailOf(
  ctx: Context,
  image: string | null,
  { maxwidth, maxheight }: { maxwidth: number; maxheight: number },
) {
  const variants = image === null ? [] : await variantsAt(ctx, image);
  const fitting = variants.findLast((one) => one.width <= maxwidth && one.height <= maxheight);
  return (
    fitting && {
      thumbnail_url: fitting.url,
      thumbnail_width: fitting.width,
      thumbnail_height: fitting.height,
    }
  );
}

/** @throws {Problem} not-found where it is not open to all; that a private one exists is not told */
async function petitionForAll(ctx: Context, ref: string): Promise<PetitionRow> {
  try {
    return await readablePetition(ctx, null, ref, undefined);
  } catch (error) {
    if (error instanceof Problem && error.kind === 'forbidden') throw notFound('petition');
    throw error;
  }
}

/** The petition that a URL of ours shows, on its page or embedded. The scheme may be either. */
function petitionAt({ baseUrl }: Place, text: string): { ref: string; theme: Theme } | undefined {
  const [base, url] = [new URL(baseUrl), new URL(text)];
  const root = base.pathname.replace(/\/$/, '');
  if (url.host !== base.host || !url.pathname.startsWith(`${root}/`)) return undefined;
  const [, ref] = /^\/(?:embed\/)?p\/([\w-]+)\/?$/.exec(url.pathname.slice(root.length)) ?? [];
  const theme = url.searchParams.get('theme') === 'dark' ? 'dark' : 'light';
  return ref === undefined ? undefined : { ref, theme };
}

interface Frame {
  url: string;
  title: string;
  width: number;
  height: number;
  /** The frame grows no higher, whatever it shows. */
  maxHeight?: number;
}

function frame({ baseUrl }: Place, { url, title, width, height, maxHeight = Infinity }: Frame) {
  const bound = Number.isFinite(maxHeight) ? `;max-height:${maxHeight}px` : '';
  return (
    `<iframe src="${escapeHtml(url)}" title="${escapeHtml(title)}" width="${width}" ` +
    `height="${height}" style="border:0;border-radius:.5rem;max-width:100%${bound}" loading="lazy"></iframe>` +
    `<script async src="${escapeHtml(baseUrl)}/embed.js"></script>`
  );
}
