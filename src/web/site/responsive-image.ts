import { attribute, html, type Html } from '../../platform/html.ts';
import { isOwnAddress, sizesAt } from '../../campaigns/media/media.ts';
import type { View } from './view.ts';

/** How an image is laid out. */
export interface Layout {
  /** The width of its box by that of the window, as the attribute `sizes` says it. */
  sizes: string;
  /** Of the image in pixels, or of its box: browsers keep the place before the image is there. */
  size?: { width: number; height: number } | undefined;
  className?: string;
  /** What it shows, in words. A decorative image has none. */
  alt?: string | null;
  /** `lazy` by default: loaded when it comes into view. `first` is the main image of the page. */
  loading?: 'first' | 'eager' | 'lazy';
}

/** The width of the main column, which has a padding of 1.25rem. */
export const fullWidth = 'calc(100vw - 2.5rem)';

/** A view as far as pictures need it. */
export type PictureView = Pick<View, 'ctx' | 'pictures'>;

/**
 * An image in several widths of which the browser chooses. Of a picture of another host it is our copy, and
 * `instead` until that is ready.
 */
export function responsiveImage(
  { ctx, pictures }: PictureView,
  url: string,
  layout: Layout,
  instead: Html = html``,
): Html {
  if (isOwnAddress(ctx, url)) return imageOf({ url, variants: sizesAt(ctx, url) }, layout);
  return pictures.place(url, (variants) => {
    const largest = variants?.at(-1);
    if (!variants || !largest) return instead;
    const { size = largest } = layout;
    return imageOf({ url: largest.url, variants }, { ...layout, size });
  });
}

interface Source {
  url: string;
  /** Smallest first. */
  variants: { url: string; width: number }[];
}

function imageOf(
  { url, variants }: Source,
  { sizes, size, className, alt, loading = 'lazy' }: Layout,
): Html {
  const srcset = variants.map((variant) => `${variant.url} ${variant.width}w`).join(', ');
  // Safari takes the attributes in order, and loads the largest variant if it sees `src` first.
  return html`<img${attribute('class', className)}${attribute('loading', loading === 'lazy' && 'lazy')}${attribute('fetchpriority', loading === 'first' && 'high')} decoding="async"${
    size && html` width="${size.width}" height="${size.height}"`
  }${srcset && html` sizes="${sizes}" srcset="${srcset}"`} src="${url}" alt="${alt}" referrerpolicy="no-referrer">`;
}
