import type { Context } from '../../platform/context.ts';
import { escapeHtml } from '../../platform/html.ts';
import { inlineSource } from '../../platform/pages/page.ts';
import type { Call, RawAnswer } from '../../platform/http/route.ts';
import { isOpenToAll, type PetitionRow } from '../../campaigns/petitions/petitions.ts';
import { embedUrl, oembedUrl, pageUrl, providerName } from '../../reach/embeds/embeds.ts';

const style = `:root{color-scheme:light dark;--quiet:light-dark(#55605b,#a9b4af);--line:light-dark(#d5dcd8,#3a4441);--act:light-dark(#0b6b4d,#58cf9d)}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:42rem;background:light-dark(#fff,#15191b);color:light-dark(#1b1f1d,#eef2f0);font:1.0625rem/1.65 system-ui,sans-serif;overflow-wrap:anywhere}
header,footer,.quiet{color:var(--quiet);font-size:.9375rem}
h1{margin:1.5rem 0 .5rem;font-size:clamp(1.6rem,5vw,2.25rem);line-height:1.2;text-wrap:balance}
img{display:block;width:100%;max-height:24rem;margin:1.5rem 0;border-radius:.5rem;object-fit:cover}
.count{margin:1.5rem 0 0}
.count strong{font-size:1.75rem;line-height:1.2;font-variant-numeric:tabular-nums}
progress{display:block;width:100%;height:.625rem;margin:.5rem 0 0;appearance:none;border:0;border-radius:1rem;background:var(--line);overflow:hidden}
progress::-webkit-progress-bar{background:var(--line)}
progress::-webkit-progress-value{background:var(--act)}
progress::-moz-progress-bar{background:var(--act)}
.state{margin:1.5rem 0;padding-left:.875rem;border-left:.25rem solid var(--act)}
.text{margin:1.5rem 0;white-space:pre-line}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line)}
a{color:var(--act)}`;

const policy = [
  "default-src 'none'",
  `style-src ${inlineSource(style)}`,
  // Creators may show a picture from anywhere.
  'img-src https: http:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** How long the page may be shown that was made before, in seconds. */
const freshSeconds = 5;

/** The page on which people read a petition. */
export function petitionPage(
  ctx: Context,
  header: Call['header'],
  petition: PetitionRow,
): RawAnswer {
  const address = pageUrl(ctx.config, petition.slug);
  const open = isOpenToAll(petition);
  const discovery = open ? oembedUrl(ctx.config, address) : undefined;
  header('content-security-policy', policy);
  header('referrer-policy', 'strict-origin-when-cross-origin');
  header('cache-control', open ? `public, max-age=${freshSeconds}` : 'private, no-store');
  if (discovery) header('link', `<${discovery}>; rel="alternate"; type="application/json+oembed"`);
  return {
    mediaType: 'text/html; charset=utf-8',
    body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
${headOf(petition, address, discovery)}
<style>${style}</style></head>
<body>
<header>${providerName}</header>
<main>
${article(petition)}
</main>
<footer>${footer(ctx, petition, open)}</footer>
</body></html>`,
  };
}

function headOf(petition: PetitionRow, address: string, discovery: string | undefined): string {
  const title = escapeHtml(petition.title);
  const summary = escapeHtml(summaryOf(petition.description));
  const image = petition.image_url && escapeHtml(petition.image_url);
  return [
    `<title>${title}</title>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="description" content="${summary}">`,
    // Those who share an unlisted or private petition choose with whom.
    petition.visibility !== 'public' && '<meta name="robots" content="noindex">',
    `<link rel="canonical" href="${escapeHtml(address)}">`,
    discovery &&
      `<link rel="alternate" type="application/json+oembed" href="${escapeHtml(discovery)}" title="${title}">`,
    '<meta property="og:type" content="website">',
    `<meta property="og:site_name" content="${providerName}">`,
    `<meta property="og:title" content="${title}">`,
    `<meta property="og:description" content="${summary}">`,
    `<meta property="og:url" content="${escapeHtml(address)}">`,
    image && `<meta property="og:image" content="${image}">`,
    `<meta name="twitter:card" content="${image ? 'summary_large_image' : 'summary'}">`,
  ]
    .filter(Boolean)
    .join('\n');
}

function article(petition: PetitionRow): string {
  const { signature_count: count, signature_goal: goal, image_url: image } = petition;
  const number = (value: number) => value.toLocaleString('en');
  return [
    `<h1 dir="auto">${escapeHtml(petition.title)}</h1>`,
    `<p class="quiet">${byline(petition)}</p>`,
    image && `<img src="${escapeHtml(image)}" alt="" referrerpolicy="no-referrer">`,
    `<p class="count"><strong>${number(count)}</strong> ${count === 1 ? 'signature' : 'signatures'}${
      goal ? ` <span class="quiet">of ${number(goal)}</span>` : ''
    }</p>`,
    goal &&
      `<progress max="${goal}" value="${count}" aria-label="Signatures towards the goal"></progress>`,
    stateOf(petition),
    `<div class="text" dir="auto">${escapeHtml(petition.description)}</div>`,
  ]
    .filter(Boolean)
    .join('\n');
}

function byline({ creator, published_at, category }: PetitionRow): string {
  const since = published_at?.toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' });
  return [
    creator && `Started by ${escapeHtml(creator.display_name)}`,
    published_at && `<time datetime="${published_at.toISOString()}">${since}</time>`,
    category && escapeHtml(category.name),
  ]
    .filter(Boolean)
    .join(' · ');
}

function stateOf({ status, victory_message: message }: PetitionRow): string {
  if (status === 'closed') return '<p class="state">This petition is closed.</p>';
  if (status !== 'victory') return '';
  const words = message ? ` <span class="text" dir="auto">${escapeHtml(message)}</span>` : '';
  return `<p class="state"><strong>Victory!</strong>${words}</p>`;
}

function footer({ config }: Context, { slug }: PetitionRow, open: boolean): string {
  const api = `${config.baseUrl}/v1/petitions/${slug}`;
  return [
    open && `<a href="${escapeHtml(embedUrl(config, slug))}">Embedded view</a>`,
    open && `<a href="${escapeHtml(api)}">Data</a>`,
    `<a href="${escapeHtml(config.baseUrl)}/docs">API</a>`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Longest text that previews show whole, in characters. */
const previewLength = 200;

/** The beginning of the text in one line, cut between words. */
function summaryOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= previewLength) return line;
  const cut = line.slice(0, previewLength);
  return `${cut
    .slice(0, cut.lastIndexOf(' ') + 1 || previewLength)
    .trimEnd()
    .toWellFormed()}…`;
}
