import { createHash } from 'node:crypto';
import type { Call, RawAnswer } from '../http/route.ts';
import { attribute, html, type Content, type Html } from '../html.ts';
import { assetAddress } from './assets.ts';
import { directionOf, type Language } from './language.ts';

export const htmlType = 'text/html; charset=utf-8';

export interface Page {
  title: Content;
  /** What is inside main. */
  main: Content;
  language?: Language;
  /** Where it is not that of the route. */
  status?: number;
  /** More for the head, such as what search engines read. */
  head?: Content;
  /** What is above and below main; the name of the service alone, unless said. */
  above?: Content;
  below?: Content;
  /** Style sheets of src/platform/pages/assets beside the one that all pages have. */
  styles?: readonly string[];
  /** Modules of src/platform/pages/assets that the page runs. It must say all without them too. */
  scripts?: readonly string[];
  /** As wide as texts are unless said. */
  width?: 'text' | 'wide';
  /** What it loads from elsewhere. */
  sources?: Sources | undefined;
  /** Where its forms may lead beyond this service, as sources of form-action. */
  formsLeadTo?: string;
  /** Who may keep it: nobody, unless said. */
  cacheControl?: string;
}

/** Where else a page loads from, by directives of its Content-Security-Policy. */
export type Sources = Partial<
  Record<'style-src' | 'script-src' | 'connect-src' | 'frame-src', string>
>;

/** What every page is allowed: what is ours, pictures from anywhere, and no frame around it. */
const policy = (formsLeadTo: string, sources: Sources) =>
  [
    "default-src 'none'",
    ...(['style-src', 'script-src', 'connect-src'] as const).map((one) =>
      `${one} 'self' ${sources[one] ?? ''}`.trim(),
    ),
    ...(sources['frame-src'] ? [`frame-src ${sources['frame-src']}`] : []),
    "manifest-src 'self'",
    // Creators may show a picture from anywhere.
    "img-src 'self' data: https: http:",
    "base-uri 'none'",
    `form-action ${formsLeadTo}`,
    "frame-ancestors 'none'",
  ].join('; ');

/** A whole page in the look of the service. */
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
${['site.css', ...styles].map(styleSheetOf)}<link rel="icon" href="${assetAddress('icon.svg')}" type="image/svg+xml">
${scripts.map(moduleOf)}${content.head}
</head>
<body>
${content.above ?? plainHeader}
<main id="main"${attribute('class', width === 'wide' && 'wide')}>
${content.main}
</main>
${content.below}
</body>
</html>
`;
}

const styleSheetOf = (name: string) => html`<link rel="stylesheet" href="${assetAddress(name)}">\n`;
const moduleOf = (name: string) =>
  html`<script type="module" src="${assetAddress(name)}"></script>\n`;

export const siteName = 'Open Petitions';

const plainHeader = html`<header class="site"><div class="bar"><a class="brand" href="/">${siteName}</a></div></header>`;

/** The source by which a Content-Security-Policy allows exactly this style or script inside a page. */
export const inlineSource = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
