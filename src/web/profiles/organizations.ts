import { browsePublicPetitions } from '../../campaigns/petitions/list.ts';
import {
  listOrganizations,
  organizationNamed,
  presentOrganization,
} from '../../identity/organizations/organizations.ts';
import type { Organization } from '../../identity/organizations/schema.ts';
import { attribute, html, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
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

/** The public page of an organization. */
export async function organizationPage(
  view: View,
  ref: string,
  cursor: string | undefined,
): Promise<RawAnswer> {
  const say = speak(profileTexts, view.language);
  const one = presentOrganization(await organizationNamed(view.ctx, ref));
  const which = { limit: shown, ...(cursor && { cursor }) };
  const page = await browsePublicPetitions(view.ctx, { orgId: one.id }, which);
  const { name, description, website, cover_url: cover } = one;
  return sitePage(view, {
    title: html`${name}`,
    width: 'wide',
    styles: ['people.css'],
    head: canonicalLink(view, `/o/${one.slug}`),
    cacheControl: 'public, max-age=5',
    main: html`${cover && html`<img class="cover" src="${cover}" alt="" referrerpolicy="no-referrer">\n`}<header class="row profile">${logo(one, 'large')}<div><h1><bdi>${name}</bdi></h1>
<p class="row quiet">${badge(view, one)}<span>${say('members', { count: one.member_count })}</span>
<span>${say('petition_count', { count: one.petition_count })}</span>${
      website &&
      html`\n<a href="${website}" rel="nofollow noopener">${say('website')} <bdi class="small">${hostOf(website)}</bdi></a>`
    }</p></div></header>
${description && html`<p class="text lead" dir="auto">${description}</p>\n`}<h2>${say('petitions')}</h2>
${
  page.items.length > 0
    ? html`<ul class="cards">
${page.items.map((petition) => petitionCard(view, petition))}</ul>`
    : html`<p>${say('no_petitions')}</p>`
}
${nextLink(view, page)}`,
  });
}

/** All organizations, or those that are verified. */
export async function organizationsPage(
  view: View,
  { cursor, verified }: Record<string, string>,
): Promise<RawAnswer> {
  const say = speak(profileTexts, view.language);
  const verifiedOnly = verified !== undefined;
  const query = { verified_only: verifiedOnly, limit: 24, ...(cursor && { cursor }) };
  const page = await listOrganizations(view.ctx, query);
  const tab = (href: string, text: Html, current: boolean) =>
    html`<li><a href="${href}"${attribute('aria-current', current && 'page')}>${text}</a></li>\n`;
  return sitePage(view, {
    title: view.say('organizations'),
    width: 'wide',
    styles: ['people.css'],
    head: canonicalLink(view, '/organizations'),
    cacheControl: 'public, max-age=5',
    main: html`<div class="row between"><div><h1>${view.say('organizations')}</h1>
<p class="lead">${say('lead')}</p></div>
<p><a href="/dashboard/organizations">${say('found_organization')}</a></p></div>
<ul class="tabs">
${tab('/organizations', say('all'), !verifiedOnly)}${tab('/organizations?verified', say('only_verified'), verifiedOnly)}</ul>
${
  page.items.length > 0
    ? html`<ul class="cards">
${page.items.map((one) => organizationCard(view, one))}</ul>`
    : html`<p>${say('no_organizations')}</p>`
}
${nextLink(view, page)}`,
  });
}

function organizationCard(view: View, one: Organization): Html {
  const say = speak(profileTexts, view.language);
  return html`<li class="card"><div class="body">
<div class="row">${logo(one)}<h2 dir="auto"><a href="/o/${one.slug}">${one.name}</a></h2></div>
${one.description && html`<p class="small clamp" dir="auto">${one.description}</p>\n`}<p class="small quiet row foot">${badge(view, one)}${say(
    'petition_count',
    { count: one.petition_count },
  )}</p>
</div></li>\n`;
}

const logo = ({ name, logo_url }: Organization, size?: 'large') =>
  avatar({ display_name: name, avatar_url: logo_url }, size);

function badge(view: View, { verified }: Organization): Html | false {
  const say = speak(profileTexts, view.language);
  return (
    verified &&
    html`<span class="badge good" title="${say('verified_hint')}">${say('verified')}</span>`
  );
}

const hostOf = (address: string) => URL.parse(address)?.host ?? address;
