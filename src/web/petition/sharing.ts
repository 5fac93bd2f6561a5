import { html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import { isFromOwnPage } from '../../identity/browser-sessions/browser-sessions.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { share } from '../../campaigns/shares/shares.ts';
import { copyButton, type OwnView, type View } from '../site/site.ts';
import { pathTo } from './addresses.ts';
import { isOpen } from './head.ts';
import { petitionTexts } from './texts.ts';

/** Where people share, by plain links: nothing of others is loaded, and nobody is told before they click. */
const places = {
  whatsapp: {
    name: 'WhatsApp',
    channel: 'whatsapp',
    link: (url: string, title: string) => `https://wa.me/?${query({ text: `${title} ${url}` })}`,
  },
  facebook: {
    name: 'Facebook',
    channel: 'facebook',
    link: (url: string) => `https://www.facebook.com/sharer/sharer.php?${query({ u: url })}`,
  },
  x: {
    name: 'X',
    channel: 'x',
    link: (url: string, title: string) =>
      `https://x.com/intent/post?${query({ text: title, url })}`,
  },
  telegram: {
    name: 'Telegram',
    channel: 'other',
    link: (url: string, title: string) => `https://t.me/share/url?${query({ url, text: title })}`,
  },
} as const;

const query = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

interface Sharing {
  /** Above it; nothing where it stands below other words. */
  heading?: Html | false;
  /** A page of the petition, instead of its own. */
  below?: string;
  /** The viewer's own link, where they have one. */
  ownLink?: string | undefined;
}

/** How a petition is shared, by link, picture, mail and elsewhere. */
export function shareBox(
  view: View,
  { title, share_url, slug }: Petition,
  { heading = speak(petitionTexts, view.language)('share'), below = '', ownLink }: Sharing = {},
): Html {
  const url = ownLink ?? share_url + below;
  const say = speak(petitionTexts, view.language);
  const mail = `mailto:?${query({ subject: title, body: `${title}\n\n${url}` })}`;
  return html`<section class="share">${heading && html`<h2 id="share">${heading}</h2>`}
<div class="field"><label for="share-link">${say('link')}</label>
<div class="copy"><input id="share-link" readonly dir="ltr" value="${url}">${copyButton(view, 'share-link')}</div></div>
${
  view.viewer &&
  !ownLink &&
  html`<p class="small"><a href="/p/${slug}/share/link" rel="nofollow">${say('own_link')}</a> <span class="quiet">${say('own_link_hint')}</span></p>\n`
}<p class="row small"><a href="${mail}">${say('by_mail')}</a>
${Object.entries(places).map(([id, { name, link }]) => {
  // Of whoever is logged in shares are counted, and lead by a link of their own.
  const address = view.viewer ? `/p/${slug}/share/${id}` : link(url, title);
  return html`<a href="${address}" target="_blank" rel="noopener nofollow">${name}</a>\n`;
})}<a href="/p/${slug}/qr.svg">${say('qr_code')}</a></p></section>
`;
}

/**
 * Counts a share of who is logged in, and sends on to the place with their own link; back to the petition
 * where the link itself was wanted. Other sites that lead here share nothing.
 */
export async function shareOn(
  { ctx, header, headers, ip, viewer: { caller } }: OwnView,
  { slug, place }: { slug: string; place: string },
): Promise<RawAnswer> {
  const known = Object.hasOwn(places, place) ? places[place as keyof typeof places] : undefined;
  if (!known && place !== 'link') throw notFound('page');
  const { title } = await showPetition(ctx, caller, slug, undefined);
  const back = pathTo(slug, { hash: 'share' });
  if (!isFromOwnPage(ctx, headers)) return redirectTo(header, back, 303);
  const channel = known?.channel ?? 'link';
  const { share_url } = await share(ctx, { caller, ref: slug, code: undefined, channel, ip });
  return redirectTo(header, known ? known.link(share_url, title) : back, 303);
}

/** What others put into their own pages; nothing where not everybody can see the petition. */
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
