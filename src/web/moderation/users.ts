import { Type } from 'typebox';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatDay } from '../../platform/pages/catalog.ts';
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
  UnsuspensionInput,
  UserListQuery,
  type AdminUser,
} from '../../oversight/users/schema.ts';
import { warnUser } from '../../oversight/warnings/warnings.ts';
import { WarningInput } from '../../oversight/warnings/schema.ts';
import {
  checkInput,
  reportProblem,
  formFor,
  omitEmpty,
  listOf,
  actionForm,
  readForm,
  stateOf,
  type OwnView,
  type PageRequest,
  type Site,
  type PageHandler,
  type FormHandler,
} from '../site/site.ts';
import { done, IdRef, moderationPage, sayOf } from './moderation-layout.ts';

const path = '/moderation/users';
const access = 'admin';
const MessageInput = Type.Pick(WarningInput, ['message']);

export function userRoutes(site: Site): Route[] {
  const { sessions } = site;
  const doneWith = ({ id }: IdRef) => done(`${path}/${id}`);

  const warn: FormHandler<IdRef> = async (view, { params, fields }) => {
    const { message } = readForm(MessageInput, fields, ['message']);
    await warnUser(view.ctx, view.viewer.caller, { user_id: params.id, message });
    return doneWith(params);
  };

  const suspend: FormHandler<IdRef> = async (view, { params, fields }) => {
    const input = readForm(SuspensionInput, fields, ['reason', 'content']);
    await suspendUser(view.ctx, sessions, view.viewer.caller, params.id, input);
    return doneWith(params);
  };

  const unsuspend: FormHandler<IdRef> = async (view, { params, fields }) => {
    const input = readForm(UnsuspensionInput, fields, ['reason']);
    await restoreUser(view.ctx, sessions, view.viewer.caller, params.id, input);
    return doneWith(params);
  };

  const setRole: FormHandler<IdRef> = async (view, { params, fields }) => {
    const { role } = readForm(RoleInput, fields, ['role']);
    await changeRole(view.ctx, sessions, view.viewer.caller, params.id, role);
    return doneWith(params);
  };

  return [
    ...site.page({ id: 'showUsers', path, access, show: usersPage }),
    ...site.page({
      id: 'showUserForAdmins',
      path: `${path}/{id}`,
      access,
      params: IdRef,
      show: userPage,
      forms: {
        warn: { id: 'submitUserWarn', at: '/warn', act: warn },
        suspend: { id: 'submitUserSuspend', at: '/suspend', act: suspend },
        unsuspend: { id: 'submitUserUnsuspend', at: '/unsuspend', act: unsuspend },
        role: { id: 'submitUserRole', at: '/role', act: setRole },
      },
    }),
  ];
}

/** Users, the newest first, or those whom a name or the beginning of an address finds. An address has an @. */
const usersPage: PageHandler = async (view, { query }) => {
  const say = sayOf(view);
  const { search = '', cursor } = query;
  const key = search.includes('@') ? 'email' : 'name';
  const filter = checkInput(UserListQuery, omitEmpty({ [key]: search.trim(), cursor }));
  const page = await listUsers(view.ctx, filter);
  return moderationPage(view, {
    section: 'users',
    title: say('users'),
    query,
    main: html`<form class="search" role="search" aria-label="${say('users')}"><input type="search" name="search" value="${search}" maxlength="254" aria-label="${say('name_or_address')}" placeholder="${say('name_or_address')}"><button>${view.say('search')}</button></form>
${listOf(view, page, {
  item: (user) => html`<li>${summary(view, user)}</li>\n`,
  empty: html`<p class="quiet">${say('none_found')}</p>`,
})}`,
  });
};

function summary(view: OwnView, user: AdminUser): Html {
  const say = sayOf(view);
  return html`<p><a href="${path}/${user.id}"><bdi>${user.display_name}</bdi></a> ${user.email}
${user.role !== 'user' && html`<span class="badge good">${say(`role_${user.role}`)}</span>`}${
    user.suspended_at && html` <span class="badge warn">${say('suspended')}</span>`
  }</p>`;
}

/** One user, with the actions of an administrator. */
const userPage: PageHandler<IdRef> = async (view, request) => {
  const say = sayOf(view);
  const user = await getUser(view.ctx, request.params.id);
  return moderationPage(view, {
    section: 'users',
    title: user.display_name,
    query: request.query,
    main: html`${reportProblem(view, request.refused ?? {})}${summary(view, user)}
<dl class="pairs"><dt>${say('joined')}</dt><dd>${formatDay(view.language, new Date(user.created_at))}</dd>
<dt>${say('petitions')}</dt><dd><a href="/u/${user.slug}">${user.petition_count}</a></dd>
<dt>${say('warnings')}</dt><dd><a href="/moderation/warnings?user_id=${user.id}">${user.warning_count}</a></dd>
<dt>${say('reports')}</dt><dd>${user.open_reports}</dd></dl>
${warningForm(view, request)}
${user.suspended_at ? restoreForm(view, request) : suspensionForm(view, request)}
${roleForm(view, request, user)}`,
  });
};

type UserRequest = PageRequest<IdRef>;

const actionOf = ({ params }: UserRequest, name: string) => `${path}/${params.id}/${name}`;

function warningForm(view: OwnView, request: UserRequest): Html {
  const say = sayOf(view);
  const state = stateOf(request, 'warn');
  return actionForm(view, {
    action: actionOf(request, 'warn'),
    className: 'panel',
    fields: formFor(view, state, MessageInput).text('message', {
      label: say('message'),
      type: 'textarea',
    }),
    submit: say('warn'),
  });
}

function restoreForm(view: OwnView, request: UserRequest): Html {
  const say = sayOf(view);
  const form = formFor(view, stateOf(request, 'unsuspend'), UnsuspensionInput);
  return actionForm(view, {
    action: actionOf(request, 'unsuspend'),
    className: 'panel',
    fields: form.text('reason', {
      label: say('told_reason'),
      hint: say('told_reason_hint'),
      type: 'textarea',
    }),
    submit: say('unsuspend'),
  });
}

function suspensionForm(view: OwnView, request: UserRequest): Html {
  const say = sayOf(view);
  const state = stateOf(request, 'suspend');
  const form = formFor(view, state, SuspensionInput);
  return actionForm(view, {
    action: actionOf(request, 'suspend'),
    className: 'panel',
    fields: html`${form.text('reason', { label: say('why'), type: 'textarea' })}${form.checkbox(
      'content',
      { value: 'hide', label: say('hide_content') },
    )}`,
    submit: say('suspend'),
    buttonClass: 'danger',
  });
}

function roleForm(view: OwnView, request: UserRequest, { role }: AdminUser): Html {
  const say = sayOf(view);
  const state = stateOf(request, 'role', { role });
  return actionForm(view, {
    action: actionOf(request, 'role'),
    className: 'panel',
    fields: formFor(view, state, RoleInput).select('role', {
      label: say('role'),
      options: roles.map((one) => ({ value: one, label: say(`role_${one}`) })),
    }),
    submit: say('change_role'),
    buttonClass: 'second',
  });
}
