import { html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { formatDay, speak } from '../../platform/pages/catalog.ts';
import { isPublished } from '../../campaigns/petitions/policy.ts';
import { listVersions } from '../../campaigns/petitions/list.ts';
import { showOwnPetition } from '../../campaigns/petitions/read.ts';
import { updatePetition } from '../../campaigns/petitions/write.ts';
import { PetitionUpdate, type Petition } from '../../campaigns/petitions/schema.ts';
import {
  checkInput,
  doneNotice,
  formAlert,
  formToken,
  nextLink,
  pageOf,
  pictureForm,
  pictureStatus,
  type Fields,
  type FormState,
  type OwnView,
  type PictureState,
} from '../site/site.ts';
import { petitionPage, petitionPath } from './frame.ts';
import {
  choicesFor,
  detailFields,
  detailsIn,
  textFields,
  textIn,
  unsettledIn,
  valuesOf,
} from './petition-fields.ts';
import { dashboardTexts, petitionTexts } from './texts.ts';

/** All that can be changed of a petition, and the texts that it had. */
export async function editPage(
  view: OwnView,
  ref: string,
  {
    query = {},
    state,
    picture,
  }: { query?: Record<string, string>; state?: FormState; picture?: Pick<PictureState, 'problem'> },
): Promise<RawAnswer> {
  const say = speak(dashboardTexts, view.language);
  const petition = await showOwnPetition(view.ctx, view.viewer.caller, ref);
  const shown = state ?? { values: valuesOf(petition) };
  const page = petitionPath(petition, 'edit');
  const settled = petition.published_at !== null;
  return petitionPage(view, petition, {
    current: 'edit',
    main: html`${doneNotice(say, query.done, ['done_saved', 'done_removed'])}${formAlert(view, shown)}<form method="post" action="${page}">${formToken(view)}
${textFields(view, shown)}${detailFields(view, shown, { ...(await choicesFor(view, petition)), settled })}<button>${view.say('save')}</button>
</form>
${pictureForm(view, {
  action: `/dashboard/petitions/${petition.id}/picture`,
  url: petition.image_url,
  status: await pictureStatus(view, query),
  ...picture,
})}${isPublished(petition) && (await versions(view, petition, query))}`,
  });
}

async function versions(
  view: OwnView,
  petition: Petition,
  query: Record<string, string>,
): Promise<Html | false> {
  const { ctx, viewer, language } = view;
  const say = speak(petitionTexts, language);
  const all = await listVersions(ctx, viewer.caller, petition.id, pageOf(query));
  const former = query.cursor ? all.items : all.items.slice(1);
  return html`<p class="hint">${say('versions_hint')}</p>
${
  former.length > 0 &&
  html`<h2>${say('versions')}</h2>
${former.map(
  (
    one,
  ) => html`<details><summary>${say('version', { day: formatDay(language, new Date(one.created_at)) })}</summary>
<p dir="auto"><strong>${one.title}</strong></p>
<p class="text" dir="auto">${one.description}</p></details>
`,
)}${nextLink(view, all)}`
}`;
}

/** Changes what the form changes. */
export async function saveEdit(
  { ctx, viewer, header }: OwnView,
  ref: string,
  fields: Fields,
): Promise<RawAnswer> {
  const before = await showOwnPetition(ctx, viewer.caller, ref);
  const input = checkInput(PetitionUpdate, {
    ...textIn(fields),
    ...detailsIn(fields),
    ...(before.published_at === null && unsettledIn(fields)),
  });
  const petition = await updatePetition(ctx, viewer.caller, ref, input);
  return redirectTo(header, `${petitionPath(petition, 'edit')}?done=saved`, 303);
}
