import { html, type Content, type Html } from '../../platform/html.ts';
import { keyLevels, type RawAnswer, type Route } from '../../platform/http/route.ts';
import { formatAgo, formatDay, speak } from '../../platform/pages/catalog.ts';
import {
  createKey,
  deleteKey,
  getKey,
  listKeys,
  rotateKey,
  updateKey,
  type KeyCallers,
} from '../../identity/api-keys/api-keys.ts';
import {
  ApiKeyInput,
  ApiKeyRef,
  ApiKeyUpdate,
  type ApiKey,
} from '../../identity/api-keys/schema.ts';
import {
  isAdminRole,
  ownOrganizations,
  type OwnOrganization,
} from '../../identity/organizations/organizations.ts';
import { actionPanel, dashboardPage } from '../dashboard/dashboard.ts';
import {
  formFor,
  pageOf,
  postForm,
  readForm,
  stateOf,
  type FormHandler,
  type FormState,
  type OwnView,
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
import { developerTexts, keyTexts } from './texts.ts';

const current = 'keys';
const at = '/dashboard/keys';
const access = 'user';

type Ref = { id: string };

/** API keys. */
export const keyRoutes = (site: Site, callers: KeyCallers): Route[] => [
  ...site.page({
    id: 'showKeys',
    path: at,
    access,
    show: listPage(callers),
    forms: { create: { id: 'submitKey', act: create(callers) } },
  }),
  ...site.page({
    id: 'showKey',
    path: `${at}/{id}`,
    access,
    params: ApiKeyRef,
    show: keyPage(callers),
    forms: { change: { id: 'submitKeyChange', act: change(callers) } },
    buttons: [
      { id: 'submitKeyRotation', at: '/rotate', act: rotate(callers) },
      { id: 'submitKeyDeletion', at: '/delete', act: remove(callers) },
    ],
  }),
];

/** The viewer's keys, and a form for another one. */
const listPage =
  (callers: KeyCallers) =>
  async (view: OwnView, request: PageRequest, secret?: string): Promise<RawAnswer> => {
    const { ctx, viewer } = view;
    const say = speak(keyTexts, view.language);
    const [page, organizations] = await Promise.all([
      listKeys(ctx, callers, viewer.caller, pageOf(request.query)),
      ownOrganizations(ctx, viewer.caller, { limit: 100 }),
    ]);
    const state = stateOf(request, 'create');
    return developerListPage(view, request, {
      current,
      intro: say('intro'),
      secret: secretPanel(view, say('key'), secret),
      page,
      item: (key) => listItem(view, key),
      empty: say('none'),
      state,
      fields: newKeyFields(view, state, organizations.items),
    });
  };

/** Creates a key and shows the list with its secret, which is never shown again. */
const create =
  (callers: KeyCallers): FormHandler =>
  async (view, { fields }) => {
    const input = readForm(ApiKeyInput, fields, ['name', 'scopes', 'org_id', 'expires_at'], {
      read: { expires_at: (day) => (day ? `${day}T23:59:59Z` : null) },
    });
    const { key } = await createKey(view.ctx, callers, view.viewer.caller, input);
    return listPage(callers)(view, { params: {}, query: {} }, key);
  };

const keyPage =
  (callers: KeyCallers) =>
  async (view: OwnView, request: PageRequest<Ref>, secret?: string): Promise<RawAnswer> => {
    const say = speak(keyTexts, view.language);
    const key = await getKey(view.ctx, callers, view.viewer.caller, request.params.id);
    const state = stateOf(request, 'change', { name: key.name, scopes: key.scopes.at(-1) });
    const path = `${at}/${key.id}`;
    return dashboardPage(view, {
      title: key.name,
      current,
      main: [
        html`<h1 dir="auto">${key.name}</h1>\n`,
        facts(view, key),
        developerNotice(view, request.query),
        secretPanel(view, say('key'), secret),
        postForm(view, state, {
          action: path,
          fields: keyFields(view, state),
          submit: view.say('save'),
        }),
        actionPanel(view, {
          title: say('rotate'),
          text: say('rotate_hint'),
          action: `${path}/rotate`,
        }),
        actionPanel(view, {
          title: say('revoke'),
          text: say('revoke_hint'),
          action: `${path}/delete`,
          kind: 'danger',
        }),
      ],
    });
  };

const change =
  (callers: KeyCallers): FormHandler<Ref> =>
  async ({ ctx, viewer }, { params: { id }, fields }) => {
    const input = readForm(ApiKeyUpdate, fields, ['name', 'scopes'], { required: ['name'] });
    await updateKey(ctx, callers, viewer.caller, id, input);
    return `${at}/${id}?done=saved`;
  };

const rotate =
  (callers: KeyCallers): FormHandler<Ref> =>
  async (view, { params }) => {
    const { key } = await rotateKey(view.ctx, callers, view.viewer.caller, params.id);
    return keyPage(callers)(view, { params, query: {} }, key);
  };

const remove =
  (callers: KeyCallers): FormHandler<Ref> =>
  async ({ ctx, viewer }, { params }) => {
    await deleteKey(ctx, callers, viewer.caller, params.id);
    return pathAfterDeletion(ctx, at);
  };

function keyFields(view: View, state: FormState): Content[] {
  const say = speak(keyTexts, view.language);
  const form = formFor(view, state, ApiKeyInput);
  return [
    form.text('name', { label: speak(developerTexts, view.language)('name'), autocomplete: 'off' }),
    form.select('scopes', {
      label: say('level'),
      options: keyLevels.map((value) => ({ value, label: say(`level_${value}`) })),
    }),
  ];
}

/** The fields of a new key; organization and expiry cannot change later. */
function newKeyFields(view: View, state: FormState, own: OwnOrganization[]): Content[] {
  const say = speak(keyTexts, view.language);
  const form = formFor(view, state, ApiKeyInput);
  const organizations = view.ctx.site.current.modules.organizations
    ? own.filter(({ role }) => isAdminRole(role))
    : [];
  return [
    ...keyFields(view, state),
    organizations.length > 0 &&
      form.select('org_id', {
        label: say('organization'),
        options: [
          { value: '', label: say('organization_none') },
          ...organizations.map(({ organization: { id, name } }) => ({ value: id, label: name })),
        ],
      }),
    form.text('expires_at', { label: say('expires'), type: 'date' }),
  ];
}

function listItem(view: View, key: ApiKey): Html {
  return html`<li><h2><a dir="auto" href="${at}/${key.id}">${key.name}</a></h2>
${facts(view, key)}</li>\n`;
}

function facts({ language, ctx }: View, key: ApiKey): Html {
  const say = speak(keyTexts, language);
  const { prefix, scopes, last_used_at: lastUsedAt, expires_at: expiresAt } = key;
  return html`<p class="small quiet"><code dir="ltr">${prefix}…</code> · ${say(`level_${scopes.at(-1) ?? 'read'}`)} · ${
    lastUsedAt
      ? say('last_used', { when: formatAgo(language, new Date(lastUsedAt), ctx.now()) })
      : say('never_used')
  }${expiresAt && html` · ${say('ends', { day: formatDay(language, new Date(expiresAt)) })}`}</p>\n`;
}
