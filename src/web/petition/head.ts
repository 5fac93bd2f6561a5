import { Html, html } from '../../platform/html.ts';
import { plainStartOf, plainTextOf } from '../../platform/markdown/markdown.ts';
import { isOwnAddress } from '../../campaigns/media/media.ts';
import { isPublished } from '../../campaigns/petitions/policy.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { cardSize, cardUrl, oembedUrl, pageUrl } from '../../reach/embeds/embeds.ts';
import { noIndex, type View } from '../site/site.ts';

/** Whether everyone sees the same page of it. */
export const isOpen = (petition: Petition): boolean =>
  isPublished(petition) && petition.visibility !== 'private';

/** Metadata of a petition's page for search engines, link previews and oEmbed. */
export function headOf(view: View, petition: Petition, below = ''): Html {
  const { ctx, header, pictures } = view;
  const { slug, image_url: image } = petition;
  const isPublic = isOpen(petition);
  const discovery = isPublic ? oembedUrl(ctx.config, pageUrl(ctx.config, slug)) : undefined;
  if (discovery) header('link', `<${discovery}>; rel="alternate"; type="application/json+oembed"`);
  const headWith = (picture: string | null) =>
    headOfShown(view, { petition: { ...petition, image_url: picture }, below, discovery });
  // Link previews and search engines get the picture that the page shows.
  return image === null || isOwnAddress(ctx, image)
    ? headWith(image)
    : pictures.place(image, (copy) => headWith(copy?.at(-1)?.url ?? null));
}

interface Head {
  /** With the address of the picture that the page shows. */
  petition: Petition;
  below: string;
  discovery: string | undefined;
}

function headOfShown({ ctx, language }: View, { petition, below, discovery }: Head): Html {
  const { slug } = petition;
  const title = plainTextOf(petition.title) || petition.title;
  const summary = summaryOf(petition.description);
  const page = pageUrl(ctx.config, slug);
  const site = ctx.site.current;
  const address = page + below;
  const isPublic = isOpen(petition);
  const card = cardUrl(page, petition, { language, site });
  return html`<meta name="description" content="${summary}">
${
  // Unlisted and private petitions are shared by their links only.
  (petition.visibility !== 'public' || !isPublic) && noIndex
}<link rel="canonical" href="${address}">
${discovery && html`<link rel="alternate" type="application/json+oembed" href="${discovery}" title="${title}">\n`}<meta property="og:type" content="website">
<meta property="og:site_name" content="${site.name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${summary}">
<meta property="og:url" content="${address}">
${
  isPublic &&
  html`<meta property="og:image" content="${card}">
<meta property="og:image:type" content="image/jpeg">
<meta property="og:image:width" content="${cardSize.width}">
<meta property="og:image:height" content="${cardSize.height}">
<meta property="og:image:alt" content="${title}">
`
}<meta name="twitter:card" content="${isPublic ? 'summary_large_image' : 'summary'}">
${isPublic && jsonLd(describe(petition, { page, card, summary }))}`;
}

/** The petition in terms of schema.org, whose nearest type is a creative work that people endorse. */
const describe = (
  petition: Petition,
  { page, card, summary }: { page: string; card: string; summary: string },
) => ({
  '@context': 'https://schema.org',
  '@type': 'CreativeWork',
  additionalType: 'https://www.wikidata.org/wiki/Q49848',
  headline: petition.title,
  description: summary,
  inLanguage: petition.language ?? undefined,
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

/** JSON-LD, escaped so that it cannot end its script element (HTML Standard section 4.12.1.3). */
const jsonLd = (data: object) =>
  html`<script type="application/ld+json">${new Html(
    JSON.stringify(data).replaceAll('<', String.raw`\u003c`),
  )}</script>\n`;

/** Characters that link previews show without cutting. */
const maxPreviewLength = 200;
/** With line breaks and markers of lists, which previews do not show. */
const maxReadLength = 500;

/** The start of the text on one line, without marks of Markdown, cut between words. */
export function summaryOf(text: string): string {
  const line = plainStartOf(text, maxReadLength)
    .replaceAll(/^ *- /gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (line.length <= maxPreviewLength) return line;
  const cut = line.slice(0, maxPreviewLength);
  return `${cut
    .slice(0, cut.lastIndexOf(' ') + 1 || maxPreviewLength)
    .trimEnd()
    .toWellFormed()}…`;
}
