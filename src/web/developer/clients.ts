import { html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { formatAgo, speak } from '../../platform/pages/catalog.ts';
import {
  changeClient,
  deleteClient,
  getClient,
  listClients,
  registerClient,
  rotateSecret,
} from '../../identity/oauth/oauth.ts';
import {
  IdParam,
  OAuthClientInput,
  OAuthClientUpdate,
  oauthScopes,
  type OAuthClient,
} from '../../identity/oauth/schema.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { actionPanel, dashboardPage } from '../dashboard/dashboard.ts';
import {
  formFor,
  pageOf,
  postForm,
  readForm,
  stateOf,
  type Fields,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageHandler,
  type PageRequest,
  type Site,
  type View,
} from '../site/site.ts';
import {
  developerListPage,
  developerNotice,
  pathAfterDeletion,
  secretPanel,
} from './developer-layout.ts';
import { clientTexts, developerTexts } from './texts.ts';

const current = 'applications';
const at = '/dashboard/applications';
const access = 'user';

type Ref = { id: string };

/** OAuth clients, which the pages call applications. */
export const clientRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showClients',
    path: at,
    access,
    show: listPage,
    forms: { create: { id: 'submitClient', act: create } },
  }),
  ...site.page({
    id: 'showClient',
    path: `${at}/{id}`,
    access,
    params: IdParam,
    show: clientPage,
    forms: { change: { id: 'submitClientChange', act: change } },
    buttons: [
      { id: 'submitClientRotation', at: '/rotate', act: rotate },
      { id: 'submitClientDeletion', at: '/delete', act: remove(site.sessions) },
    ],
  }),
];

const initialValues: Fields = {
  confidential: 'on',
  scopes: oauthScopes.filter((scope) => scope.startsWith('read:')),
};

/** The viewer's applications, and a form for another one. */
const listPage: PageHandler = async (view, request) => {
  const say = speak(clientTexts, view.language);
  const state = stateOf(request, 'create', initialValues);
  const form = formFor(view, state, OAuthClientInput);
  return developerListPage(view, request, {
    current,
    intro: say('intro'),
    page: await listClients(view.ctx, view.viewer.caller, pageOf(request.query)),
    item: (client) => listItem(view, client),
    empty: say('none'),
    state,
    fields: [
      ...clientFields(view, state),
      form.checkbox('confidential', { label: say('confidential') }),
    ],
  });
};

function listItem({ ctx, language }: View, { id, name, created_at: createdAt }: OAuthClient): Html {
  const when = formatAgo(language, new Date(createdAt), ctx.now());
  return html`<li><h2><a dir="auto" href="${at}/${id}">${name}</a></h2>
<p class="small quiet">${speak(developerTexts, language)('created', { when })}</p></li>\n`;
}

function clientFields(view: View, state: FormState): Content[] {
  const say = speak(clientTexts, view.language);
  const form = formFor(view, state, OAuthClientInput);
  return [
    form.text('name', {
      label: speak(developerTexts, view.language)('name'),
      hint: say('name_hint'),
      autocomplete: 'off',
    }),
    form.text('redirect_uris', {
      label: say('redirects'),
      hint: say('redirects_hint'),
      type: 'textarea',
      rows: 3,
    }),
    form.choices('scopes', {
      label: say('scopes'),
      options: oauthScopes.map((value) => ({ value, label: html`<code>${value}</code>` })),
    }),
  ];
}

const changeable = ['name', 'redirect_uris', 'scopes'] as const;
/** One address a line. */
const read = { redirect_uris: (text: string) => text.split(/\s+/).filter(Boolean) };

/** Registers an application and shows its page with the secret, which is never shown again. */
const create: FormHandler = async (view, { fields }) => {
  const input = readForm(OAuthClientInput, fields, [...changeable, 'confidential'], { read });
  const { id, client_secret: secret } = await registerClient(view.ctx, view.viewer.caller, input);
  return clientPage(view, { params: { id }, query: {} }, secret);
};

async function clientPage(
  view: OwnView,
  request: PageRequest<Ref>,
  secret?: string,
): Promise<RawAnswer> {
  const say = speak(clientTexts, view.language);
  const sayShared = speak(developerTexts, view.language);
  const client = await getClient(view.ctx, view.viewer.caller, request.params.id);
  const { id, name, redirect_uris: uris, scopes } = client;
  const state = stateOf(request, 'change', { name, redirect_uris: uris.join('\n'), scopes });
  return dashboardPage(view, {
    title: name,
    current,
    main: [
      html`<h1 dir="auto">${name}</h1>
<p>${view.say('labelled', { label: say('client_id'), value: html`<code dir="ltr">${client.client_id}</code>` })}</p>
<p class="hint">${say(client.confidential ? 'is_confidential' : 'is_public')}</p>\n`,
      developerNotice(view, request.query),
      secretPanel(view, sayShared('secret'), secret),
      postForm(view, state, {
        action: `${at}/${id}`,
        fields: clientFields(view, state),
        submit: view.say('save'),
      }),
      client.confidential &&
        actionPanel(view, {
          title: say('rotate'),
          text: say('rotate_hint'),
          action: `${at}/${id}/rotate`,
        }),
      actionPanel(view, {
        title: sayShared('delete'),
        text: say('delete_hint'),
        action: `${at}/${id}/delete`,
        kind: 'danger',
      }),
    ],
  });
}

const change: FormHandler<Ref> = async ({ ctx, viewer }, { params: { id }, fields }) => {
  const input = readForm(OAuthClientUpdate, fields, changeable, { read, required: ['name'] });
  await changeClient(ctx, viewer.caller, id, input);
  return `${at}/${id}?done=saved`;
};

const rotate: FormHandler<Ref> = async (view, { params }) => {
  const { client_secret: secret } = await rotateSecret(view.ctx, view.viewer.caller, params.id);
  return clientPage(view, { params, query: {} }, secret);
};

const remove =
  (sessions: Sessions): FormHandler<Ref> =>
  async ({ ctx, viewer }, { params }) => {
    await deleteClient(ctx, sessions, viewer.caller, params.id);
    return pathAfterDeletion(ctx, at);
  };
