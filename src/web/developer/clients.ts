import { html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { formatAgo, speak } from '../../platform/pages/catalog.ts';
import {
  changeClient,
  deleteClient,
  getClient,
  listClients,
  registerClient,
  rotateSecret,
} from '../../identity/oauth/oauth.ts';
import { oauthScopes } from '../../identity/oauth/schema.ts';
import {
  OAuthClientInput,
  OAuthClientUpdate,
  type OAuthClient,
} from '../../identity/oauth/schema.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { act, dashboardPage, dashboardTexts } from '../dashboard/dashboard.ts';
import {
  checkbox,
  checkInput,
  choicesField,
  field,
  formAlert,
  formToken,
  nextLink,
  pageOf,
  textOf,
  textsIn,
  type Fields,
  type FormState,
  type OwnView,
  type View,
} from '../site/site.ts';
import { clientTexts } from './client-texts.ts';
import { secretPanel, developerNotice } from './parts.ts';
import { developerTexts } from './texts.ts';

const current = 'applications';
const at = '/desk/applications';

const beginning: Fields = {
  confidential: 'on',
  scopes: oauthScopes.filter((scope) => scope.startsWith('read:')),
};

/** The viewer's applications, and a form for another one. */
export async function clientsPage(
  view: OwnView,
  query: Record<string, string>,
  state: FormState = { values: beginning },
): Promise<RawAnswer> {
  const { ctx, viewer, language } = view;
  const say = speak(clientTexts, language);
  const sayWork = speak(developerTexts, language);
  const title = speak(dashboardTexts, language)('applications');
  const page = await listClients(ctx, viewer.caller, pageOf(query));
  return dashboardPage(view, {
    title,
    current,
    main: html`<h1>${title}</h1>
${developerNotice(view, query)}<p>${say('intro')} <a href="/docs">${sayWork('docs')}</a></p>
${
  page.items.length === 0
    ? html`<p>${say('none')}</p>`
    : html`<ul class="list">\n${page.items.map((one) => {
        const when = formatAgo(language, new Date(one.created_at), ctx.now());
        return html`<li><h2><a dir="auto" href="${at}/${one.id}">${one.name}</a></h2>
<p class="small quiet">${sayWork('created', { when })}</p></li>\n`;
      })}</ul>`
}
${nextLink(view, page)}${formAlert(view, state)}<form class="panel" method="post" action="${at}">${formToken(view)}
${clientFields(view, state)}${checkbox(state, { name: 'confidential', label: say('confidential') })}<button>${sayWork('create')}</button>
</form>`,
  });
}

function clientFields(view: View, state: FormState): Html {
  const say = speak(clientTexts, view.language);
  return html`${field(view, state, {
    name: 'name',
    label: speak(developerTexts, view.language)('name'),
    hint: say('name_hint'),
    required: true,
    maxLength: 100,
    autocomplete: 'off',
  })}${field(view, state, {
    name: 'redirect_uris',
    label: say('redirects'),
    hint: say('redirects_hint'),
    type: 'textarea',
    rows: 3,
  })}${choicesField(view, state, {
    name: 'scopes',
    label: say('scopes'),
    options: oauthScopes.map((value) => ({ value, label: html`<code>${value}</code>` })),
  })}`;
}

const clientIn = (fields: Fields) => ({
  name: textOf(fields, 'name'),
  redirect_uris: textOf(fields, 'redirect_uris').split(/\s+/).filter(Boolean),
  scopes: textsIn(fields, 'scopes'),
});

interface Showing {
  query?: Record<string, string>;
  state?: FormState;
  secret?: string | undefined;
}

/** One application: what it is called, where it leads and what it may ask for. */
export async function clientPage(
  view: OwnView,
  id: string,
  { query = {}, state, secret }: Showing = {},
): Promise<RawAnswer> {
  const say = speak(clientTexts, view.language);
  const sayWork = speak(developerTexts, view.language);
  const client = await getClient(view.ctx, view.viewer.caller, id);
  const shown = state ?? { values: valuesOf(client) };
  return dashboardPage(view, {
    title: client.name,
    current,
    main: html`<h1 dir="auto">${client.name}</h1>
<p>${view.say('labelled', { label: say('client_id'), value: html`<code dir="ltr">${client.client_id}</code>` })}</p>
<p class="hint">${say(client.confidential ? 'is_confidential' : 'is_public')}</p>
${developerNotice(view, query)}${secret !== undefined && secretPanel(view, sayWork('secret'), secret)}${formAlert(view, shown)}<form method="post" action="${at}/${id}">${formToken(view)}
${clientFields(view, shown)}<button>${view.say('save')}</button>
</form>
${
  client.confidential &&
  html`<section class="panel"><h2>${say('rotate')}</h2>
<p>${say('rotate_hint')}</p>
${act(view, `${at}/${id}/rotate`, say('rotate'))}</section>\n`
}<section class="panel"><h2>${sayWork('delete')}</h2>
<p>${say('delete_hint')}</p>
${act(view, `${at}/${id}/delete`, sayWork('delete'), 'danger')}</section>`,
  });
}

const valuesOf = ({ name, redirect_uris, scopes }: OAuthClient): Fields => ({
  name,
  redirect_uris: redirect_uris.join('\n'),
  scopes,
});

/** Registers an application. Its page is the answer, since its secret is shown this once. */
export async function create(view: OwnView, fields: Fields): Promise<RawAnswer> {
  const confidential = textOf(fields, 'confidential') === 'on';
  const input = checkInput(OAuthClientInput, { ...clientIn(fields), confidential });
  const { id, client_secret: secret } = await registerClient(view.ctx, view.viewer.caller, input);
  return clientPage(view, id, { secret });
}

export async function save(
  { ctx, viewer, header }: OwnView,
  id: string,
  fields: Fields,
): Promise<RawAnswer> {
  await changeClient(ctx, viewer.caller, id, checkInput(OAuthClientUpdate, clientIn(fields)));
  return redirectTo(header, `${at}/${id}?done=saved`, 303);
}

export async function rotate(view: OwnView, id: string): Promise<RawAnswer> {
  const { client_secret: secret } = await rotateSecret(view.ctx, view.viewer.caller, id);
  return clientPage(view, id, { secret });
}

export async function remove(
  { ctx, viewer, header }: OwnView,
  sessions: Sessions,
  id: string,
): Promise<RawAnswer> {
  await deleteClient(ctx, sessions, viewer.caller, id);
  return redirectTo(header, `${at}?done=deleted`, 303);
}
