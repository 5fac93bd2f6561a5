import { html, type Html } from '../../platform/html.ts';
import { keyLevels, redirectTo, type RawAnswer } from '../../platform/http/route.ts';
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
import { ApiKeyInput, ApiKeyUpdate, type ApiKey } from '../../identity/api-keys/schema.ts';
import { ownOrganizations } from '../../identity/organizations/organizations.ts';
import { act, dashboardPage, dashboardTexts } from '../dashboard/dashboard.ts';
import {
  checkInput,
  field,
  formAlert,
  formToken,
  given,
  nextLink,
  pageOf,
  selectField,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
  type View,
} from '../site/site.ts';
import { secretPanel, developerNotice } from './parts.ts';
import { developerTexts, keyTexts } from './texts.ts';

const current = 'keys';
const at = '/dashboard/keys';

interface Showing {
  query?: Record<string, string>;
  state?: FormState;
  /** The key itself, this once. */
  secret?: string;
}

/** The viewer's keys, and a form for another one. */
export async function keysPage(
  view: OwnView,
  callers: KeyCallers,
  { query = {}, state = { values: {} }, secret }: Showing = {},
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(keyTexts, view.language);
  const sayWork = speak(developerTexts, view.language);
  const [page, organizations] = await Promise.all([
    listKeys(ctx, callers, viewer.caller, pageOf(query)),
    ownOrganizations(ctx, viewer.caller, { limit: 100 }),
  ]);
  const title = speak(dashboardTexts, view.language)('keys');
  const led = organizations.items.filter(({ role }) => role !== 'member');
  return dashboardPage(view, {
    title,
    current,
    main: html`<h1>${title}</h1>
${developerNotice(view, query)}${secret !== undefined && secretPanel(view, say('key'), secret)}<p>${say('intro')} <a href="/docs">${sayWork('docs')}</a></p>
${
  page.items.length === 0
    ? html`<p>${say('none')}</p>`
    : html`<ul class="list">\n${page.items.map((one) => listItem(view, one))}</ul>`
}
${nextLink(view, page)}${formAlert(view, state)}<form class="panel" method="post" action="${at}">${formToken(view)}
${keyFields(view, state)}${
      led.length > 0 &&
      selectField(view, state, {
        name: 'org_id',
        label: say('organization'),
        options: [
          { value: '', label: say('organization_none') },
          ...led.map(({ organization: { id, name } }) => ({ value: id, label: name })),
        ],
      })
    }${field(view, state, { name: 'expires_at', label: say('expires'), type: 'date' })}<button>${sayWork('create')}</button>
</form>`,
  });
}

function keyFields(view: View, state: FormState): Html {
  const say = speak(keyTexts, view.language);
  return html`${field(view, state, {
    name: 'name',
    label: speak(developerTexts, view.language)('name'),
    required: true,
    maxLength: 100,
    autocomplete: 'off',
  })}${selectField(view, state, {
    name: 'scopes',
    label: say('level'),
    options: keyLevels.map((value) => ({ value, label: say(`level_${value}`) })),
  })}`;
}

function listItem(view: View, key: ApiKey): Html {
  return html`<li><h2><a dir="auto" href="${at}/${key.id}">${key.name}</a></h2>
${facts(view, key)}</li>\n`;
}

function facts({ language, ctx }: View, key: ApiKey): Html {
  const say = speak(keyTexts, language);
  const { prefix, scopes, last_used_at: used, expires_at: ends } = key;
  return html`<p class="small quiet"><code dir="ltr">${prefix}…</code> · ${say(`level_${scopes.at(-1) ?? 'read'}`)} · ${
    used
      ? say('last_used', { when: formatAgo(language, new Date(used), ctx.now()) })
      : say('never_used')
  }${ends && html` · ${say('ends', { day: formatDay(language, new Date(ends)) })}`}</p>\n`;
}

/** One key: what it is called and may do, and how it ends. */
export async function keyPage(
  view: OwnView,
  callers: KeyCallers,
  id: string,
  { query = {}, state, secret }: Showing = {},
): Promise<RawAnswer> {
  const say = speak(keyTexts, view.language);
  const key = await getKey(view.ctx, callers, view.viewer.caller, id);
  const shown = state ?? { values: { name: key.name, scopes: key.scopes.at(-1) } };
  return dashboardPage(view, {
    title: key.name,
    current,
    main: html`<h1 dir="auto">${key.name}</h1>
${facts(view, key)}${developerNotice(view, query)}${secret !== undefined && secretPanel(view, say('key'), secret)}${formAlert(view, shown)}<form method="post" action="${at}/${id}">${formToken(view)}
${keyFields(view, shown)}<button>${view.say('save')}</button>
</form>
<section class="panel"><h2>${say('rotate')}</h2>
<p>${say('rotate_hint')}</p>
${act(view, `${at}/${id}/rotate`, say('rotate'))}</section>
<section class="panel"><h2>${say('revoke')}</h2>
<p>${say('revoke_hint')}</p>
${act(view, `${at}/${id}/delete`, say('revoke'), 'danger')}</section>`,
  });
}

const keyIn = (fields: Fields) => ({
  name: textOf(fields, 'name'),
  scopes: [textOf(fields, 'scopes')],
});

/** Makes a key. The page is the answer, since the key is shown this once. */
export async function create(
  view: OwnView,
  callers: KeyCallers,
  fields: Fields,
): Promise<RawAnswer> {
  const day = textOf(fields, 'expires_at');
  const input = checkInput(
    ApiKeyInput,
    given({
      ...keyIn(fields),
      org_id: textOf(fields, 'org_id'),
      expires_at: day && `${day}T23:59:59Z`,
    }),
  );
  const { key } = await createKey(view.ctx, callers, view.viewer.caller, input);
  return keysPage(view, callers, { secret: key });
}

export async function save(
  { ctx, viewer, header }: OwnView,
  callers: KeyCallers,
  id: string,
  fields: Fields,
): Promise<RawAnswer> {
  await updateKey(ctx, callers, viewer.caller, id, checkInput(ApiKeyUpdate, keyIn(fields)));
  return redirectTo(header, `${at}/${id}?done=saved`, 303);
}

export async function rotate(view: OwnView, callers: KeyCallers, id: string): Promise<RawAnswer> {
  const { key } = await rotateKey(view.ctx, callers, view.viewer.caller, id);
  return keyPage(view, callers, id, { secret: key });
}

export async function revoke(
  { ctx, viewer, header }: OwnView,
  callers: KeyCallers,
  id: string,
): Promise<RawAnswer> {
  await deleteKey(ctx, callers, viewer.caller, id);
  return redirectTo(header, `${at}?done=deleted`, 303);
}
