import { listPublicPetitionsForPage } from '../../campaigns/petitions/list.ts';
import {
  listOrganizations,
  getOrganizationRow,
} from '../../identity/organizations/organizations.ts';
import type { Organization } from '../../identity/organizations/schema.ts';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import { plainTextOf } from '../../platform/markdown/markdown.ts';
import {
  avatar,
  canonicalLink,
  listOf,
  pageOf,
  petitionList,
  sitePage,
  tabs,
  type Site,
  type View,
  type PageHandler,
  fullWidth,
  responsiveImage,
  type Layout,
} from '../site/site.ts';
import { profileStyles, SlugRef } from './profiles.ts';
import { profileTexts } from './texts.ts';

/** Public pages of organizations. */
export const organizationRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showOrganization',
    closedToCrawlers: ['cursor'],
    path: '/o/{slug}',
    access: 'anyone',
    params: SlugRef,
    show: organizationPage,
  }),
  ...site.page({
    id: 'showOrganizations',
    closedToCrawlers: ['verified', 'cursor'],
    path: '/organizations',
    access: 'anyone',
    show: organizationsPage,
  }),
];

const organizationPage: PageHandler<SlugRef, View> = async (view, { params, query }) => {
  const say = speak(profileTexts, view.language);
  const organization = await getOrganizationRow(view.ctx, params.slug);
  const list = { limit: 12, ...pageOf(query) };
  const page = await listPublicPetitionsForPage(view.ctx, { orgId: organization.id }, list);
  const { name, description, website, cover_url: cover } = organization;
  return sitePage(view, {
    title: html`${name}`,
    width: 'wide',
    styles: [profileStyles],
    head: canonicalLink(view, `/o/${organization.slug}`),
    cacheControl: 'public, max-age=5',
    main: html`${cover && html`${responsiveImage(view, cover, coverLayout)}\n`}<header class="row profile">${logo(view, organization, 'large')}<div><h1><bdi>${name}</bdi></h1>
<p class="row quiet">${badge(view, organization)}<span>${say('members', { count: organization.member_count })}</span>
<span>${say('petition_count', { count: organization.petition_count })}</span>${
      website &&
      html`\n<a href="${website}" rel="nofollow noopener">${say('website')} <bdi class="small">${hostOf(website)}</bdi></a>`
    }</p></div></header>
${description && html`${markdownText(description, view.ctx.config, { className: 'lead' })}\n`}<h2>${say('petitions')}</h2>
${petitionList(view, page, say('no_petitions'))}`,
  });
};

/** All organizations, or the verified ones. */
const organizationsPage: PageHandler<{}, View> = async (view, { query }) => {
  const say = speak(profileTexts, view.language);
  const verifiedOnly = query.verified !== undefined;
  const list = { verified_only: verifiedOnly, limit: 24, ...pageOf(query) };
  const page = await listOrganizations(view.ctx, list);
  return sitePage(view, {
    title: view.say('organizations'),
    width: 'wide',
    styles: [profileStyles],
    head: canonicalLink(view, '/organizations'),
    cacheControl: 'public, max-age=5',
    main: html`<div class="row between"><div><h1>${view.say('organizations')}</h1>
<p class="lead">${say('lead')}</p></div>
<p><a href="/dashboard/organizations" rel="nofollow">${say('found_organization')}</a></p></div>
${tabs([
  { href: '/organizations', label: say('all'), isCurrent: !verifiedOnly },
  {
    href: '/organizations?verified=true',
    label: say('only_verified'),
    isCurrent: verifiedOnly,
    rel: 'nofollow',
  },
])}${listOf(view, page, {
      className: 'cards',
      item: (organization) => organizationCard(view, organization),
      empty: html`<p>${say('no_organizations')}</p>`,
    })}`,
  });
};

const coverLayout: Layout = {
  className: 'cover',
  sizes: `(min-width: 70rem) 67.5rem, ${fullWidth}`,
  size: { width: 1280, height: 320 },
  loading: 'first',
};

function organizationCard(view: View, organization: Organization): Html {
  const say = speak(profileTexts, view.language);
  const { slug, name, description, petition_count: count } = organization;
  return html`<li class="card"><div class="body">
<div class="row">${logo(view, organization)}<h2 dir="auto"><a href="/o/${slug}">${name}</a></h2></div>
${description && html`<p class="small clamp" dir="auto">${plainTextOf(description)}</p>\n`}<p class="small quiet row foot">${badge(view, organization)}${say('petition_count', { count })}</p>
</div></li>\n`;
}

const logo = (view: View, { name, logo_url }: Organization, size?: 'large') =>
  avatar(view, { display_name: name, avatar_url: logo_url }, size);

function badge(view: View, { verified }: Organization): Html | false {
  const say = speak(profileTexts, view.language);
  return (
    verified &&
    html`<span class="badge good" title="${say('verified_hint')}">${say('verified')}</span>`
  );
}

const hostOf = (address: string) => URL.parse(address)?.host ?? address;
