import { html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { isUuid } from '../../platform/ids.ts';
import { formatAgo, speak } from '../../platform/pages/catalog.ts';
import { notFound } from '../../platform/problems.ts';
import { showOwnPetition } from '../../campaigns/petitions/petitions.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { UpdateInput, type Update } from '../../campaigns/updates/schema.ts';
import {
  changeUpdate,
  deleteUpdate,
  getUpdate,
  listUpdates,
  postUpdate,
} from '../../campaigns/updates/updates.ts';
import {
  checkInput,
  doneNotice,
  field,
  formAlert,
  formToken,
  given,
  nextLink,
  onceToken,
  pageOf,
  pictureForm,
  pictureStatus,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
  type PictureState,
  type View,
} from '../site/site.ts';
import { actionButton, petitionPage, petitionPath } from './frame.ts';
import { updateTexts } from './update-texts.ts';

/** What was told to those who signed, and a form for more. */
export async function updatesPage(
  view: OwnView,
  ref: string,
  query: Record<string, string>,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(updateTexts, view.language);
  const petition = await showOwnPetition(ctx, viewer.caller, ref);
  const page = await listUpdates(ctx, viewer.caller, petition.id, pageOf(query));
  return petitionPage(view, petition, {
    current: 'updates',
    main: html`${doneNotice(say, query.done, ['done_posted', 'done_changed', 'done_deleted'])}${formAlert(view, state)}<form class="panel" method="post" action="${petitionPath(petition, 'updates')}">${onceToken(view)}
<h2>${say('write')}</h2>
<p class="hint">${say('write_hint')}</p>
${updateFields(view, state)}<button>${say('post')}</button>
</form>
${page.items.length > 0 && html`<ul class="list">\n${page.items.map((one) => listItem(view, petition, one))}</ul>`}
${nextLink(view, page)}`,
  });
}

function updateFields(view: View, state: FormState): Html {
  const say = speak(updateTexts, view.language);
  return html`${field(view, state, {
    name: 'title',
    label: say('title'),
    required: true,
    maxLength: 200,
  })}${field(view, state, {
    name: 'body',
    label: say('body'),
    type: 'textarea',
    rows: 6,
    required: true,
    maxLength: 10_000,
  })}`;
}

function listItem(view: View, petition: Petition, update: Update): Html {
  const say = speak(updateTexts, view.language);
  const when = formatAgo(view.language, new Date(update.created_at), view.ctx.now());
  return html`<li><h3><a dir="auto" href="${petitionPath(petition, 'updates')}/${update.id}">${update.title}</a></h3>
<p class="small quiet">${say('posted', { when })}</p>
<p class="clamp" dir="auto">${update.body.slice(0, 400)}</p></li>\n`;
}

/** One update, to be changed or deleted. */
export async function updatePage(
  view: OwnView,
  { ref, id }: { ref: string; id: string },
  {
    query = {},
    state,
    picture,
  }: { query?: Record<string, string>; state?: FormState; picture?: Pick<PictureState, 'problem'> },
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(updateTexts, view.language);
  const petition = await showOwnPetition(ctx, viewer.caller, ref);
  const update = await updateOf(view, petition, id);
  const shown = state ?? { values: { title: update.title, body: update.body } };
  const page = `${petitionPath(petition, 'updates')}/${update.id}`;
  return petitionPage(view, petition, {
    current: 'updates',
    main: html`<h2>${say('change')}</h2>
${formAlert(view, shown)}<form method="post" action="${page}">${formToken(view)}
${updateFields(view, shown)}<button>${view.say('save')}</button>
</form>
${pictureForm(view, {
  action: `${page}/picture`,
  url: update.image_url,
  status: await pictureStatus(view, query),
  ...picture,
})}${actionButton(view, `${page}/delete`, say('delete'), 'danger')}`,
  });
}

/** @throws {Problem} not-found where it is of another petition */
async function updateOf({ ctx, viewer }: OwnView, petition: Petition, id: string): Promise<Update> {
  if (!isUuid(id)) throw notFound('update');
  const update = await getUpdate(ctx, viewer.caller, { id });
  if (update.petition_id !== petition.id) throw notFound('update');
  return update;
}

const updateIn = (fields: Fields) =>
  given({ title: textOf(fields, 'title'), body: textOf(fields, 'body') });

export async function post(
  { ctx, viewer, header }: OwnView,
  ref: string,
  fields: Fields,
): Promise<RawAnswer> {
  const input = checkInput(UpdateInput, updateIn(fields));
  const { petition_id: id } = await postUpdate(ctx, viewer.caller, ref, input);
  return redirectTo(header, `${petitionPath({ id }, 'updates')}?done=posted`, 303);
}

export async function change(
  { ctx, viewer, header }: OwnView,
  id: string,
  fields: Fields,
): Promise<RawAnswer> {
  const input = checkInput(UpdateInput, updateIn(fields));
  const update = await changeUpdate(ctx, viewer.caller, { id }, input);
  return redirectTo(
    header,
    `${petitionPath({ id: update.petition_id }, 'updates')}?done=changed`,
    303,
  );
}

export async function takeDown(
  { ctx, viewer, header }: OwnView,
  { ref, id }: { ref: string; id: string },
): Promise<RawAnswer> {
  const petition = await showOwnPetition(ctx, viewer.caller, ref);
  await deleteUpdate(ctx, viewer.caller, { id });
  return redirectTo(header, `${petitionPath(petition, 'updates')}?done=deleted`, 303);
}

/** Takes an update's picture away. */
export async function removeUpdatePicture(
  { ctx, viewer, header }: OwnView,
  id: string,
): Promise<RawAnswer> {
  const update = await changeUpdate(ctx, viewer.caller, { id }, { image_url: null });
  return redirectTo(header, `${petitionPath({ id: update.petition_id }, 'updates')}/${id}`, 303);
}
