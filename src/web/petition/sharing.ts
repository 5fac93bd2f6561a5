import { html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import type { View } from '../site/site.ts';
import { isOpen } from './head.ts';
import { petitionTexts } from './texts.ts';

/** Where people share, by plain links: nothing of others is loaded, and nobody is told before they click. */
const places: [name: string, link: (url: string, title: string) => string][] = [
  ['WhatsApp', (url, title) => `https://wa.me/?${query({ text: `${title} ${url}` })}`],
  ['Facebook', (url) => `https://www.facebook.com/sharer/sharer.php?${query({ u: url })}`],
  ['X', (url, title) => `https://x.com/intent/post?${query({ text: title, url })}`],
  ['Telegram', (url, title) => `https://t.me/share/url?${query({ url, text: title })}`],
];

const query = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

interface Sharing {
  /** Above it; nothing where it stands below other words. */
  heading?: Html | false;
  /** A page of the petition, instead of its own. */
  below?: string;
}

/** How a petition is shared, by link, picture, mail and elsewhere. */
export function shareBox(
  view: View,
  { title, share_url, slug }: Petition,
  { heading = speak(petitionTexts, view.language)('share'), below = '' }: Sharing = {},
): Html {
  const url = share_url + below;
  const say = speak(petitionTexts, view.language);
  const mail = `mailto:?${query({ subject: title, body: `${title}\n\n${url}` })}`;
  return html`<section class="share">${heading && html`<h2 id="share">${heading}</h2>`}
<div class="field"><label for="share-link">${say('link')}</label>
<div class="copy"><input id="share-link" readonly dir="ltr" value="${url}"><button class="second" type="button" data-copy="share-link" data-copied="${say('copied')}" data-with-script hidden>${say('copy')}</button></div></div>
<p class="row small"><a href="${mail}">${say('by_mail')}</a>
${places.map(
  ([name, link]) =>
    html`<a href="${link(url, title)}" target="_blank" rel="noopener nofollow">${name}</a>\n`,
)}<a href="/p/${slug}/qr.svg">${say('qr_code')}</a></p></section>
`;
}

/** What others put into their own pages; nothing where not everybody can see the petition. */
export function embedBox({ language }: View, petition: Petition, code: string | undefined): Html {
  if (code === undefined || !isOpen(petition)) return html``;
  const say = speak(petitionTexts, language);
  return html`<details><summary>${say('embed')}</summary>
<div class="field"><label for="embed-code">${say('embed_label')}</label>
<textarea id="embed-code" readonly rows="4" dir="ltr" spellcheck="false">
${code}</textarea>
<button class="second" type="button" data-copy="embed-code" data-copied="${say('copied')}" data-with-script hidden>${say('copy')}</button></div></details>
`;
}
