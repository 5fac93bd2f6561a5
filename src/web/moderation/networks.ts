import { html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import {
  addSharedNetwork,
  listSharedNetworks,
  removeSharedNetwork,
} from '../../campaigns/signatures/signatures.ts';
import { SharedNetworkInput } from '../../oversight/integrity/schema.ts';
import {
  formAlert,
  formFor,
  formToken,
  nextLink,
  readForm,
  stateOf,
  type FormRequest,
  type OwnView,
  type PageRequest,
  type Site,
} from '../site/site.ts';
import { done, IdRef, moderationPage, sayOf } from './frame.ts';

const path = '/moderation/networks';
const access = 'admin';

export const networkRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showNetworks',
    path,
    access,
    show: networksPage,
    forms: { add: { id: 'submitNetwork', act: add } },
  }),
  site.form({
    id: 'submitNetworkRemoval',
    path: `${path}/{id}/remove`,
    access,
    params: IdRef,
    act: remove,
  }),
];

/** Networks whose addresses may sign more often. */
async function networksPage(view: OwnView, request: PageRequest): Promise<RawAnswer> {
  const say = sayOf(view);
  const state = stateOf(request, 'add');
  const form = formFor(view, state, SharedNetworkInput);
  const page = { cursor: request.query.cursor, limit: defaultLimit };
  const { items, nextCursor } = await listSharedNetworks(view.ctx, page);
  const rows = items.map(
    (
      one,
    ) => html`<li class="row between"><span><code>${one.network}</code> <span dir="auto">${one.note}</span>
<span class="quiet">${view.say('labelled', { label: say('limit'), value: one.limit })}</span></span>
<form method="post" action="${path}/${one.id}/remove">${formToken(view)}<button class="danger">${view.say('remove')}</button></form></li>
`,
  );
  return moderationPage(view, {
    section: 'networks',
    title: say('networks'),
    query: request.query,
    main: html`${formAlert(view, state)}<ul class="list">
${rows}</ul>
${nextLink(view, { nextCursor }, path)}
<form class="panel" method="post" action="${path}">${formToken(view)}
${form.text('network', { label: say('network') })}${form.text('note', { label: say('note') })}${form.text('limit', { label: say('limit') })}<button>${say('add')}</button></form>`,
  });
}

/** Allows the addresses of a network to sign more often. */
async function add(view: OwnView, { fields }: FormRequest): Promise<RawAnswer> {
  const {
    network,
    note,
    limit = 200,
  } = readForm(SharedNetworkInput, fields, ['network', 'note', 'limit']);
  await addSharedNetwork(view.ctx, view.viewer.caller, { network, note, limit });
  return done(view, path);
}

/** Restores the usual limit of a network. */
async function remove(view: OwnView, { params }: FormRequest<IdRef>): Promise<RawAnswer> {
  await removeSharedNetwork(view.ctx, view.viewer.caller, params.id);
  return done(view, path);
}
