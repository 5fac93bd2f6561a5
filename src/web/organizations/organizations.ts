import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatNumber, speak } from '../../platform/pages/catalog.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import {
  deleteOrganization,
  getSubscription,
  ownOrganizations,
  type OrganizationsDeps,
  type OwnOrganization,
} from '../../identity/organizations/organizations.ts';
import type { Organization } from '../../identity/organizations/schema.ts';
import { listPetitionsOfOrganization } from '../../campaigns/petitions/manage.ts';
import {
  dashboardPage,
  deletionPanel,
  entryItem,
  requireConfirmation,
} from '../dashboard/dashboard.ts';
import {
  listOf,
  pageOf,
  stateOf,
  type FormHandler,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import {
  organizationNotice,
  organizationOf,
  organizationPage,
  organizationPath,
  organizationRoute,
  organizationsPath,
} from './organization-layout.ts';
import { organizationTexts } from './texts.ts';

type Ref = { org_id: string };

/** The viewer's organizations, with overview and petitions of each. */
export const organizationRoutes = (site: Site, deps: OrganizationsDeps): Route[] => [
  ...site.page({
    id: 'showOwnOrganizations',
    path: organizationsPath,
    access: 'user',
    show: listPage,
  }),
  ...site.page({
    id: 'showOwnOrganization',
    ...organizationRoute(''),
    show: overviewPage,
    forms: { deletion: { id: 'submitOrganizationDeletion', at: '/delete', act: remove(deps) } },
  }),
  ...site.page({
    id: 'showPetitionsOfOrganization',
    ...organizationRoute('/petitions'),
    show: petitionsPage,
  }),
];

const listPage: PageHandler = async (view, { query }) => {
  const say = speak(organizationTexts, view.language);
  const page = await ownOrganizations(view.ctx, view.viewer.caller, pageOf(query));
  return dashboardPage(view, {
    title: view.say('my_organizations'),
    current: 'organizations',
    main: html`<div class="row between"><h1>${view.say('my_organizations')}</h1>
<a class="button" href="${organizationsPath}/new">${say('found')}</a></div>
${organizationNotice(view, query)}${listOf(view, page, { item: (own) => listItem(view, own), empty: html`<p>${say('none')}</p>` })}`,
  });
};

function listItem(view: View, { organization, role }: OwnOrganization): Html {
  const say = speak(organizationTexts, view.language);
  return html`<li><h2><a dir="auto" href="${organizationPath(organization)}">${organization.name}</a></h2>
<p class="small quiet"><span class="badge">${say(`role_${role}`)}</span> ${view.say('labelled', { label: say('members'), value: organization.member_count })} · ${view.say('labelled', { label: say('petitions'), value: organization.petition_count })}</p></li>\n`;
}

/** The tier of an organization with its member limit, and its deletion. */
const overviewPage: PageHandler<Ref> = async (view, request) => {
  const { ctx, viewer, language } = view;
  const say = speak(organizationTexts, language);
  const own = await organizationOf(view, request.params.org_id);
  const { organization, role } = own;
  const subscription = await getSubscription(ctx, viewer.caller, organization.id);
  const { tier, member_count: count, member_limit: limit } = subscription;
  return organizationPage(view, own, {
    current: 'overview',
    main: html`${organizationNotice(view, request.query)}${organization.description !== null && html`${markdownText(organization.description, ctx.config)}\n`}<dl class="pairs">
<dt>${say('tier')}</dt><dd>${tier} · ${limit === null ? say('room_endless', { count }) : say('room', { count, limit })}</dd>
<dt>${say('petitions')}</dt><dd><a href="/o/${organization.slug}">${formatNumber(language, organization.petition_count)}</a></dd>
</dl>
<p>${startLink(view, organization)}</p>
${
  role === 'owner' &&
  deletionPanel(view, stateOf(request, 'deletion'), {
    title: say('delete'),
    text: say('delete_hint'),
    action: `${organizationPath(organization)}/delete`,
    confirmation: say('delete_sure'),
    submit: say('delete'),
  })
}`,
  });
};

/** Every member may create petitions for the organization. */
function startLink(view: View, { slug }: Organization): Html {
  const say = speak(organizationTexts, view.language);
  return html`<a class="button" href="/start?organization=${slug}">${say('start_for_it')}</a>`;
}

/** The published petitions of an organization, for its owner and admins. */
const petitionsPage: PageHandler<Ref> = async (view, { params, query }) => {
  const { ctx, viewer } = view;
  const say = speak(organizationTexts, view.language);
  const own = await organizationOf(view, params.org_id);
  const page = await listPetitionsOfOrganization(ctx, viewer.caller, params.org_id, pageOf(query));
  return organizationPage(view, own, {
    current: 'petitions',
    main: html`<p>${startLink(view, own.organization)}</p>
${listOf(view, page, {
  item: (entry) => entryItem(view, entry, { about: 'organization' }),
  empty: html`<p>${say('none_published')}</p>`,
})}`,
  });
};

const remove =
  (deps: OrganizationsDeps): FormHandler<Ref> =>
  async ({ ctx, viewer }, { params, fields }) => {
    requireConfirmation(fields);
    await deleteOrganization(ctx, viewer.caller, params.org_id, deps);
    return ctx.site.current.modules.organizations
      ? `${organizationsPath}?done=deleted`
      : '/dashboard';
  };
