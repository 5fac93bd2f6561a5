import { updateAccount } from '../../identity/accounts/accounts.ts';
import { UserUpdateInput } from '../../identity/accounts/schema.ts';
import type { Session } from '../../identity/sessions/schema.ts';
import { describeSource, type Sessions } from '../../identity/sessions/sessions.ts';
import { html, type Html } from '../../platform/html.ts';
import { isUuid } from '../../platform/ids.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatAgo, formatDay, speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import {
  actionForm,
  doneNotice,
  formFor,
  listOf,
  pageOf,
  panel,
  readForm,
  sitePage,
  textOf,
  type FormHandler,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import { settingsStyles } from './assets.ts';
import { settingsTexts } from './texts.ts';

const path = '/settings/sessions';

/** Where the viewer is logged in, and whether new logins are mailed. */
export const sessionListRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showSessions',
    path,
    access: 'user',
    show: sessionsPage(site.sessions),
    buttons: [
      { id: 'submitSessionEnd', at: '/end', act: endOne(site.sessions) },
      { id: 'submitOtherSessionsEnd', at: '/end-others', act: endOthers(site.sessions) },
      { id: 'submitSignInAlerts', at: '/alerts', act: saveAlerts },
    ],
  });

const sessionsPage =
  (sessions: Sessions): PageHandler =>
  async (view, { query }) => {
    const say = speak(settingsTexts, view.language);
    const page = await sessions.listOwn(view.ctx, view.viewer.caller, pageOf(query));
    const hasOthers = page.nextCursor !== null || page.items.some(({ current }) => !current);
    return sitePage(view, {
      title: say('sessions'),
      styles: [settingsStyles],
      main: html`<h1>${say('sessions')}</h1>
<p class="lead">${say('sessions_lead')} <a href="/settings/login">${say('logging_in_change')}</a></p>
${doneNotice(say, query.done, ['session_ended', 'others_ended', 'preferences_saved'])}${listOf(
        view,
        page,
        { className: 'list sessions', item: (session) => sessionItem(view, session) },
      )}
${hasOthers && actionForm(view, { action: `${path}/end-others`, submit: say('end_others'), buttonClass: 'danger' })}${panel(say('new_logins'), alertsForm(view))}
<p><a href="/settings#access">${view.say('settings')}</a></p>`,
    });
  };

function sessionItem(view: OwnView, session: Session): Html {
  const { ctx, language } = view;
  const say = speak(settingsTexts, language);
  const { id, current, created_at, last_seen_at } = session;
  const { device, country } = describeSource(language, session);
  const day = say('logged_in_on', { day: formatDay(language, new Date(created_at)) });
  const ago = say('last_used', { ago: formatAgo(language, new Date(last_seen_at), ctx.now()) });
  return html`<li><div>
<h2>${device}${current && html` <span class="badge good">${say('this_device')}</span>`}</h2>
<p class="small quiet">${country} · ${day}${!current && html` · ${ago}`}</p></div>
${
  current
    ? actionForm(view, { action: '/logout', submit: view.say('log_out'), buttonClass: 'second' })
    : actionForm(view, {
        action: `${path}/end`,
        hidden: { id },
        submit: say('end_session'),
        submitLabel: view.say('labelled', { label: say('end_session'), value: device }),
        buttonClass: 'second',
      })
}</li>\n`;
}

function alertsForm(view: OwnView): Html {
  const say = speak(settingsTexts, view.language);
  return actionForm(view, {
    action: `${path}/alerts`,
    fields: formFor(view, { values: {} }, UserUpdateInput).checkbox('sign_in_alerts', {
      label: say('sign_in_alerts'),
      checked: view.viewer.user.sign_in_alerts,
    }),
    submit: view.say('save'),
    buttonClass: 'second',
  });
}

const endOne =
  (sessions: Sessions): FormHandler =>
  async ({ ctx, viewer }, { fields }) => {
    const id = textOf(fields, 'id');
    if (!isUuid(id)) throw notFound('session');
    await sessions.endOwn(ctx, viewer.caller, id);
    return `${path}?done=session_ended`;
  };

const endOthers =
  (sessions: Sessions): FormHandler =>
  async ({ ctx, viewer }) => {
    await sessions.endOthers(ctx, viewer.caller);
    return `${path}?done=others_ended`;
  };

const saveAlerts: FormHandler = async ({ ctx, viewer }, { fields }) => {
  await updateAccount(ctx, viewer.caller, readForm(UserUpdateInput, fields, ['sign_in_alerts']));
  return `${path}?done=preferences_saved`;
};
