import { browsePublicPetitions } from '../../campaigns/petitions/list.ts';
import { listUserSignatures } from '../../campaigns/signatures/signatures.ts';
import { publicProfile } from '../../identity/accounts/accounts.ts';
import type { PublicProfile } from '../../identity/accounts/schema.ts';
import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { formatDay, speak } from '../../platform/pages/catalog.ts';
import {
  avatar,
  canonicalLink,
  nextLink,
  petitionCard,
  sitePage,
  type View,
} from '../site/site.ts';
import { profileTexts } from './texts.ts';

const shown = 12;

/** What everybody may see of a user: the petitions. */
export async function profilePage(
  view: View,
  slug: string,
  cursor: string | undefined,
): Promise<RawAnswer> {
  const say = speak(profileTexts, view.language);
  const user = await publicProfile(view.ctx, slug);
  const which = { limit: shown, ...(cursor && { cursor }) };
  const page = await browsePublicPetitions(view.ctx, { creatorId: user.id }, which);
  return frame(view, user, {
    path: `/u/${user.slug}`,
    content:
      page.items.length > 0
        ? html`<h2 class="visually-hidden">${say('petitions')}</h2>
<ul class="cards">
${page.items.map((petition) => petitionCard(view, petition))}</ul>
${nextLink(view, page)}`
        : html`<p>${say('no_petitions')}</p>`,
  });
}

/** What a user signed for everybody to see. */
export async function signedPage(
  view: View,
  slug: string,
  cursor: string | undefined,
): Promise<RawAnswer> {
  const say = speak(profileTexts, view.language);
  const user = await publicProfile(view.ctx, slug);
  const page = await listUserSignatures(view.ctx, slug, { ...(cursor && { cursor }) });
  const items = page.items.map(
    ({ petition, comment, display_location: place, created_at }) => html`<li>
<h2><a dir="auto" href="/p/${petition.slug}">${petition.title}</a></h2>
${comment && html`<blockquote class="text" dir="auto">${comment}</blockquote>\n`}<p class="small quiet">${say(
      'signed_at',
      { day: formatDay(view.language, new Date(created_at)) },
    )}${place && html` · <bdi>${place}</bdi>`}</p></li>\n`,
  );
  return frame(view, user, {
    path: `/u/${user.slug}/signatures`,
    content:
      items.length > 0
        ? html`<ul class="list">
${items}</ul>
${nextLink(view, page)}`
        : html`<p>${say('no_signatures')}</p>`,
  });
}

interface ProfilePart {
  path: string;
  content: Content;
}

function frame(view: View, user: PublicProfile, { path, content }: ProfilePart): RawAnswer {
  const say = speak(profileTexts, view.language);
  const tab = (href: string, text: Html) =>
    html`<li><a href="${href}"${attribute('aria-current', href === path && 'page')}>${text}</a></li>\n`;
  const isOwn = view.viewer?.user.id === user.id;
  return sitePage(view, {
    title: html`${user.display_name}`,
    width: 'wide',
    styles: ['people.css'],
    head: canonicalLink(view, path),
    cacheControl: 'public, max-age=5',
    main: html`<header class="row profile">${avatar(user, 'large')}<div><h1><bdi>${user.display_name}</bdi></h1>
<p class="quiet">${say('petition_count', { count: user.petition_count })}</p></div></header>
${user.bio && html`<p class="text lead" dir="auto">${user.bio}</p>\n`}${
      isOwn && html`<p><a class="button second" href="/settings">${say('edit')}</a></p>\n`
    }<nav aria-label="${user.display_name}"><ul class="tabs">
${tab(`/u/${user.slug}`, say('petitions'))}${tab(`/u/${user.slug}/signatures`, say('signed'))}</ul></nav>
${content}`,
  });
}
