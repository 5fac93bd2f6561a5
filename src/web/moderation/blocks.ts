import { html, type Content, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { formatTime } from '../../platform/pages/catalog.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import {
  blockActions,
  blockKinds,
  SigningBlockInput,
  type SigningBlock,
} from '../../campaigns/signing-blocks/schema.ts';
import {
  addBlock,
  listBlocks,
  removeBlock,
} from '../../campaigns/signing-blocks/signing-blocks.ts';
import {
  actionForm,
  formFor,
  hiddenFields,
  listOf,
  postForm,
  readForm,
  stateOf,
  textOf,
  type FormHandler,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import { done, IdRef, moderationPage, sayOf } from './moderation-layout.ts';
import { timeIn } from './invalidation.ts';

const path = '/moderation/blocks';
const access = 'moderator';

/** The address of the blocks of a petition. */
export const blocksPath = (petitionId: string): string => `${path}?petition_id=${petitionId}`;

export const blockRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showSigningBlocks',
    path,
    access,
    show: blocksPage,
    forms: { add: { id: 'submitSigningBlock', act: add } },
  }),
  site.form({
    id: 'submitSigningBlockRemoval',
    path: `${path}/{id}/remove`,
    access,
    params: IdRef,
    act: remove,
  }),
];

/** Networks, mail domains and countries whose signatures are refused or held, on all petitions or on one. */
const blocksPage: PageHandler = async (view, request) => {
  const say = sayOf(view);
  const { ctx, viewer } = view;
  const state = stateOf(request, 'add');
  const petitionId = request.query.petition_id || textOf(state.values, 'petition_id') || undefined;
  const petition =
    petitionId === undefined
      ? undefined
      : await showPetition(ctx, viewer.caller, petitionId, undefined);
  const form = formFor(view, state, SigningBlockInput);
  const blocks = await listBlocks(ctx, {
    petition_id: petition?.id ?? null,
    cursor: request.query.cursor,
    limit: defaultLimit,
  });
  const choices = <T extends string>(names: readonly T[], label: (name: T) => Content) =>
    names.map((value) => ({ value, label: label(value) }));
  return moderationPage(view, {
    section: 'blocks',
    title: say('blocks'),
    query: request.query,
    main: html`<p>${say('blocks_lead')}</p>
${
  petition &&
  html`<p>${say('only_on')} <a href="/moderation/petitions/${petition.id}/integrity"${languageAttributes(petition.language, view.language)}>${petition.title}</a>. <a href="${path}">${say('blocks_all')}</a></p>`
}
${listOf(view, blocks, {
  item: (block) => blockItem(view, block),
  empty: html`<p class="quiet">${say('nothing')}</p>`,
})}
<h2>${say('block_add')}</h2>
${postForm(view, state, {
  action: path,
  className: 'panel',
  fields: html`${petition && hiddenFields({ petition_id: petition.id })}${form.select('kind', {
    label: say('block_kind'),
    options: choices(blockKinds, (kind) => say(`block_${kind}`)),
  })}${form.text('value', { label: say('block_value'), hint: say('block_value_hint') })}${form.select(
    'action',
    {
      label: say('block_action'),
      options: choices(blockActions, (action) => say(`block_${action}`)),
    },
  )}${form.text('ends_at', { label: say('until_time'), hint: say('block_end_hint') })}${form.text('reason', { label: say('why'), type: 'textarea' })}`,
  submit: say('add'),
})}`,
  });
};

function blockItem(view: OwnView, block: SigningBlock): Html {
  const say = sayOf(view);
  const { language } = view;
  const endsAt = block.ends_at && new Date(block.ends_at);
  const hasEnded = endsAt !== null && endsAt <= view.ctx.now();
  return html`<li class="row between"><span><span class="badge">${say(`block_${block.action}`)}</span>
${say(`block_${block.kind}`)} <code>${block.value}</code>
${block.petition_id !== null && html`<a href="/moderation/petitions/${block.petition_id}">${say('of_petition')}</a>`}
${endsAt && html`<span class="quiet">${say(hasEnded ? 'ended_on' : 'ends_on', { when: formatTime(language, endsAt) })}</span>`}
<br><span class="small" dir="auto">${block.reason}</span></span>
${actionForm(view, {
  action: `${path}/${block.id}/remove`,
  submit: view.say('remove'),
  buttonClass: 'danger',
})}</li>
`;
}

/** Adds a block. */
const add: FormHandler = async (view, { fields }) => {
  const input = readForm(
    SigningBlockInput,
    fields,
    ['petition_id', 'kind', 'value', 'action', 'reason', 'ends_at'],
    { read: { ends_at: timeIn } },
  );
  await addBlock(view.ctx, view.viewer.caller, input);
  return done(path);
};

/** Removes a block. */
const remove: FormHandler<IdRef> = async (view, { params }) => {
  await removeBlock(view.ctx, view.viewer.caller, params.id);
  return done(path);
};
