import { html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { formatNumber, speak } from '../../platform/pages/catalog.ts';
import {
  createOrganization,
  deleteOrganization,
  getSubscription,
  ownOrganizations,
  updateOrganization,
  type OrganizationsDeps,
  type OwnOrganization,
} from '../../identity/organizations/organizations.ts';
import {
  OrganizationInput,
  OrganizationUpdate,
  type Organization,
} from '../../identity/organizations/schema.ts';
import { petitionsOfOrganization } from '../../campaigns/petitions/manage.ts';
import { dashboardPage, entryList, requireSure } from '../dashboard/dashboard.ts';
import {
  checkInput,
  field,
  formAlert,
  formToken,
  given,
  nextLink,
  pageOf,
  pictureForm,
  pictureStatus,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
  type View,
} from '../site/site.ts';
import type { Problem } from '../../platform/problems.ts';
import {
  organizationNotice,
  isLed,
  organizationPath,
  organizationOf,
  organizationPage,
} from './frame.ts';
import { organizationTexts } from './texts.ts';

const at = '/dashboard/organizations';

/** The organizations of which the viewer is a member. */
export async function organizationsPage(
  view: OwnView,
  query: Record<string, string>,
): Promise<RawAnswer> {
  const say = speak(organizationTexts, view.language);
  const page = await ownOrganizations(view.ctx, view.viewer.caller, pageOf(query));
  return dashboardPage(view, {
    title: view.say('my_organizations'),
    current: 'organizations',
    main: html`<div class="row between"><h1>${view.say('my_organizations')}</h1>
<a class="button" href="${at}/new">${say('found')}</a></div>
${organizationNotice(view, query)}${
      page.items.length === 0
        ? html`<p>${say('none')}</p>`
        : html`<ul class="list">\n${page.items.map((one) => listItem(view, one))}</ul>`
    }
${nextLink(view, page)}`,
  });
}

function listItem(view: View, { organization, role }: OwnOrganization): Html {
  const say = speak(organizationTexts, view.language);
  return html`<li><h2><a dir="auto" href="${organizationPath(organization)}">${organization.name}</a></h2>
<p class="small quiet"><span class="badge">${say(`role_${role}`)}</span> ${view.say('labelled', { label: say('members'), value: organization.member_count })} · ${view.say('labelled', { label: say('petitions'), value: organization.petition_count })}</p></li>\n`;
}

/** A form for founding an organization. */
export function foundingPage(view: OwnView, state: FormState = { values: {} }): RawAnswer {
  const say = speak(organizationTexts, view.language);
  return dashboardPage(view, {
    title: say('found'),
    current: 'organizations',
    main: html`<h1>${say('found')}</h1>
${formAlert(view, state)}<form method="post" action="${at}/new">${formToken(view)}
${organizationFields(view, state)}<button>${say('found')}</button>
</form>`,
  });
}

function organizationFields(view: View, state: FormState): Html {
  const say = speak(organizationTexts, view.language);
  return html`${field(view, state, {
    name: 'name',
    label: say('name'),
    required: true,
    minLength: 2,
    maxLength: 100,
    autocomplete: 'organization',
  })}${field(view, state, {
    name: 'description',
    label: say('description'),
    type: 'textarea',
    rows: 4,
    maxLength: 1000,
  })}${field(view, state, {
    name: 'website',
    label: say('website'),
    type: 'url',
    maxLength: 2000,
  })}`;
}

const organizationIn = (fields: Fields) => ({
  name: textOf(fields, 'name'),
  description: textOf(fields, 'description'),
  website: textOf(fields, 'website'),
});

export async function found({ ctx, viewer, header }: OwnView, fields: Fields): Promise<RawAnswer> {
  const input = checkInput(OrganizationInput, given(organizationIn(fields)));
  const organization = await createOrganization(ctx, viewer.caller, input);
  return redirectTo(header, organizationPath(organization, 'edit'), 303);
}

/** What an organization is, and how many members it may have. */
export async function overviewPage(
  view: OwnView,
  ref: string,
  query: Record<string, string>,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const { ctx, viewer, language } = view;
  const say = speak(organizationTexts, language);
  const team = await organizationOf(view, ref);
  const { organization, role } = team;
  const {
    tier,
    member_count: count,
    member_limit: limit,
  } = await getSubscription(ctx, viewer.caller, organization.id);
  return organizationPage(view, team, {
    current: 'overview',
    main: html`${organizationNotice(view, query)}${formAlert(view, state)}${organization.description !== null && html`<p class="text" dir="auto">${organization.description}</p>\n`}<dl class="pairs">
<dt>${say('tier')}</dt><dd>${tier} · ${limit === null ? say('room_endless', { count }) : say('room', { count, limit })}</dd>
<dt>${say('petitions')}</dt><dd><a href="/o/${organization.slug}">${formatNumber(language, organization.petition_count)}</a></dd>
</dl>
<p>${startLink(view, organization)}</p>
${role === 'owner' && deletion(view, organization)}`,
  });
}

/** Every member may create petitions for the organization. */
function startLink(view: View, { slug }: Organization): Html {
  const say = speak(organizationTexts, view.language);
  return html`<a class="button" href="/start?organization=${slug}">${say('start_for_it')}</a>`;
}

/** What was published for the organization, to its owner and admins. */
export async function petitionsPage(
  view: OwnView,
  ref: string,
  query: Record<string, string>,
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(organizationTexts, view.language);
  const team = await organizationOf(view, ref);
  const page = await petitionsOfOrganization(ctx, viewer.caller, ref, pageOf(query));
  return organizationPage(view, team, {
    current: 'petitions',
    main: html`<p>${startLink(view, team.organization)}</p>
${page.items.length === 0 ? html`<p>${say('none_published')}</p>` : entryList(view, page.items, { about: 'organization' })}
${nextLink(view, page)}`,
  });
}

function deletion(view: View, organization: Organization): Html {
  const say = speak(organizationTexts, view.language);
  return html`<section class="panel"><h2>${say('delete')}</h2>
<p>${say('delete_hint')}</p>
<form method="post" action="${organizationPath(organization)}/delete">${formToken(view)}
<label class="choice"><input type="checkbox" name="sure" value="on" required> <span>${say('delete_sure')}</span></label>
<button class="danger">${say('delete')}</button></form></section>`;
}

interface Editing {
  query?: Record<string, string>;
  state?: FormState;
  /** What is wrong with a picture, by its form. */
  pictures?: { logo?: Problem; cover?: Problem };
}

/** What the owner and admins can change. */
export async function editPage(
  view: OwnView,
  ref: string,
  { query = {}, state, pictures = {} }: Editing = {},
): Promise<RawAnswer> {
  const say = speak(organizationTexts, view.language);
  const team = await organizationOf(view, ref);
  if (!isLed(team)) return redirectTo(view.header, organizationPath(team.organization), 303);
  const { organization } = team;
  const { name, description, website } = organization;
  const shown = state ?? {
    values: { name, description: description ?? '', website: website ?? '' },
  };
  const page = organizationPath(organization, 'edit');
  const forms = { logo: organization.logo_url, cover: organization.cover_url };
  return organizationPage(view, team, {
    current: 'edit',
    main: html`${organizationNotice(view, query)}${formAlert(view, shown)}<form method="post" action="${page}">${formToken(view)}
${organizationFields(view, shown)}${organization.verified && html`<p class="hint">${say('verified_hint')}</p>\n`}<button>${view.say('save')}</button>
</form>
${await Promise.all(
  (['logo', 'cover'] as const).map(async (kind) =>
    pictureForm(view, {
      action: `${organizationPath(organization)}/${kind}`,
      name: kind,
      title: say(kind),
      url: forms[kind],
      status: await pictureStatus(view, query, kind),
      problem: pictures[kind],
    }),
  ),
)}`,
  });
}

export async function saveEdit(
  { ctx, viewer, header }: OwnView,
  ref: string,
  fields: Fields,
): Promise<RawAnswer> {
  const { name, description, website } = organizationIn(fields);
  const input = checkInput(OrganizationUpdate, {
    name,
    description: description || null,
    website: website || null,
  });
  const organization = await updateOrganization(ctx, viewer.caller, ref, input);
  return redirectTo(header, `${organizationPath(organization, 'edit')}?done=saved`, 303);
}

export async function removePicture(
  { ctx, viewer, header }: OwnView,
  ref: string,
  kind: 'logo' | 'cover',
): Promise<RawAnswer> {
  const changes = { [`${kind}_url`]: null };
  const organization = await updateOrganization(ctx, viewer.caller, ref, changes);
  return redirectTo(header, `${organizationPath(organization, 'edit')}?done=removed#${kind}`, 303);
}

/** Deletes an organization, where the box was ticked. */
export async function remove(
  { ctx, viewer, header }: OwnView,
  needs: OrganizationsDeps,
  ref: string,
  fields: Fields,
): Promise<RawAnswer> {
  requireSure(fields);
  await deleteOrganization(ctx, viewer.caller, ref, needs);
  return redirectTo(header, `${at}?done=deleted`, 303);
}
