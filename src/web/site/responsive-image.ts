import { attribute, html, type Html } from '../../platform/html.ts';
import { sizesAt } from '../../campaigns/media/media.ts';
import type { View } from './view.ts';

/** How an image is laid out. */
export interface Layout {
  /** The width of its box by that of the window, as the attribute `sizes` says it. */
  sizes: string;
  /** Of the image in pixels, or of its box: browsers keep the place before the image is there. */
  size?: { width: number; height: number } | undefined;
  className?: string;
  /** `lazy` by default: loaded when it comes into view. `first` is the main image of the page. */
  loading?: 'first' | 'eager' | 'lazy';
}

/** The width of the main column, which has a padding of 1.25rem. */
export const fullWidth = 'calc(100vw - 2.5rem)';

/**
 * A decorative image. Pictures that were uploaded here have variants in several widths, of which the browser chooses;
 * pictures of other sites are taken as they are.
 */
export function responsiveImage(
  { ctx }: Pick<View, 'ctx'>,
  url: string,
  { sizes, size, className, loading = 'lazy' }: Layout,
): Html {
  const variants = sizesAt(ctx, url);
  const srcset = variants.map((variant) => `${variant.url} ${variant.width}w`).join(', ');
  // Safari takes the attributes in order, and loads the largest variant if it sees `src` first.
  return html`<img${attribute('class', className)}${attribute('loading', loading === 'lazy' && 'lazy')}${attribute('fetchpriority', loading === 'first' && 'high')} decoding="async"${
    size && html` width="${size.width}" height="${size.height}"`
  }${srcset && html` sizes="${sizes}" srcset="${srcset}"`} src="${url}" alt="" referrerpolicy="no-referrer">`;
}
