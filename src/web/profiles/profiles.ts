import { listPublicPetitionsForPage } from '../../campaigns/petitions/list.ts';
import { listUserSignatures } from '../../campaigns/signatures/signatures.ts';
import { findPublicUser, showsSignatures, type UserRow } from '../../identity/accounts/accounts.ts';
import { Type, type Static } from 'typebox';
import { html, type Content } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { asset } from '../../platform/pages/assets.ts';
import { formatDay, speak } from '../../platform/pages/catalog.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import {
  avatar,
  canonicalLink,
  noIndex,
  listOf,
  pageOf,
  petitionList,
  sitePage,
  tabs,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { profileTexts } from './texts.ts';

export const profileStyles = asset(new URL('profiles.css', import.meta.url));

export const SlugRef = Type.Object({ slug: Type.String() });
export type SlugRef = Static<typeof SlugRef>;

/** Public pages of a user. */
export const profileRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showProfile',
    closedToCrawlers: ['cursor'],
    path: '/u/{slug}',
    access: 'anyone',
    params: SlugRef,
    show: petitionsPage,
  }),
  ...site.page({
    id: 'showProfileSignatures',
    closedToCrawlers: ['cursor'],
    path: '/u/{slug}/signatures',
    access: 'anyone',
    params: SlugRef,
    show: signaturesPage,
  }),
];

/** Public petitions of a user. */
const petitionsPage: PageHandler<SlugRef, View> = async (view, { params, query }) => {
  const say = speak(profileTexts, view.language);
  const user = await findPublicUser(view.ctx, params.slug);
  const list = { limit: 12, ...pageOf(query) };
  const page = await listPublicPetitionsForPage(view.ctx, { creatorId: user.id }, list);
  return profilePage(view, user, {
    path: `/u/${user.slug}`,
    content: html`${page.items.length > 0 && html`<h2 class="visually-hidden">${say('petitions')}</h2>\n`}${petitionList(view, page, say('no_petitions'))}`,
  });
};

/** Public signatures of a user. */
const signaturesPage: PageHandler<SlugRef, View> = async (view, { params, query }) => {
  const say = speak(profileTexts, view.language);
  const user = await findPublicUser(view.ctx, params.slug);
  const page = await listUserSignatures(view.ctx, params.slug, pageOf(query));
  return profilePage(view, user, {
    path: `/u/${user.slug}/signatures`,
    content: listOf(view, page, {
      item: ({ petition, comment, display_location: place, created_at }) => html`<li>
<h2><a href="/p/${petition.slug}"${languageAttributes(petition.language, view.language)}>${petition.title}</a></h2>
${comment && html`<blockquote class="plain-text" dir="auto">${comment}</blockquote>\n`}<p class="small quiet">${say(
        'signed_at',
        { day: formatDay(view.language, new Date(created_at)) },
      )}${place && html` · <bdi>${place}</bdi>`}</p></li>\n`,
      empty: html`<p>${say('no_signatures')}</p>`,
    }),
  });
};

function profilePage(
  view: View,
  user: UserRow,
  { path, content }: { path: string; content: Content },
): Promise<RawAnswer> {
  const say = speak(profileTexts, view.language);
  const isOwn = view.viewer?.user.id === user.id;
  const parts = [
    { href: `/u/${user.slug}`, label: say('petitions') },
    ...(showsSignatures(user)
      ? [{ href: `/u/${user.slug}/signatures`, label: say('signed') }]
      : []),
  ];
  return sitePage(view, {
    title: html`${user.display_name}`,
    width: 'wide',
    styles: [profileStyles],
    // People who only signed are not to be found by their name.
    head: html`${canonicalLink(view, path)}${user.petition_count === 0 && noIndex}`,
    cacheControl: 'public, max-age=5',
    main: html`<header class="row profile">${avatar(view, user, 'large')}<div><h1><bdi>${user.display_name}</bdi></h1>
<p class="quiet">${say('petition_count', { count: user.petition_count })}</p></div></header>
${user.bio && html`<p class="plain-text lead" dir="auto">${user.bio}</p>\n`}${
      isOwn && html`<p><a class="button second" href="/settings">${say('edit')}</a></p>\n`
    }<nav aria-label="${user.display_name}">${tabs(parts.map((part) => ({ ...part, isCurrent: part.href === path })))}</nav>
${content}
${!isOwn && html`<p class="small"><a href="/u/${user.slug}/report" rel="nofollow">${say('report')}</a></p>`}`,
  });
}
