import { html, type Html } from '../../platform/html.ts';
import type { Page } from '../../platform/cursor.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatAgo, formatNumber, speak } from '../../platform/pages/catalog.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import {
  countOwnPetitions,
  listOrganizedPetitions,
  listOwnPetitions,
  listPetitionsOfManagedOrganizations,
  type ManagedPetitionEntry,
} from '../../campaigns/petitions/manage.ts';
import { petitionStatuses, type PetitionSummary } from '../../campaigns/petitions/schema.ts';
import {
  doneNotice,
  listOf,
  pageOf,
  statusBadge,
  tabs,
  type OwnView,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { dashboardPage, namedLabel, petitionPath } from './dashboard-layout.ts';
import { dashboardTexts } from './texts.ts';

/** Lists of petitions. */
export const listRoutes = (site: Site): Route[] => [
  ...site.page({ id: 'showDashboard', path: '/dashboard', access: 'user', show: listPage }),
  ...site.page({
    id: 'showOrganizedPetitions',
    path: '/dashboard/organized',
    access: 'user',
    show: organizedListPage,
  }),
  ...site.page({
    id: 'showPetitionsOfOrganizations',
    module: 'organizations',
    path: '/dashboard/petitions',
    access: 'user',
    show: organizationsListPage,
  }),
];

type Status = PetitionSummary['status'];

/** Petitions that the viewer organizes with others, below their own. */
const maxOrganized = 10;
/** Petitions of organizations that are listed below the viewer's own. */
const maxOfOrganizations = 5;

/** The viewer's own petitions, and the newest of their organizations. */
const listPage: PageHandler = async (view, { query }) => {
  const { ctx, viewer } = view;
  const say = speak(dashboardTexts, view.language);
  const status = petitionStatuses.find((name) => name === query.status);
  const isFirst = status === undefined && query.cursor === undefined;
  const [page, counts, organized, others] = await Promise.all([
    listOwnPetitions(ctx, viewer.caller, { ...(status && { status }), ...pageOf(query) }),
    countOwnPetitions(ctx.db, viewer.user.id),
    isFirst && listOrganizedPetitions(ctx, viewer.caller, { limit: maxOrganized }),
    isFirst &&
      ctx.site.current.modules.organizations &&
      listPetitionsOfManagedOrganizations(ctx, viewer.caller, { limit: maxOfOrganizations }),
  ]);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return dashboardPage(view, {
    title: view.say('my_petitions'),
    current: 'petitions',
    main: [
      html`<div class="row between"><h1>${view.say('my_petitions')}</h1>
<a class="button" href="/start">${view.say('start_petition')}</a></div>\n`,
      doneNotice(say, query.done, ['done_deleted', 'done_left']),
      all > 0 && statusFilter(view, counts, all, status),
      listOf(view, page, {
        item: (entry) => entryItem(view, entry),
        empty: html`<p>${say(all > 0 ? 'none_here' : 'none')}</p>`,
      }),
      organized && organized.items.length > 0 && organizedWithOthers(view, organized),
      others && others.items.length > 0 && ofOrganizations(view, others),
    ],
  });
};

/** Petitions that the viewer organizes with their creators, below their own. */
function organizedWithOthers(
  view: OwnView,
  { items, nextCursor }: Page<ManagedPetitionEntry>,
): Html {
  const say = speak(dashboardTexts, view.language);
  return html`<section><h2>${say('organized_with_others')}</h2>
<ul class="list">\n${items.map((entry) => entryItem(view, entry, { heading: 'h3' }))}</ul>${
    nextCursor !== null &&
    html`<p><a class="button second" href="/dashboard/organized">${say('all_organized')}</a></p>\n`
  }</section>`;
}

/** All petitions that the viewer organizes with their creators. */
const organizedListPage: PageHandler = async (view, { query }) => {
  const { ctx, viewer } = view;
  const say = speak(dashboardTexts, view.language);
  const page = await listOrganizedPetitions(ctx, viewer.caller, pageOf(query));
  return dashboardPage(view, {
    title: say('organized_with_others'),
    current: 'petitions',
    main: html`<h1>${say('organized_with_others')}</h1>
${listOf(view, page, {
  item: (entry) => entryItem(view, entry),
  empty: html`<p>${say('none_organized')}</p>`,
})}
<p><a href="/dashboard">${view.say('my_petitions')}</a></p>`,
  });
};

/** The newest petitions of the viewer's organizations, below their own. */
function ofOrganizations(view: OwnView, { items, nextCursor }: Page<ManagedPetitionEntry>): Html {
  const say = speak(dashboardTexts, view.language);
  return html`<section><h2>${say('of_organizations')}</h2>
<ul class="list">\n${items.map((entry) => entryItem(view, entry, { heading: 'h3' }))}</ul>${
    nextCursor !== null &&
    html`<p><a class="button second" href="/dashboard/petitions">${say('all_of_organizations')}</a></p>\n`
  }</section>`;
}

/** Petitions that others published for organizations of which the viewer is owner or admin. */
const organizationsListPage: PageHandler = async (view, { query }) => {
  const { ctx, viewer } = view;
  const say = speak(dashboardTexts, view.language);
  const page = await listPetitionsOfManagedOrganizations(ctx, viewer.caller, pageOf(query));
  return dashboardPage(view, {
    title: say('of_organizations'),
    current: 'petitions',
    main: html`<h1>${say('of_organizations')}</h1>
${listOf(view, page, {
  item: (entry) => entryItem(view, entry),
  empty: html`<p>${say('none_of_organizations')}</p>`,
})}
<p><a href="/dashboard">${view.say('my_petitions')}</a></p>`,
  });
};

function statusFilter(
  view: OwnView,
  counts: Partial<Record<Status, number>>,
  all: number,
  current: Status | undefined,
): Html {
  const say = speak(dashboardTexts, view.language);
  const tab = (status: Status | undefined, text: Html, count: number) => ({
    href: `/dashboard${status ? `?status=${status}` : ''}`,
    label: html`${text} <span class="quiet number">${formatNumber(view.language, count)}</span>`,
    isCurrent: status === current,
  });
  const statusTabs = petitionStatuses.flatMap((status) => {
    const count = counts[status];
    return count ? tab(status, view.say(`status_${status}`), count) : [];
  });
  return html`<nav aria-label="${view.say('my_petitions')}">${tabs([tab(undefined, say('all'), all), ...statusTabs])}</nav>\n`;
}

interface Listing {
  /** Of each petition. */
  heading?: 'h2' | 'h3';
  /** The page is about one organization, so that entries do not name it. */
  about?: 'organization';
}

/** A petition in a list, with links to the next step. */
export function entryItem(
  view: View,
  entry: ManagedPetitionEntry,
  { heading = 'h2', about }: Listing = {},
): Html {
  const { language, ctx } = view;
  const say = speak(dashboardTexts, language);
  const { petition, isOwn: own, isOrganizer } = entry;
  const { id, status, title, signature_count: count, published_at: published } = petition;
  const when = formatAgo(language, new Date(published ?? petition.created_at), ctx.now());
  const isDraft = own && status === 'draft';
  const attributes = languageAttributes(petition.language, language);
  return html`<li>
<${heading}><a href="${isDraft ? `/start/${id}` : petitionPath(petition)}"${attributes}>${title}</a></${heading}>
<p class="row small quiet">${statusBadge(view, status)} ${
    status !== 'draft' && html`<span class="number">${view.say('signatures', { count })}</span>`
  } <span>${say(published ? 'published' : 'begun', { when })}</span></p>
${originOf(view, entry, about)}${own && html`<p class="small">${say(`next_${status}`)}</p>\n`}<p class="row small">${
    isDraft && html`<a href="/start/${id}">${say('go_on')}</a>`
  } <a href="${petitionPath(petition, isOrganizer ? 'overview' : 'figures')}">${namedLabel(say(isOrganizer ? 'manage' : 'figures'), title, attributes)}</a></p>
</li>\n`;
}

/** The organization and the creator of a petition. */
function originOf(
  view: View,
  { petition: { creator }, organization, isOwn: own }: ManagedPetitionEntry,
  about: Listing['about'],
): Html | false {
  const say = speak(dashboardTexts, view.language);
  const organizationText =
    organization &&
    view.ctx.site.current.modules.organizations &&
    about !== 'organization' &&
    say('for_organization', {
      name: html`<a href="/o/${organization.slug}"><bdi>${organization.name}</bdi></a>`,
    });
  const creatorText =
    !own &&
    (creator
      ? say('started_by', { name: html`<bdi>${creator.display_name}</bdi>` })
      : say('started_by_erased'));
  if (!organizationText && !creatorText) return false;
  return html`<p class="small quiet">${organizationText}${organizationText && creatorText && ' · '}${creatorText}</p>\n`;
}
