import { html, type Content, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { invalidValue, Problem } from '../../platform/problems.ts';
import { publicProfile } from '../../identity/accounts/accounts.ts';
import {
  addMember,
  listMembers,
  removeMember,
  rules,
  setRole,
  transferOwnership,
} from '../../identity/organizations/organizations.ts';
import { MemberInput, RoleInput, type Membership } from '../../identity/organizations/schema.ts';
import { actionButton } from '../dashboard/dashboard.ts';
import {
  avatar,
  checkInput,
  field,
  formAlert,
  formToken,
  nextLink,
  pageOf,
  selectField,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
} from '../site/site.ts';
import {
  organizationNotice,
  isLed,
  organizationPath,
  organizationOf,
  organizationPage,
  type LedOrganization,
} from './frame.ts';
import { organizationTexts } from './texts.ts';

/** Who the members are, and what the viewer can do about it. */
export async function membersPage(
  view: OwnView,
  ref: string,
  query: Record<string, string>,
  state: FormState = { values: { role: 'member' } },
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(organizationTexts, view.language);
  const team = await organizationOf(view, ref);
  const at = organizationPath(team.organization, 'members');
  const page = await listMembers(ctx, viewer.caller, team.organization.id, pageOf(query));
  const example = html`<span dir="ltr">${ctx.config.baseUrl}/u/${viewer.user.slug}</span>`;
  return organizationPage(view, team, {
    current: 'members',
    main: html`${organizationNotice(view, query)}<ul class="list">
${page.items.map((one) => member(view, team, one))}</ul>
${nextLink(view, page)}${
      isLed(team) &&
      html`${formAlert(view, state)}<form class="panel" method="post" action="${at}">${formToken(view)}
<h2>${say('add')}</h2>
${field(view, state, {
  name: 'person',
  label: say('person'),
  hint: say('person_hint', { example }),
  required: true,
  maxLength: 300,
  autocomplete: 'off',
})}${selectField(view, state, {
        name: 'role',
        label: say('role'),
        options: (['member', 'admin'] as const).map((value) => ({
          value,
          label: say(`role_${value}`),
        })),
      })}<button>${say('add')}</button>
</form>`
    }`,
  });
}

function member(view: OwnView, team: LedOrganization, { id, user, role }: Membership): Html {
  const say = speak(organizationTexts, view.language);
  return html`<li class="row between"><span class="row">${avatar(user)} <a href="/u/${user.slug}"><bdi>${user.display_name}</bdi></a> <span class="badge">${say(`role_${role}`)}</span></span>
<span class="row">${actionsOn(view, team, { id, user, role })}</span></li>\n`;
}

/** What the viewer may do to a member; the domain's rules decide anew when it is done. */
function actionsOn(
  view: OwnView,
  { organization, role: own }: LedOrganization,
  { id, user, role }: Pick<Membership, 'id' | 'user' | 'role'>,
): Content {
  const say = speak(organizationTexts, view.language);
  const at = `${organizationPath(organization, 'members')}/${id}`;
  const named = (text: Html) =>
    html`${text}<span class="visually-hidden" dir="auto"> ${user.display_name}</span>`;
  if (user.id === view.viewer.user.id) {
    return role !== 'owner' && actionButton(view, `${at}/remove`, say('leave'), 'danger');
  }
  return (
    rules({ role: own }, { role }) && [
      role === 'admin' && actionButton(view, `${at}/owner`, named(say('make_owner'))),
      role === 'admin'
        ? actionButton(view, `${at}/member`, named(say('make_member')))
        : actionButton(view, `${at}/admin`, named(say('make_admin'))),
      actionButton(view, `${at}/remove`, named(view.say('remove')), 'danger'),
    ]
  );
}

/** Adds whoever has the profile address, which everybody can look up. */
export async function add(view: OwnView, ref: string, fields: Fields): Promise<RawAnswer> {
  const { ctx, viewer, header } = view;
  const user_id = await personAt(view, textOf(fields, 'person'));
  const input = checkInput(MemberInput, { user_id, role: textOf(fields, 'role') });
  await addMember(ctx, viewer.caller, ref, input);
  return redirectTo(header, `${organizationPath({ slug: ref }, 'members')}?done=added`, 303);
}

/** @throws {Problem} validation-failed where nobody has this profile */
async function personAt({ ctx, language }: OwnView, text: string): Promise<string> {
  const slug = text.split('/').findLast((step) => step !== '') ?? '';
  try {
    return (await publicProfile(ctx, slug)).id;
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'not-found') throw error;
    const message = speak(organizationTexts, language)('no_person').text;
    throw invalidValue('person', message);
  }
}

interface Named {
  org_id: string;
  membership_id: string;
}

export async function change(
  { ctx, viewer, header }: OwnView,
  named: Named,
  role: 'admin' | 'member',
): Promise<RawAnswer> {
  await setRole(ctx, viewer.caller, named, checkInput(RoleInput, { role }).role);
  return redirectTo(
    header,
    `${organizationPath({ slug: named.org_id }, 'members')}?done=saved`,
    303,
  );
}

export async function handOver({ ctx, viewer, header }: OwnView, named: Named): Promise<RawAnswer> {
  await transferOwnership(ctx, viewer.caller, named);
  return redirectTo(
    header,
    `${organizationPath({ slug: named.org_id }, 'members')}?done=handed`,
    303,
  );
}

/** Ends a membership; whoever ends their own is led to the organizations that are left. */
export async function drop(view: OwnView, named: Named): Promise<RawAnswer> {
  const { ctx, viewer, header } = view;
  await removeMember(ctx, viewer.caller, named);
  const stays = await organizationOf(view, named.org_id).catch(() => undefined);
  return redirectTo(
    header,
    stays
      ? `${organizationPath(stays.organization, 'members')}?done=removed`
      : '/dashboard/organizations?done=left',
    303,
  );
}
