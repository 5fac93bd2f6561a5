import { Type, type Static } from 'typebox';
import { html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { formatAgo, speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import { plainStartOf } from '../../platform/markdown/markdown.ts';
import type { PictureOwners } from '../../campaigns/media/media.ts';
import { maxBytes } from '../../campaigns/media/schema.ts';
import { getOrganizedPetition, type ManagedPetition } from '../../campaigns/petitions/manage.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import {
  UpdateChanges,
  UpdateDraftInput,
  UpdateInput,
  type Update,
} from '../../campaigns/updates/schema.ts';
import {
  changeUpdate,
  deleteUpdate,
  findUpdateDraft,
  getUpdate,
  listUpdates,
  postUpdate,
  saveUpdateDraft,
} from '../../campaigns/updates/updates.ts';
import {
  checkInput,
  doneNotice,
  draftAttributes,
  draftSaved,
  draftStatus,
  editStateOf,
  formFor,
  listOf,
  pageOf,
  pictureForm,
  pictureStatus,
  postForm,
  readForm,
  shownUnchanged,
  stateOf,
  takePicture,
  textOf,
  type Fields,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageHandler,
  type PageRequest,
  type Site,
  type View,
} from '../site/site.ts';
import { askedStep, confirmationPage, signersTold } from './confirmation.ts';
import { actionButton, petitionPage, petitionPath, petitionRoute } from './dashboard-layout.ts';
import { updateTexts } from './texts.ts';

const listRoute = petitionRoute('/updates');

type Ref = { id: string };

const UpdateParams = Type.Object({ id: Type.String(), update: Type.String({ format: 'uuid' }) });
type UpdateRef = Static<typeof UpdateParams>;

/** Updates of a petition. */
export const updateRoutes = (site: Site, pictureOwners: PictureOwners): Route[] => [
  ...site.page({
    id: 'showOwnUpdates',
    ...listRoute,
    show: listPage,
    forms: { create: { id: 'submitUpdate', once: true, act: create } },
  }),
  site.form({
    id: 'submitUpdateDraft',
    ...petitionRoute('/updates/draft'),
    act: keepDraft,
  }),
  ...site.page({
    id: 'showOwnUpdate',
    path: `${listRoute.path}/{update}`,
    access: 'user',
    params: UpdateParams,
    show: updatePage,
    forms: {
      change: { id: 'submitUpdateChange', once: true, act: change },
      picture: {
        id: 'submitUpdatePicture',
        at: '/picture',
        largestFile: maxBytes,
        act: setPicture(pictureOwners),
      },
      alt: { id: 'submitUpdatePictureAlt', at: '/picture/alt', act: setAlt },
    },
    buttons: [
      { id: 'submitUpdateDelete', at: '/delete', act: remove },
      { id: 'removeUpdatePicture', at: '/picture/remove', act: removePicture },
    ],
  }),
];

const listPage: PageHandler<Ref> = async (view, request) => {
  const draft = await findUpdateDraft(view.ctx, view.viewer.caller, request.params.id);
  return showList(view, request, stateOf(request, 'create', draft && { ...draft }));
};

/** The petition's updates, and a form for another one. */
async function showList(
  view: OwnView,
  { params, query }: Pick<PageRequest<Ref>, 'params' | 'query'>,
  state: FormState,
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(updateTexts, view.language);
  const { petition, permissions: may } = await getOrganizedPetition(ctx, viewer.caller, params.id);
  const page = await listUpdates(ctx, viewer.caller, petition.id, pageOf(query));
  return petitionPage(view, petition, {
    current: 'updates',
    may,
    main: [
      doneNotice(say, query.done, ['done_posted', 'done_changed', 'done_deleted']),
      postForm(view, state, {
        action: petitionPath(petition, 'updates'),
        className: 'panel',
        attributes: draftAttributes(view, `${petitionPath(petition, 'updates')}/draft`),
        once: true,
        fields: [
          html`<h2>${say('write')}</h2>\n<p class="hint">${say('write_hint')}</p>\n`,
          ...updateFields(view, state),
          draftStatus,
        ],
        submit: say('look_at'),
      }),
      listOf(view, page, { item: (update) => listItem(view, petition, update) }),
    ],
  });
}

function updateFields(view: View, state: FormState): Content[] {
  const say = speak(updateTexts, view.language);
  const form = formFor(view, state, UpdateInput);
  return [
    form.text('title', { label: say('title') }),
    form.text('body', {
      label: say('body'),
      type: 'markdown',
      pictures: 'petition_update_image',
      rows: 6,
    }),
  ];
}

function listItem(view: View, petition: Petition, update: Update): Html {
  const say = speak(updateTexts, view.language);
  const when = formatAgo(view.language, new Date(update.created_at), view.ctx.now());
  return html`<li><h3><a dir="auto" href="${petitionPath(petition, 'updates')}/${update.id}">${update.title}</a></h3>
<p class="small quiet">${say('posted', { when })}</p>
<p class="clamp" dir="auto">${plainStartOf(update.body, 400)}</p></li>\n`;
}

const updatePage: PageHandler<UpdateRef> = async (view, request) => {
  const { ctx, viewer } = view;
  const say = speak(updateTexts, view.language);
  const { params } = request;
  const { petition, permissions: may } = await getOrganizedPetition(ctx, viewer.caller, params.id);
  const update = await getUpdate(ctx, viewer.caller, { id: params.update });
  if (update.petition_id !== petition.id) throw notFound('update');
  const state = editStateOf(request, 'change', valuesOf(update));
  const path = updatePath(update);
  return petitionPage(view, petition, {
    current: 'updates',
    may,
    main: [
      doneNotice(say, request.query.done, ['done_changed']),
      html`<h2>${say('change')}</h2>\n`,
      postForm(view, state, {
        action: path,
        once: true,
        hidden: state.hidden,
        fields: updateFields(view, state),
        submit: view.say('save'),
      }),
      pictureForm(view, {
        action: `${path}/picture`,
        url: update.image_url,
        status: await pictureStatus(view, request.query),
        problem: stateOf(request, 'picture').problem,
        alt: {
          name: 'image_alt',
          upload: stateOf(request, 'picture'),
          change: stateOf(request, 'alt', { image_alt: update.image_alt ?? '' }),
        },
      }),
      actionButton(view, `${path}/delete`, say('delete'), 'danger'),
    ],
  });
};

const updatePath = ({ id, petition_id: petitionId }: Pick<Update, 'id' | 'petition_id'>): string =>
  `${petitionPath({ id: petitionId }, 'updates')}/${id}`;

const readUpdate = (fields: Fields): UpdateInput =>
  readForm(UpdateInput, fields, ['title', 'body']);

const valuesOf = ({ title, body }: Pick<Update, 'title' | 'body'>): Fields => ({ title, body });

/** Shows the update as signers will see it, then posts it. */
const create: FormHandler<Ref> = async (view, { params, fields }) => {
  const { ctx, viewer } = view;
  const step = askedStep(fields);
  if (step === 'change') return showList(view, { params, query: {} }, { values: fields });
  const input = readUpdate(fields);
  const { petition, permissions: may } = await getOrganizedPetition(ctx, viewer.caller, params.id);
  if (step === 'show') {
    await saveUpdateDraft(ctx, viewer.caller, petition.id, input);
    return updatePreview(view, { petition, permissions: may }, input);
  }
  await postUpdate(ctx, viewer.caller, petition.id, input);
  await saveUpdateDraft(ctx, viewer.caller, petition.id, { title: '', body: '' });
  return `${petitionPath(petition, 'updates')}?done=posted`;
};

/** Keeps what draft.js sends while the creator writes, however short. */
const keepDraft: FormHandler<Ref> = async (view, { params, fields }) => {
  const draft = checkInput(UpdateDraftInput, {
    title: textOf(fields, 'title'),
    body: textOf(fields, 'body'),
  });
  await saveUpdateDraft(view.ctx, view.viewer.caller, params.id, draft);
  return draftSaved(view, petitionPath(params, 'updates'));
};

async function updatePreview(
  view: OwnView,
  { petition, permissions: may }: ManagedPetition,
  { title, body }: UpdateInput,
): Promise<RawAnswer> {
  const say = speak(updateTexts, view.language);
  return confirmationPage(view, petition, {
    current: 'updates',
    may,
    title: say('preview'),
    preview: html`<h3 dir="auto">${title}</h3>\n${markdownText(body, view.ctx.config)}`,
    reach: await signersTold(view, petition),
    action: petitionPath(petition, 'updates'),
    fields: { title, body },
    submit: say('post'),
  });
}

const change: FormHandler<UpdateRef> = async ({ ctx, viewer }, { params, fields }) => {
  const reference = { id: params.update };
  const unchanged = shownUnchanged(fields, valuesOf);
  const changes = readUpdate(fields);
  const update = await changeUpdate(ctx, viewer.caller, reference, changes, unchanged);
  return `${petitionPath({ id: update.petition_id }, 'updates')}?done=changed`;
};

const remove: FormHandler<UpdateRef> = async ({ ctx, viewer }, { params }) => {
  const { petition } = await getOrganizedPetition(ctx, viewer.caller, params.id);
  await deleteUpdate(ctx, viewer.caller, { id: params.update });
  return `${petitionPath(petition, 'updates')}?done=deleted`;
};

const setPicture =
  (pictureOwners: PictureOwners): FormHandler<UpdateRef> =>
  async (view, { params, fields }) => {
    const { petition } = await getOrganizedPetition(view.ctx, view.viewer.caller, params.id);
    const id = params.update;
    const page = updatePath({ id, petition_id: petition.id });
    return takePicture(view, pictureOwners, { fields, page, type: 'petition_update_image', id });
  };

/** Stores what the picture of the update shows, in words. */
const setAlt: FormHandler<UpdateRef> = async ({ ctx, viewer }, { params, fields }) => {
  const changes = readForm(UpdateChanges, fields, ['image_alt']);
  const update = await changeUpdate(ctx, viewer.caller, { id: params.update }, changes);
  return `${updatePath(update)}?done=changed`;
};

const removePicture: FormHandler<UpdateRef> = async ({ ctx, viewer }, { params: { update: id } }) =>
  updatePath(await changeUpdate(ctx, viewer.caller, { id }, { image_url: null }));
