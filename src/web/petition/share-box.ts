import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { copyButton, type View } from '../site/site.ts';
import { pathTo } from './addresses.ts';
import { sharePlaces, type PlaceId } from './share-places.ts';
import { petitionTexts } from './texts.ts';

interface ShareBox {
  heading?: Content;
  /** Whether sharing is the one thing to do on this screen. */
  isMain?: boolean;
  /** Path below that of the petition, to share another page of it. */
  below?: string;
  /** The viewer's own share link. */
  ownLink?: string | undefined;
}

/** Ways to share a petition: one button, the link, and places. Viewers who are logged in share their own link. */
export function shareBox(
  view: View,
  { title, share_url, slug, status }: Petition,
  {
    heading = speak(petitionTexts, view.language)('share_title'),
    isMain = false,
    below = '',
    ownLink,
  }: ShareBox = {},
): Html {
  const say = speak(petitionTexts, view.language);
  const url = ownLink ?? share_url + below;
  const canCollect = status === 'active' && below === '';
  const hrefOf = (id: PlaceId) => addressOf(view, slug, id, { url, title });
  return html`<section class="share"><h2 id="share">${heading}</h2>
<p><a class="button large${!isMain && ' second'}" href="${hrefOf('whatsapp')}" target="_blank" rel="noopener nofollow" data-share="${url}" data-title="${title}"${ownLinkAttribute(view, slug, 'device')}>${say('share')}</a></p>
<div class="field"><label for="share-link">${say('link')}</label>
<div class="copy"><input id="share-link" readonly dir="ltr" value="${url}">${copyOwnLink(view, slug, 'share-link', url)}</div></div>
${
  view.viewer &&
  !ownLink &&
  html`<p class="small" data-without-script><a href="${pathTo(slug, { below: 'share/link' })}" rel="nofollow">${say('own_link')}</a> <span class="quiet">${say('own_link_hint')}</span></p>\n`
}<ul class="places">
${(Object.keys(sharePlaces) as PlaceId[]).map((id) => {
  const opensApp = id === 'sms' || id === 'email';
  return html`<li><a class="button second" href="${hrefOf(id)}"${attribute('target', !opensApp && '_blank')} rel="noopener nofollow">${nameOf(view, id)}</a></li>\n`;
})}</ul>${
    canCollect &&
    html`\n<p class="small"><a href="${pathTo(slug, { below: 'sheet.pdf' })}" rel="nofollow">${say('on_paper')}</a></p>`
  }</section>
`;
}

/** Copies a field, with the viewer's own link in it. */
export const copyOwnLink = (view: View, slug: string, fieldId: string, url: string): Html =>
  copyButton(
    view,
    fieldId,
    html`${attribute('data-link', view.viewer && url)}${ownLinkAttribute(view, slug, 'link')}`,
  );

/** Where scripts get the viewer's own link, which is created and counted then. */
const ownLinkAttribute = ({ viewer }: View, slug: string, channel: 'device' | 'link') =>
  attribute('data-own-link', viewer && pathTo(slug, { below: `share/${channel}` }));

/** The way through our own path counts, and shares the viewer's own link. */
function addressOf(
  { viewer }: View,
  slug: string,
  id: PlaceId,
  shared: { url: string; title: string },
): string {
  const place = sharePlaces[id];
  return viewer || !('link' in place) ? pathTo(slug, { below: `share/${id}` }) : place.link(shared);
}

function nameOf({ language }: View, id: PlaceId): Content {
  const place = sharePlaces[id];
  if ('name' in place) return place.name;
  return speak(petitionTexts, language)(`by_${id as 'sms' | 'email' | 'qr'}`);
}
