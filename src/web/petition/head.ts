import { Html, html } from '../../platform/html.ts';
import { isPublished } from '../../campaigns/petitions/policy.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { oembedUrl, pageUrl, providerName } from '../../reach/embeds/embeds.ts';
import { noIndex, type View } from '../site/site.ts';
import { cardSize } from './card.ts';

/** Whether everybody sees the same of it. */
export const isOpen = (petition: Petition): boolean =>
  isPublished(petition) && petition.visibility !== 'private';

/** What programs read of a petition's page: search engines, previews of links, oEmbed. */
export function headOf({ ctx, header, language }: View, petition: Petition, below = ''): Html {
  const { title, slug } = petition;
  const summary = summaryOf(petition.description);
  const page = pageUrl(ctx.config, slug);
  const address = page + below;
  const open = isOpen(petition);
  const card = `${page}/card.png?lang=${language}`;
  const discovery = open ? oembedUrl(ctx.config, page) : undefined;
  if (discovery) header('link', `<${discovery}>; rel="alternate"; type="application/json+oembed"`);
  return html`<meta name="description" content="${summary}">
${
  // Those who share an unlisted or private petition choose with whom.
  (petition.visibility !== 'public' || !open) && noIndex
}<link rel="canonical" href="${address}">
${discovery && html`<link rel="alternate" type="application/json+oembed" href="${discovery}" title="${title}">\n`}<meta property="og:type" content="website">
<meta property="og:site_name" content="${providerName}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${summary}">
<meta property="og:url" content="${address}">
${
  open &&
  html`<meta property="og:image" content="${card}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${cardSize.width}">
<meta property="og:image:height" content="${cardSize.height}">
<meta property="og:image:alt" content="${title}">
`
}<meta name="twitter:card" content="${open ? 'summary_large_image' : 'summary'}">
${open && dataForPrograms(describe(petition, { page, card, summary }))}`;
}

/** By schema.org, whose nearest type is a creative work that people endorse. */
const describe = (
  petition: Petition,
  { page, card, summary }: { page: string; card: string; summary: string },
) => ({
  '@context': 'https://schema.org',
  '@type': 'CreativeWork',
  additionalType: 'https://www.wikidata.org/wiki/Q49848',
  headline: petition.title,
  description: summary,
  url: page,
  image: petition.image_url ? [petition.image_url, card] : card,
  datePublished: petition.published_at ?? undefined,
  ...(petition.creator && { author: { '@type': 'Person', name: petition.creator.display_name } }),
  ...(petition.tags.length > 0 && { keywords: petition.tags.join(', ') }),
  interactionStatistic: {
    '@type': 'InteractionCounter',
    interactionType: 'https://schema.org/EndorseAction',
    userInteractionCount: petition.signature_count,
  },
});

/** JSON in a page. Nothing in it can end its element or begin another (HTML Standard section 4.12.1.3). */
const dataForPrograms = (data: object) =>
  html`<script type="application/ld+json">${new Html(
    JSON.stringify(data).replaceAll('<', String.raw`\u003c`),
  )}</script>\n`;

/** Longest text that previews show whole, in characters. */
const previewLength = 200;

/** The beginning of the text in one line, cut between words. */
export function summaryOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= previewLength) return line;
  const cut = line.slice(0, previewLength);
  return `${cut
    .slice(0, cut.lastIndexOf(' ') + 1 || previewLength)
    .trimEnd()
    .toWellFormed()}…`;
}
