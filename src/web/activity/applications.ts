import { listGrants, scopeText, withdrawGrant } from '../../identity/oauth/oauth.ts';
import { html, type Html } from '../../platform/html.ts';
import { isUuid } from '../../platform/ids.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatAgo, formatDay, speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import {
  doneNotice,
  listOf,
  pageOf,
  actionForm,
  sitePage,
  textOf,
  type FormRequest,
  type OwnView,
  type Site,
  type PageHandler,
} from '../site/site.ts';
import { activityStyles } from './assets.ts';
import { activityTexts } from './texts.ts';

const path = '/applications';

type Grant = Awaited<ReturnType<typeof listGrants>>['items'][number];

/** Applications that may act for the viewer. */
export const applicationRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showApplications',
    path,
    access: 'user',
    show: applicationsPage,
    buttons: [{ id: 'submitAccessWithdrawal', at: '/withdraw', act: withdraw(site) }],
  });

const applicationsPage: PageHandler = async (view, { query }) => {
  const say = speak(activityTexts, view.language);
  const page = await listGrants(view.ctx, view.viewer.caller, pageOf(query));
  return sitePage(view, {
    title: say('applications'),
    styles: [activityStyles],
    main: html`<h1>${say('applications')}</h1>
<p class="lead">${say('applications_lead')}</p>
${doneNotice(say, query.done, ['access_withdrawn'])}${listOf(view, page, {
      className: 'plain',
      item: (grant) => grantItem(view, grant),
      empty: html`<p>${say('no_applications')}</p>`,
    })}
<p><a href="/settings">${view.say('settings')}</a></p>`,
  });
};

function grantItem(view: OwnView, grant: Grant): Html {
  const { ctx, language } = view;
  const say = speak(activityTexts, language);
  const { id, client_name: name, scopes, created_at, last_used_at } = grant;
  return html`<li class="panel">
<h2><bdi>${name}</bdi></h2>
<p>${say('may')}</p>
<ul>${scopes.map((scope) => html`<li>${scopeText(language, scope)}</li>\n`)}</ul>
<p class="small quiet">${say('allowed_at', { day: formatDay(language, new Date(created_at)) })} · ${
    last_used_at
      ? say('last_used', { ago: formatAgo(language, new Date(last_used_at), ctx.now()) })
      : say('never_used')
  }</p>
${actionForm(view, {
  action: `${path}/withdraw`,
  hidden: { id },
  submit: say('withdraw_access'),
  submitLabel: view.say('labelled', { label: say('withdraw_access'), value: name }),
  buttonClass: 'danger',
})}</li>\n`;
}

/** Withdraws the access of an application. */
const withdraw =
  ({ sessions }: Site) =>
  async ({ ctx, viewer }: OwnView, { fields }: FormRequest): Promise<string> => {
    const id = textOf(fields, 'id');
    if (!isUuid(id)) throw notFound('grant');
    await withdrawGrant(ctx, sessions, viewer.caller, id);
    return `${path}?done=access_withdrawn`;
  };
