import { Type, type Static } from 'typebox';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import { isFromOwnPage } from '../../identity/browser-sessions/browser-sessions.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { sharePetition as createShare } from '../../campaigns/shares/shares.ts';
import { copyButton, type Site, type View, type PageHandler } from '../site/site.ts';
import { pathTo, SlugRef } from './addresses.ts';
import { isOpen } from './head.ts';
import { petitionTexts } from './texts.ts';

const PlaceRef = Type.Object({ ...SlugRef.properties, place: Type.String() });
type PlaceRef = Static<typeof PlaceRef>;

export const sharingRoutes = (site: Site): Route[] =>
  site.page({
    id: 'sharePetitionElsewhere',
    path: '/p/{slug}/share/{place}',
    access: 'user',
    params: PlaceRef,
    show: share,
  });

/** Sites for sharing, as plain links: pages load nothing from them. */
const places = {
  whatsapp: {
    name: 'WhatsApp',
    channel: 'whatsapp',
    link: (url: string, title: string) => `https://wa.me/?${queryOf({ text: `${title} ${url}` })}`,
  },
  facebook: {
    name: 'Facebook',
    channel: 'facebook',
    link: (url: string) => `https://www.facebook.com/sharer/sharer.php?${queryOf({ u: url })}`,
  },
  x: {
    name: 'X',
    channel: 'x',
    link: (url: string, title: string) =>
      `https://x.com/intent/post?${queryOf({ text: title, url })}`,
  },
  telegram: {
    name: 'Telegram',
    channel: 'other',
    link: (url: string, title: string) => `https://t.me/share/url?${queryOf({ url, text: title })}`,
  },
} as const;

const queryOf = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

interface ShareBox {
  /** False where the box follows other text. */
  heading?: Html | false;
  /** Path below that of the petition, to share another page of it. */
  below?: string;
  /** The viewer's own share link. */
  ownLink?: string | undefined;
}

/** Ways to share a petition: link, QR code, mail, other sites. */
export function shareBox(
  view: View,
  { title, share_url, slug }: Petition,
  { heading = speak(petitionTexts, view.language)('share'), below = '', ownLink }: ShareBox = {},
): Html {
  const url = ownLink ?? share_url + below;
  const say = speak(petitionTexts, view.language);
  const mail = `mailto:?${queryOf({ subject: title, body: `${title}\r\n\r\n${url}` })}`; // RFC 6068, section 5
  return html`<section class="share">${heading && html`<h2 id="share">${heading}</h2>`}
<div class="field"><label for="share-link">${say('link')}</label>
<div class="copy"><input id="share-link" readonly dir="ltr" value="${url}">${copyButton(view, 'share-link')}</div></div>
${
  view.viewer &&
  !ownLink &&
  html`<p class="small"><a href="/p/${slug}/share/link" rel="nofollow">${say('own_link')}</a> <span class="quiet">${say('own_link_hint')}</span></p>\n`
}<p class="row small"><a href="${mail}">${say('by_mail')}</a>
${Object.entries(places).map(([id, { name, link }]) => {
  // Shares of viewers who are logged in are counted, and use their own link.
  const address = view.viewer ? `/p/${slug}/share/${id}` : link(url, title);
  return html`<a href="${address}" target="_blank" rel="noopener nofollow">${name}</a>\n`;
})}<a href="/p/${slug}/qr.svg">${say('qr_code')}</a></p></section>
`;
}

/**
 * Counts a share of the viewer, and redirects to the site with their own link, or back to the petition if they asked
 * for the link itself. Links from other sites count nothing.
 */
const share: PageHandler<PlaceRef> = async (
  { ctx, headers, ip, viewer: { caller } },
  { params: { slug, place } },
) => {
  const site = Object.hasOwn(places, place) ? places[place as keyof typeof places] : undefined;
  if (!site && place !== 'link') throw notFound('page');
  const { title } = await showPetition(ctx, caller, slug, undefined);
  const back = pathTo(slug, { hash: 'share' });
  if (!isFromOwnPage(ctx, headers)) return back;
  const channel = site?.channel ?? 'link';
  const { share_url } = await createShare(ctx, { caller, ref: slug, code: undefined, channel, ip });
  return site ? site.link(share_url, title) : back;
};

/** HTML for embedding the petition in other sites; empty if not everyone may see it. */
export function embedBox(view: View, petition: Petition, code: string | undefined): Html {
  if (code === undefined || !isOpen(petition)) return html``;
  const say = speak(petitionTexts, view.language);
  return html`<details><summary>${say('embed')}</summary>
<div class="field"><label for="embed-code">${say('embed_label')}</label>
<textarea id="embed-code" readonly rows="4" dir="ltr" spellcheck="false">
${code}</textarea>
${copyButton(view, 'embed-code')}</div></details>
`;
}
