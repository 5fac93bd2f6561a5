import { html, type Content, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { invalidValue, Problem } from '../../platform/problems.ts';
import { publicProfile } from '../../identity/accounts/accounts.ts';
import {
  addMember,
  isAdminRole,
  listMembers,
  removeMember,
  canManage,
  setRole,
  transferOwnership,
  type OwnOrganization,
} from '../../identity/organizations/organizations.ts';
import {
  MemberInput,
  MembershipRef,
  type Membership,
} from '../../identity/organizations/schema.ts';
import { actionButton, namedLabel } from '../dashboard/dashboard.ts';
import {
  avatar,
  checkInput,
  field,
  formFor,
  listOf,
  pageOf,
  postForm,
  stateOf,
  textOf,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageHandler,
  type Site,
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

const listRoute = organizationRoute('/members');

type Ref = { org_id: string };
type MemberRef = Ref & { membership_id: string };

/** The members of an organization and their roles. */
export function memberRoutes(site: Site): Route[] {
  const actions: [id: string, action: string, act: FormHandler<MemberRef>][] = [
    ['submitRoleAdmin', 'admin', changeRole('admin')],
    ['submitRoleMember', 'member', changeRole('member')],
    ['submitTransfer', 'owner', transfer],
    ['submitMemberRemoval', 'remove', remove],
  ];
  return [
    ...site.page({
      id: 'showMembers',
      ...listRoute,
      show: membersPage,
      forms: { add: { id: 'submitMember', act: add } },
    }),
    ...actions.map(([id, action, act]) =>
      site.form({
        id,
        path: `${listRoute.path}/{membership_id}/${action}`,
        access: 'user',
        params: MembershipRef,
        act,
      }),
    ),
  ];
}

/** The members with what the viewer may do about each, and a form for another one. */
const membersPage: PageHandler<Ref> = async (view, request) => {
  const { ctx, viewer } = view;
  const own = await organizationOf(view, request.params.org_id);
  const page = await listMembers(ctx, viewer.caller, own.organization.id, pageOf(request.query));
  const state = stateOf(request, 'add', { role: 'member' });
  return organizationPage(view, own, {
    current: 'members',
    main: [
      organizationNotice(view, request.query),
      listOf(view, page, { item: (membership) => memberItem(view, own, membership) }),
      isAdminRole(own.role) && memberForm(view, state, own),
    ],
  });
};

function memberForm(view: OwnView, state: FormState, { organization }: OwnOrganization): Html {
  const say = speak(organizationTexts, view.language);
  const { baseUrl } = view.ctx.config;
  const example = html`<span dir="ltr">${baseUrl}/u/${view.viewer.user.slug}</span>`;
  return postForm(view, state, {
    action: organizationPath(organization, 'members'),
    className: 'panel',
    fields: [
      html`<h2>${say('add')}</h2>\n`,
      field(view, state, {
        name: 'person',
        label: say('person'),
        hint: say('person_hint', { example }),
        required: true,
        maxLength: 300,
        autocomplete: 'off',
      }),
      formFor(view, state, MemberInput).select('role', {
        label: say('role'),
        options: (['member', 'admin'] as const).map((value) => ({
          value,
          label: say(`role_${value}`),
        })),
      }),
    ],
    submit: say('add'),
  });
}

function memberItem(view: OwnView, own: OwnOrganization, membership: Membership): Html {
  const say = speak(organizationTexts, view.language);
  const { user, role } = membership;
  return html`<li class="row between"><span class="row">${avatar(view, user)} <a href="/u/${user.slug}"><bdi>${user.display_name}</bdi></a> <span class="badge">${say(`role_${role}`)}</span></span>
<span class="row">${actionsOn(view, own, membership)}</span></li>\n`;
}

/** What the viewer may do about a member; it is checked again when it is done. */
function actionsOn(
  view: OwnView,
  { organization, role: ownRole }: OwnOrganization,
  { id, user, role }: Membership,
): Content {
  const say = speak(organizationTexts, view.language);
  const path = `${organizationPath(organization, 'members')}/${id}`;
  const named = (text: Html) => namedLabel(text, user.display_name);
  if (user.id === view.viewer.user.id) {
    return role !== 'owner' && actionButton(view, `${path}/remove`, say('leave'), 'danger');
  }
  return (
    canManage({ role: ownRole }, { role }) && [
      role === 'admin' && actionButton(view, `${path}/owner`, named(say('make_owner'))),
      role === 'admin'
        ? actionButton(view, `${path}/member`, named(say('make_member')))
        : actionButton(view, `${path}/admin`, named(say('make_admin'))),
      actionButton(view, `${path}/remove`, named(view.say('remove')), 'danger'),
    ]
  );
}

/** Adds the person with the given profile address, which everybody can look up. */
const add: FormHandler<Ref> = async (view, { params, fields }) => {
  const user_id = await personAt(view, textOf(fields, 'person'));
  const input = checkInput(MemberInput, { user_id, role: textOf(fields, 'role') });
  await addMember(view.ctx, view.viewer.caller, params.org_id, input);
  return `${membersPath(params)}?done=added`;
};

/**
 * The id of the user with this profile address.
 * @throws {Problem} validation-failed if there is none
 */
async function personAt({ ctx, language }: OwnView, text: string): Promise<string> {
  const slug = text.split('/').findLast((step) => step !== '') ?? '';
  try {
    return (await publicProfile(ctx, slug)).id;
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'not-found') throw error;
    throw invalidValue('person', speak(organizationTexts, language)('no_person').text);
  }
}

const membersPath = ({ org_id: slug }: Ref): string => organizationPath({ slug }, 'members');

const changeRole =
  (role: 'admin' | 'member'): FormHandler<MemberRef> =>
  async ({ ctx, viewer }, { params }) => {
    await setRole(ctx, viewer.caller, params, role);
    return `${membersPath(params)}?done=saved`;
  };

const transfer: FormHandler<MemberRef> = async ({ ctx, viewer }, { params }) => {
  await transferOwnership(ctx, viewer.caller, params);
  return `${membersPath(params)}?done=handed`;
};

/** Ends a membership. Viewers who end their own are redirected to their other organizations. */
const remove: FormHandler<MemberRef> = async (view, { params }) => {
  await removeMember(view.ctx, view.viewer.caller, params);
  if (!view.ctx.site.current.modules.organizations) return '/dashboard';
  const own = await organizationOf(view, params.org_id).catch(() => undefined);
  return own
    ? `${organizationPath(own.organization, 'members')}?done=removed`
    : `${organizationsPath}?done=left`;
};
