import en from '../../../locales/en/embeds.json' with { type: 'json' };
import { LRUCache } from 'lru-cache';
import type { Context } from '../../platform/context.ts';
import { catalog, formatNumber, speak } from '../../platform/pages/catalog.ts';
import { failureText } from '../../platform/pages/problem-pages.ts';
import { directionOf, languageOf, type Language } from '../../platform/pages/language.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { attribute, html, Html, type Content } from '../../platform/html.ts';
import { inlineSource } from '../../platform/pages/page.ts';
import type { Call, FailureFormat, RawAnswer } from '../../platform/http/route.ts';
import { problemKinds } from '../../platform/problems.ts';
import type { PetitionRow } from '../../campaigns/petitions/read.ts';
import { streamScript } from '../realtime/realtime.ts';
import { pageUrl } from './embeds.ts';
import type { Theme } from './schema.ts';
import { themeOf, tokensOf, type Theme as ThemeOfSite } from '../../platform/site/theme.ts';
import type { SiteProfile } from '../../platform/site/profile.ts';
import { widgetScript } from './scripts.ts';

/** Texts of the embedded page. The number stands before the noun. */
const widgetTexts = catalog('embeds', en);

/** Repeats colours and fonts of site.css, since the frame is a separate document. */
const stylesOf = ({
  light,
  dark,
}: ThemeOfSite) => `:root{color-scheme:light;--surface:#fff;--text:#1c211f;--quiet:#57605c;--line:#dcd9d0;${tokensOf(light)}}
[data-theme=dark]{color-scheme:dark;--surface:#1b201e;--text:#ecf0ee;--quiet:#a8b3ae;--line:#343c39;${tokensOf(dark)}}
*{box-sizing:border-box}
body{margin:0;padding:1rem 1.125rem;border:1px solid var(--line);border-radius:.625rem;background:var(--surface);color:var(--text);font:1rem/1.6 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Noto Sans Arabic',sans-serif;overflow-wrap:anywhere}
h1{margin:0;font:600 1.25rem/1.3 ui-serif,'Iowan Old Style','Palatino Linotype',Palatino,Georgia,'Noto Serif',serif;text-wrap:balance}
p{margin:.625rem 0 0}
a{color:inherit}
h1 a{text-decoration:none}
h1 a:hover{text-decoration:underline}
.count{font-variant-numeric:tabular-nums}
.count strong{font-size:1.5rem;line-height:1.2}
.quiet,small{color:var(--quiet)}
progress{display:block;width:100%;height:.625rem;margin-top:.5rem;appearance:none;border:0;border-radius:1rem;background:var(--line);overflow:hidden}
progress::-webkit-progress-bar{background:var(--line)}
progress::-webkit-progress-value{background:var(--act);border-radius:1rem}
progress::-moz-progress-bar{background:var(--act);border-radius:1rem}
.sign{display:block;padding:.5rem 1.125rem;border-radius:.5rem;background:var(--act);color:var(--on-act);font-weight:600;text-align:center;text-decoration:none}
.sign:hover{background:var(--act-strong)}
.end{padding:.625rem .875rem;border-inline-start:.25rem solid var(--act);border-radius:.25rem;background:var(--tint)}
a:focus-visible{outline:3px solid var(--act);outline-offset:2px}
small{display:block;margin-top:.75rem;font-size:.875rem}`;

/** The styles for an accent, and the source that allows them. Few are asked for: that of the site, and earlier ones. */
const styleByAccent = new LRUCache<string, { text: string; source: string }>({ max: 10 });

function styleOf({ accent }: SiteProfile): { text: string; source: string } {
  let style = styleByAccent.get(accent);
  if (!style) {
    const text = stylesOf(themeOf(accent));
    style = { text, source: inlineSource(text) };
    styleByAccent.set(accent, style);
  }
  return style;
}

/** Returns the embedded page of a petition. It also works without JavaScript. */
export function widgetPage(
  ctx: Context,
  { header, headers }: Pick<Call, 'header' | 'headers'>,
  petition: PetitionRow,
  theme: Theme,
): RawAnswer {
  const language = languageOf(headers, ctx.site.current);
  const say = speak(widgetTexts, language);
  const { slug, signature_count: count, signature_goal: goal, status } = petition;
  const { baseUrl } = ctx.config;
  const link = html`href="${pageUrl(ctx.config, slug)}" target="_blank" rel="noopener"`;
  const when = (state: string) =>
    html`data-when="${state}"${attribute('hidden', state !== status)}`;
  const scripts = [streamScript.address, `/embed/widget.js?v=${widgetScript.version}`];
  const style = styleOf(ctx.site.current);
  allowFraming(
    header,
    style.source,
    `script-src ${new URL(baseUrl).origin}; connect-src ${new URL(baseUrl).origin};`,
  );
  header('cache-control', `public, max-age=${maxAgeSeconds}`);
  header('vary', 'Accept-Language, Cookie');
  return {
    mediaType,
    body: html`${head({ title: petition.title, theme, language, style: style.text })}
<body data-slug="${slug}" data-events="${baseUrl}/v1/petitions/${petition.id}/events" data-nouns="${JSON.stringify(widgetTexts[language]!.noun)}">
<main>
<h1${languageAttributes(petition.language, language)}><a ${link}>${petition.title}</a></h1>
<p class="count"><strong data-count>${formatNumber(language, count)}</strong> <span data-noun>${say('noun', { count })}</span>${
      goal !== null && html` <span class="quiet">${say('of_goal', { goal })}</span>`
    }</p>
${
  goal !== null &&
  html`<progress max="${goal}" value="${count}" aria-label="${say('towards_goal')}"></progress>`
}
<p ${when('active')}><a class="sign" ${link}>${say('sign')}</a></p>
<p class="end" ${when('closed')}>${say('closed')}</p>
<p class="end" ${when('victory')}><strong>${say('victory')}</strong></p>
<small>${ctx.site.current.name} · ${new URL(baseUrl).host}</small>
</main>
${scripts.map((address) => html`<script src="${baseUrl}${address}" defer></script>`)}
</body></html>`.text,
  };
}

/** How long the page is cached. Without JavaScript its count is not updated. */
const maxAgeSeconds = 5;

const mediaType = 'text/html; charset=utf-8';

interface Head {
  title: Content;
  theme: Theme;
  language: Language;
  style: string;
}

const head = ({ title, theme, language, style }: Head) => html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}" data-theme="${theme}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<style>${new Html(style)}</style></head>`;

function allowFraming(header: Call['header'], styleSource: string, more = ''): void {
  header(
    'content-security-policy',
    `default-src 'none'; style-src ${styleSource}; ${more} base-uri 'none'; form-action 'none'; frame-ancestors *`,
  );
  header('referrer-policy', 'strict-origin-when-cross-origin');
}

/** Renders failures inside the frame, which stays blank for pages that forbid framing. */
export const asWidget: FailureFormat = {
  mediaType,
  statusOf: (kind) => problemKinds[kind].status,
  write(problem, { ctx, header, headers }) {
    const style = styleOf(ctx.site.current);
    allowFraming(header, style.source);
    header('cache-control', 'no-store');
    header('vary', 'Accept-Language, Cookie');
    const language = languageOf(headers, ctx.site.current);
    const title = speak(widgetTexts, language)('not_shown');
    return html`${head({ title, theme: 'light', language, style: style.text })}<body><h1>${title}</h1><p>${failureText(language, problem)}</p></body></html>`
      .text;
  },
};
