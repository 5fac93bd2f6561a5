import { listGrants, scopeText, withdrawGrant } from '../../identity/oauth/oauth.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { html } from '../../platform/html.ts';
import { isUuid } from '../../platform/ids.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { formatAgo, formatDay, speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import {
  doneNotice,
  formToken,
  nextLink,
  sitePage,
  textOf,
  type Fields,
  type OwnView,
} from '../site/site.ts';
import { activityTexts } from './texts.ts';

/** The applications that may act for the viewer, and what each may do. */
export async function applicationsPage(
  view: OwnView,
  { cursor, done }: Record<string, string>,
): Promise<RawAnswer> {
  const { ctx, viewer, language } = view;
  const say = speak(activityTexts, language);
  const page = await listGrants(ctx, viewer.caller, { ...(cursor && { cursor }) });
  const items = page.items.map(
    ({ id, client_name: name, scopes, created_at, last_used_at }) => html`<li class="panel">
<h2><bdi>${name}</bdi></h2>
<p>${say('may')}</p>
<ul>${scopes.map((scope) => html`<li>${scopeText(language, scope)}</li>\n`)}</ul>
<p class="small quiet">${say('allowed_at', { day: formatDay(language, new Date(created_at)) })} · ${
      last_used_at
        ? say('last_used', { ago: formatAgo(language, new Date(last_used_at), ctx.now()) })
        : say('never_used')
    }</p>
<form method="post" action="/applications/withdraw">${formToken(view)}<input type="hidden" name="id" value="${id}">
<button class="danger" aria-label="${view.say('labelled', { label: say('withdraw_access'), value: name })}">${say('withdraw_access')}</button></form></li>\n`,
  );
  return sitePage(view, {
    title: say('applications'),
    styles: ['account.css'],
    main: html`<h1>${say('applications')}</h1>
<p class="lead">${say('applications_lead')}</p>
${doneNotice(say, done, ['access_withdrawn'])}${
      items.length > 0
        ? html`<ul class="plain">
${items}</ul>`
        : html`<p>${say('no_applications')}</p>`
    }
${nextLink(view, page)}
<p><a href="/settings">${view.say('settings')}</a></p>`,
  });
}

/** Allows an application nothing any more. */
export async function withdrawAccess(
  sessions: Sessions,
  view: OwnView,
  fields: Fields,
): Promise<RawAnswer> {
  const id = textOf(fields, 'id');
  if (!isUuid(id)) throw notFound('grant');
  await withdrawGrant(view.ctx, sessions, view.viewer.caller, id);
  return redirectTo(view.header, '/applications?done=access_withdrawn', 303);
}
