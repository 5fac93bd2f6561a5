import { createHash } from 'node:crypto';
import type { Call, RawAnswer } from '../http/route.ts';
import { attribute, html, type Content, type Html } from '../html.ts';
import { asset, type Asset } from './assets.ts';
import { editorScript } from './editor.ts';
import { directionOf, type Language } from './language.ts';
import type { SiteProfile } from '../site/profile.ts';
import { hasOwnIcon, iconAddress, logoAddress } from '../site/icons.ts';
import { themeAddress } from '../site/theme.ts';

const baseStyles = asset(
  ['tokens.css', 'site.css'].map((file) => new URL(file, import.meta.url)),
  'site.css',
);
const icon = asset(new URL('icon.svg', import.meta.url));
/** Assets of pages that belong to no slice. */
export const pageAssets = [baseStyles, icon, editorScript];

export const htmlType = 'text/html; charset=utf-8';

export interface Page {
  title: Content;
  /** Content of the main element. */
  main: Content;
  language?: Language;
  site: SiteProfile;
  /** Overrides the status of the route. */
  status?: number;
  /** More elements of the head. */
  head?: Content;
  /** Elements before and after main; a header with the name of the service by default. */
  above?: Content;
  below?: Content;
  /** Styles beside those of every page. */
  styles?: readonly Asset[];
  /** Modules that the page runs. It must work without them. */
  scripts?: readonly Asset[];
  /** `text` by default. */
  width?: 'text' | 'wide';
  /** Other sites that the page loads from. */
  sources?: Sources | undefined;
  /** Sources of form-action in its Content-Security-Policy; this service by default. */
  formsLeadTo?: string;
  /** `no-store` by default. */
  cacheControl?: string;
}

/** Other sites that a page loads from, by directives of its Content-Security-Policy. */
export type Sources = Partial<
  Record<'style-src' | 'script-src' | 'connect-src' | 'frame-src', string>
>;

/** The Content-Security-Policy: own files, no framing. */
const policy = (formsLeadTo: string, sources: Sources) =>
  [
    "default-src 'none'",
    ...(['style-src', 'script-src', 'connect-src'] as const).map((one) =>
      `${one} 'self' ${sources[one] ?? ''}`.trim(),
    ),
    ...(sources['frame-src'] ? [`frame-src ${sources['frame-src']}`] : []),
    "manifest-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    `form-action ${formsLeadTo}`,
    "frame-ancestors 'none'",
  ].join('; ');

/** A whole page. */
export function page(header: Call['header'], content: Page): RawAnswer {
  const { status, sources = {}, formsLeadTo = "'self'", cacheControl = 'no-store' } = content;
  header('content-security-policy', policy(formsLeadTo, sources));
  header(
    'referrer-policy',
    cacheControl === 'no-store' ? 'same-origin' : 'strict-origin-when-cross-origin',
  );
  header('cache-control', cacheControl);
  return { ...(status && { status }), mediaType: htmlType, body: documentOf(content).text };
}

function documentOf(content: Page): Html {
  const { language = 'en', styles = [], scripts = [], width } = content;
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<title>${content.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${[baseStyles.address, themeAddress(content.site.accent), ...styles.map(({ address }) => address)].map(styleSheetOf)}${iconLinks(content.site)}${scripts.map(moduleOf)}${content.head}
</head>
<body>
${content.above ?? plainHeader(content.site)}
<main id="main"${attribute('class', width === 'wide' && 'wide')}>
${content.main}
</main>
${content.below}
</body>
</html>
`;
}

const styleSheetOf = (address: string | undefined): Content =>
  address !== undefined && html`<link rel="stylesheet" href="${address}">\n`;
const moduleOf = ({ address }: Asset) => html`<script type="module" src="${address}"></script>\n`;

const iconLinks = (site: SiteProfile) =>
  html`${
    hasOwnIcon(site)
      ? html`<link rel="icon" href="${iconAddress(site, 32)}" type="image/png">\n`
      : html`<link rel="icon" href="${icon.address}" type="image/svg+xml">\n`
  }<link rel="apple-touch-icon" href="${iconAddress(site, 180)}">
<link rel="manifest" href="/site.webmanifest">
`;

/** The name of the site, which leads to its first page. */
export const brand = ({ name, logo }: SiteProfile): Html =>
  html`<a class="brand" href="/">${logo && html`<img src="${logoAddress(logo)}" alt="" width="${logo.width}" height="${logo.height}">`}${name}</a>`;

const plainHeader = (site: SiteProfile) =>
  html`<header class="site"><div class="bar">${brand(site)}</div></header>`;

/** The source of a Content-Security-Policy that allows exactly this inline style or script. */
export const inlineSource = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
