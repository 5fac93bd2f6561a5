import { html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import {
  addSharedNetwork,
  listSharedNetworks,
  removeSharedNetwork,
} from '../../campaigns/signatures/signatures.ts';
import { SharedNetworkInput } from '../../oversight/integrity/schema.ts';
import {
  formFor,
  listOf,
  actionForm,
  postForm,
  readForm,
  stateOf,
  type Site,
  type PageHandler,
  type FormHandler,
} from '../site/site.ts';
import { done, IdRef, moderationPage, sayOf } from './moderation-layout.ts';

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
const networksPage: PageHandler = async (view, request) => {
  const say = sayOf(view);
  const state = stateOf(request, 'add');
  const form = formFor(view, state, SharedNetworkInput);
  const page = { cursor: request.query.cursor, limit: defaultLimit };
  const networks = await listSharedNetworks(view.ctx, page);
  return moderationPage(view, {
    section: 'networks',
    title: say('networks'),
    query: request.query,
    main: html`${listOf(view, networks, {
      item: (
        one,
      ) => html`<li class="row between"><span><code>${one.network}</code> <span dir="auto">${one.note}</span>
<span class="quiet">${view.say('labelled', { label: say('limit'), value: one.limit })}</span></span>
${actionForm(view, {
  action: `${path}/${one.id}/remove`,
  submit: view.say('remove'),
  buttonClass: 'danger',
})}</li>
`,
      empty: '',
    })}
${postForm(view, state, {
  action: path,
  className: 'panel',
  fields: html`${form.text('network', { label: say('network') })}${form.text('note', { label: say('note') })}${form.text('limit', { label: say('limit') })}`,
  submit: say('add'),
})}`,
  });
};

/** Allows the addresses of a network to sign more often. */
const add: FormHandler = async (view, { fields }) => {
  const {
    network,
    note,
    limit = 200,
  } = readForm(SharedNetworkInput, fields, ['network', 'note', 'limit']);
  await addSharedNetwork(view.ctx, view.viewer.caller, { network, note, limit });
  return done(path);
};

/** Restores the usual limit of a network. */
const remove: FormHandler<IdRef> = async (view, { params }) => {
  await removeSharedNetwork(view.ctx, view.viewer.caller, params.id);
  return done(path);
};
