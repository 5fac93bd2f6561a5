import { html, type Content } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  createOrganization,
  isAdminRole,
  updateOrganization,
} from '../../identity/organizations/organizations.ts';
import {
  OrganizationInput,
  OrganizationUpdate,
  type Organization,
} from '../../identity/organizations/schema.ts';
import type { PictureOwners } from '../../campaigns/media/media.ts';
import { maxBytes } from '../../campaigns/media/schema.ts';
import { dashboardPage } from '../dashboard/dashboard.ts';
import {
  editStateOf,
  formFor,
  pictureForm,
  pictureStatus,
  postForm,
  readForm,
  shownUnchanged,
  stateOf,
  takePicture,
  type Fields,
  type FormHandler,
  type FormState,
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

const pictures = ['logo', 'cover'] as const;
type Picture = (typeof pictures)[number];

/** Creating an organization, and changing it and its pictures. */
export function editRoutes(site: Site, pictureOwners: PictureOwners): Route[] {
  const picture = (name: Picture, id: string) => ({
    id,
    path: organizationRoute(`/${name}`).path,
    largestFile: maxBytes,
    act: setPicture(pictureOwners, name),
  });
  const pictureRemoval = (name: Picture, id: string) => ({
    id,
    path: organizationRoute(`/${name}/remove`).path,
    act: removePicture(name),
  });
  return [
    ...site.page({
      id: 'showFounding',
      path: `${organizationsPath}/new`,
      access: 'user',
      show: creationPage,
      forms: { create: { id: 'submitFounding', act: create } },
    }),
    ...site.page({
      id: 'showOrganizationEdit',
      ...organizationRoute('/edit'),
      show: editPage,
      forms: {
        change: { id: 'submitOrganizationEdit', once: true, act: change },
        logo: picture('logo', 'submitOrganizationLogo'),
        cover: picture('cover', 'submitOrganizationCover'),
      },
      buttons: [
        pictureRemoval('logo', 'removeOrganizationLogo'),
        pictureRemoval('cover', 'removeOrganizationCover'),
      ],
    }),
  ];
}

const creationPage: PageHandler = (view, request) => {
  const say = speak(organizationTexts, view.language);
  const state = stateOf(request, 'create');
  return dashboardPage(view, {
    title: say('found'),
    current: 'organizations',
    main: html`<h1>${say('found')}</h1>
${postForm(view, state, {
  action: `${organizationsPath}/new`,
  fields: organizationFields(view, state),
  submit: say('found'),
})}`,
  });
};

function organizationFields(view: View, state: FormState): Content[] {
  const say = speak(organizationTexts, view.language);
  const form = formFor(view, state, OrganizationInput);
  return [
    form.text('name', { label: say('name'), autocomplete: 'organization' }),
    form.text('description', { label: say('description'), type: 'markdown', rows: 4 }),
    form.text('website', { label: say('website') }),
  ];
}

const fieldNames = ['name', 'description', 'website'] as const;

const valuesOf = ({
  name,
  description,
  website,
}: Pick<Organization, (typeof fieldNames)[number]>): Fields => ({
  name,
  description: description ?? '',
  website: website ?? '',
});

const create: FormHandler = async ({ ctx, viewer }, { fields }) => {
  const input = readForm(OrganizationInput, fields, fieldNames);
  return organizationPath(await createOrganization(ctx, viewer.caller, input), 'edit');
};

/** What the owner and admins can change. */
const editPage: PageHandler<Ref> = async (view, request) => {
  const say = speak(organizationTexts, view.language);
  const own = await organizationOf(view, request.params.org_id);
  const { organization } = own;
  if (!isAdminRole(own.role)) return organizationPath(organization);
  const state = editStateOf(request, 'change', valuesOf(organization));
  const pictureForms = pictures.map(async (picture) =>
    pictureForm(view, {
      action: `${organizationPath(organization)}/${picture}`,
      name: picture,
      title: say(picture),
      url: organization[`${picture}_url`],
      status: await pictureStatus(view, request.query, picture),
      problem: stateOf(request, picture).problem,
    }),
  );
  return organizationPage(view, own, {
    current: 'edit',
    main: [
      organizationNotice(view, request.query),
      postForm(view, state, {
        action: organizationPath(organization, 'edit'),
        once: true,
        hidden: state.hidden,
        fields: [
          ...organizationFields(view, state),
          organization.verified && html`<p class="hint">${say('verified_hint')}</p>\n`,
        ],
        submit: view.say('save'),
      }),
      ...(await Promise.all(pictureForms)),
    ],
  });
};

const change: FormHandler<Ref> = async ({ ctx, viewer }, { params, fields }) => {
  const input = readForm(OrganizationUpdate, fields, fieldNames, { required: ['name'] });
  const unchanged = shownUnchanged(fields, valuesOf);
  const { org_id: ref } = params;
  const organization = await updateOrganization(ctx, viewer.caller, ref, input, unchanged);
  return `${organizationPath(organization, 'edit')}?done=saved`;
};

const setPicture =
  (pictureOwners: PictureOwners, name: Picture): FormHandler<Ref> =>
  async (view, { params, fields }) => {
    const { organization } = await organizationOf(view, params.org_id);
    const page = organizationPath(organization, 'edit');
    const record = { type: `org_${name}`, id: organization.id } as const;
    return takePicture(view, pictureOwners, { fields, page, name, ...record });
  };

const removePicture =
  (name: Picture): FormHandler<Ref> =>
  async ({ ctx, viewer }, { params }) => {
    const changes = { [`${name}_url`]: null };
    const organization = await updateOrganization(ctx, viewer.caller, params.org_id, changes);
    return `${organizationPath(organization, 'edit')}?done=removed#${name}`;
  };
