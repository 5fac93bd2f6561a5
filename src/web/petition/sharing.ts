import { Type, type Static } from 'typebox';
import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { invalidValue, notFound } from '../../platform/problems.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { isFromOwnPage } from '../../identity/browser-sessions/browser-sessions.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { sharePetition as createShare } from '../../campaigns/shares/shares.ts';
import type { Channel } from '../../campaigns/shares/schema.ts';
import {
  callerOf,
  copyButton,
  field,
  noIndex,
  sitePage,
  type FormState,
  type Site,
  type View,
  type PageHandler,
} from '../site/site.ts';
import { petitionStyles } from './assets.ts';
import { pathTo, SlugRef } from './addresses.ts';
import { isOpen } from './head.ts';
import { mastodonLink, placeOf } from './share-places.ts';
import { petitionTexts } from './texts.ts';

const PlaceRef = Type.Object({ ...SlugRef.properties, place: Type.String() });
type PlaceRef = Static<typeof PlaceRef>;

export const sharingRoutes = (site: Site): Route[] =>
  site.page({
    id: 'sharePetitionElsewhere',
    path: '/p/{slug}/share/{place}',
    closedToCrawlers: true,
    access: 'anyone',
    params: PlaceRef,
    show: share,
  });

/** Channels of links that are given to the page itself: to copy, and for the share sheet of the device. */
const ownLinks: Record<string, Channel> = { link: 'link', device: 'other' };

/** Counts a share of the viewer, and leads to the place with their own link. Links from other sites count nothing. */
const share: PageHandler<PlaceRef, View> = async (view, { params: { slug, place: id }, query }) => {
  const place = placeOf(id);
  const ownChannel = Object.hasOwn(ownLinks, id) ? ownLinks[id] : undefined;
  if (!place && !ownChannel) throw notFound('page');
  const petition = await showPetition(view.ctx, callerOf(view), slug, undefined);
  if (!isOpen(petition)) throw notFound('page');
  const back = pathTo(slug, { hash: 'share' });
  if (!isFromOwnPage(view.ctx, view.headers)) return back;
  if (id === 'mastodon' && query.server === undefined) return mastodonPage(view, petition);
  const { title } = petition;
  const url = await linkOf(view, petition, (ownChannel ?? place?.channel)!);
  if (id === 'mastodon') {
    const address = mastodonLink(query.server!, { title, url });
    return address ?? mastodonPage(view, petition, refusedServer(query.server!));
  }
  if (id === 'signal') return signalPage(view, petition, url);
  if (ownChannel) return view.headers.accept === 'text/plain' ? asText(view, url) : back;
  return place!.link!({ title, url });
};

/** The viewer's own link, whose share is counted; the plain link of those who are not logged in. */
async function linkOf(view: View, { slug, share_url: plain }: Petition, channel: Channel) {
  const { ctx, ip } = view;
  const caller = callerOf(view);
  if (!caller) return plain;
  const { share_url } = await createShare(ctx, { caller, ref: slug, code: undefined, channel, ip });
  return share_url;
}

function asText({ header }: View, body: string): RawAnswer {
  header('cache-control', 'no-store');
  return { mediaType: 'text/plain; charset=utf-8', body };
}

/** Asks for the server of the viewer's account. */
function mastodonPage(
  view: View,
  petition: Petition,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  return placePage(view, petition, {
    title: say('share_on', { place: 'Mastodon' }),
    // The server is another site, to which the form leads.
    formsLeadTo: "'self' https:",
    ...(state.problem && { status: 422 }),
    content: html`<form>
${field(view, state, { name: 'server', label: say('server'), hint: say('server_hint'), required: true, autocomplete: 'off', inputMode: 'url', enterKeyHint: 'done' })}<button class="large">${say('share')}</button>
</form>`,
  });
}

const refusedServer = (server: string): FormState => ({
  values: { server },
  problem: invalidValue('server', 'Enter the name of a server, such as mastodon.social.'),
});

/** A text to be pasted: Signal takes none by a link. */
function signalPage(view: View, petition: Petition, url: string): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  return placePage(view, petition, {
    title: say('share_on', { place: 'Signal' }),
    content: html`<p>${say('signal_lead')}</p>
<div class="field"><label for="share-text">${say('message')}</label>
<textarea id="share-text" readonly rows="4"${languageAttributes(petition.language, view.language)}>
${petition.title} ${url}</textarea></div>
<p>${copyButton(view, 'share-text')}</p>`,
  });
}

interface PlacePage {
  title: Html;
  content: Html;
  status?: number;
  formsLeadTo?: string;
}

const placePage = (
  view: View,
  { slug, title: petitionTitle, language }: Petition,
  { title, content, ...more }: PlacePage,
): Promise<RawAnswer> =>
  sitePage(view, {
    ...more,
    title,
    styles: [petitionStyles],
    head: noIndex,
    main: html`<p class="small"><a href="${pathTo(slug)}"${languageAttributes(language, view.language)}>${petitionTitle}</a></p>
<h1>${title}</h1>
${content}`,
  });

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
