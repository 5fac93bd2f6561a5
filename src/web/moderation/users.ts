import { html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { formatDay } from '../../platform/pages/catalog.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import {
  changeRole,
  getUser,
  listUsers,
  restoreUser,
  suspendUser,
} from '../../oversight/users/users.ts';
import {
  RoleInput,
  roles,
  SuspensionInput,
  UserListQuery,
  type AdminUser,
} from '../../oversight/users/schema.ts';
import { warnUser } from '../../oversight/warnings/warnings.ts';
import { WarningInput } from '../../oversight/warnings/schema.ts';
import {
  checkbox,
  checkInput,
  field,
  formAlert,
  formToken,
  given,
  nextLink,
  selectField,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
} from '../site/site.ts';
import { moderationPage, sayOf } from './frame.ts';

/** Users, newest first, or by the beginning of their address. */
export async function usersPage(view: OwnView, query: Record<string, string>): Promise<RawAnswer> {
  const say = sayOf(view);
  const { email = '', cursor } = query;
  const { items, nextCursor } = await listUsers(
    view.ctx,
    checkInput(UserListQuery, given({ email, cursor })),
  );
  return moderationPage(view, {
    part: 'users',
    title: say('users'),
    query,
    main: html`<form class="search" role="search" aria-label="${say('users')}"><input type="search" name="email" value="${email}" aria-label="${say('email_prefix')}" placeholder="${say('email_prefix')}"><button>${view.say('search')}</button></form>
${items.length === 0 && html`<p class="quiet">${say('none_found')}</p>`}<ul class="list">
${items.map((user) => html`<li>${summary(view, user)}</li>\n`)}</ul>
${nextLink(view, { nextCursor }, `/moderation/users?email=${encodeURIComponent(email)}`)}`,
  });
}

function summary(view: OwnView, user: AdminUser): Html {
  const say = sayOf(view);
  return html`<p><a href="/moderation/users/${user.id}"><bdi>${user.display_name}</bdi></a> ${user.email}
${user.role !== 'user' && html`<span class="badge good">${say(`role_${user.role}`)}</span>`}${
    user.suspended_at && html` <span class="badge warn">${say('suspended')}</span>`
  }</p>`;
}

/** One user, and what an administrator can do about them. */
export async function userPage(
  view: OwnView,
  id: string,
  query: Record<string, string>,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const say = sayOf(view);
  const user = await getUser(view.ctx, id);
  const action = (name: string) => `/moderation/users/${user.id}/${name}`;
  return moderationPage(view, {
    part: 'users',
    title: user.display_name,
    ...(state.problem && { status: state.problem.status }),
    query,
    main: html`${formAlert(view, state)}${summary(view, user)}
<dl class="pairs"><dt>${say('joined')}</dt><dd>${formatDay(view.language, new Date(user.created_at))}</dd>
<dt>${say('petitions')}</dt><dd><a href="/u/${user.slug}">${user.petition_count}</a></dd>
<dt>${say('warnings')}</dt><dd><a href="/moderation/warnings?user_id=${user.id}">${user.warning_count}</a></dd>
<dt>${say('reports')}</dt><dd>${user.open_reports}</dd></dl>
<form class="panel" method="post" action="${action('warn')}">${formToken(view)}
${field(view, state, {
  name: 'message',
  label: say('message'),
  type: 'textarea',
  required: true,
  maxLength: 2000,
})}<button>${say('warn')}</button></form>
${user.suspended_at ? restoreForm(view, action('unsuspend')) : suspendForm(view, state, action('suspend'))}
<form class="panel" method="post" action="${action('role')}">${formToken(view)}
${selectField(view, state, {
  name: 'role',
  label: say('role'),
  value: user.role,
  options: roles.map((one) => ({ value: one, label: say(`role_${one}`) })),
})}<button class="second">${say('change_role')}</button></form>`,
  });
}

const restoreForm = (view: OwnView, action: string): Html =>
  html`<form class="panel" method="post" action="${action}">${formToken(view)}<button>${sayOf(view)('unsuspend')}</button></form>`;

function suspendForm(view: OwnView, state: FormState, action: string): Html {
  const say = sayOf(view);
  return html`<form class="panel" method="post" action="${action}">${formToken(view)}
${field(view, state, { name: 'reason', label: say('why'), type: 'textarea', maxLength: 2000 })}${checkbox(
    state,
    { name: 'content', value: 'hide', label: say('hide_content') },
  )}<button class="danger">${say('suspend')}</button></form>`;
}

/** Does one of the acts that the page of a user offers. */
export async function actOnUser(
  sessions: Sessions,
  view: OwnView,
  { id, act }: { id: string; act: string },
  fields: Fields,
): Promise<RawAnswer> {
  const { ctx, viewer, header } = view;
  const text = (name: string) => textOf(fields, name);
  if (act === 'warn') {
    const input = checkInput(WarningInput, given({ user_id: id, message: text('message') }));
    await warnUser(ctx, viewer.caller, input);
  } else if (act === 'suspend') {
    const input = checkInput(
      SuspensionInput,
      given({ reason: text('reason'), content: text('content') }),
    );
    await suspendUser(ctx, sessions, viewer.caller, id, input);
  } else if (act === 'unsuspend') {
    await restoreUser(ctx, sessions, viewer.caller, id);
  } else {
    const { role } = checkInput(RoleInput, { role: text('role') });
    await changeRole(ctx, sessions, viewer.caller, id, role);
  }
  return redirectTo(header, `/moderation/users/${id}?done=decided`, 303);
}
