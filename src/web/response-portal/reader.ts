import type { Context } from '../../platform/context.ts';
import { html, type Html } from '../../platform/html.ts';
import type { Call, RawAnswer } from '../../platform/http/route.ts';
import type { Asset } from '../../platform/pages/assets.ts';
import { speak, type Say } from '../../platform/pages/catalog.ts';
import { languageOf, type Language } from '../../platform/pages/language.ts';
import { page } from '../../platform/pages/page.ts';
import type { SiteProfile } from '../../platform/site/profile.ts';
import { portalStyles } from './assets.ts';
import { portalTexts } from './texts.ts';

/** The language of the reader, and the function that returns texts in it. */
export interface Reader extends Pick<Call, 'header'> {
  ctx: Context;
  site: SiteProfile;
  language: Language;
  /** Path of the link. */
  path: string;
  say: Say<keyof (typeof portalTexts)['en']>;
}

export function readerOf({ ctx, header, headers, params }: Call): Reader {
  const site = ctx.site.current;
  const language = languageOf(headers, site);
  const path = `/respond/${encodeURIComponent(params.token ?? '')}`;
  return { ctx, site, header, language, path, say: speak(portalTexts, language) };
}

interface PrivatePageOptions {
  scripts?: readonly Asset[];
  /** Direction and language of the title. */
  titleAttributes?: Html;
}

/** A page that search engines do not index. The route sets `cache-control: no-store`. */
export function privatePage(
  { header, language, site }: Reader,
  title: Html | string,
  content: Html,
  { scripts = [], titleAttributes = html` dir="auto"` }: PrivatePageOptions = {},
): RawAnswer {
  header('x-robots-tag', 'noindex');
  header('vary', 'Accept, Accept-Language, Cookie');
  const main = html`<h1${titleAttributes}>${title}</h1>\n${content}`;
  return page(header, { title, language, site, scripts, styles: [portalStyles], main });
}
