import { html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { formatNumber, speak } from '../../platform/pages/catalog.ts';
import type { Problem } from '../../platform/problems.ts';
import { addMaker, removeMaker } from '../../campaigns/decision-makers/decision-makers.ts';
import { DecisionMakerInput, type Petition } from '../../campaigns/petitions/schema.ts';
import { actionButton, makerFields, makerIn } from '../dashboard/dashboard.ts';
import {
  avatar,
  checkInput,
  doneNotice,
  formAlert,
  onceToken,
  pictureForm,
  pictureStatus,
  type Fields,
  type FormState,
  type OwnView,
} from '../site/site.ts';
import { draftOf, stepAt, stepPage } from './frame.ts';
import { createPetitionTexts } from './texts.ts';

/** The third step: a picture, and those who can decide. */
export async function peoplePage(
  view: OwnView,
  ref: string,
  {
    query = {},
    state = { values: {} },
    picture,
  }: { query?: Record<string, string>; state?: FormState; picture?: { problem: Problem } } = {},
): Promise<RawAnswer> {
  const say = speak(createPetitionTexts, view.language);
  const draft = await draftOf(view, ref);
  if ('body' in draft) return draft;
  const page = stepAt(draft.id, 'people');
  return stepPage(view, {
    id: draft.id,
    step: 'people',
    main: html`${doneNotice(say, query.done, ['done_added', 'done_removed'])}${pictureForm(view, {
      action: `/start/${draft.id}/picture`,
      url: draft.image_url,
      status: await pictureStatus(view, query),
      ...picture,
    })}<section class="panel" id="makers"><h2>${say('makers')}</h2>
${makersOf(view, draft)}${formAlert(view, state)}<form method="post" action="${page}">${onceToken(view)}
${makerFields(view, state)}<button class="second">${say('add')}</button>
</form></section>
<p class="row"><a class="button" href="${stepAt(draft.id, 'preview')}">${say('go_on')}</a> <a href="${stepAt(draft.id, 'details')}">${say('back')}</a></p>`,
  });
}

function makersOf(view: OwnView, { id, decision_makers: makers }: Petition): Html | false {
  return (
    makers.length > 0 &&
    html`<ul class="list">
${makers.map(
  (one) =>
    html`<li class="row between"><span><bdi>${one.name}</bdi> <bdi class="quiet">${one.title}</bdi></span> ${actionButton(view, `/start/${id}/people/${one.id}/remove`, html`${view.say('remove')}<span class="visually-hidden" dir="auto"> ${one.name}</span>`, 'danger')}</li>\n`,
)}</ul>\n`
  );
}

export async function addPerson(
  { ctx, viewer, header }: OwnView,
  ref: string,
  fields: Fields,
): Promise<RawAnswer> {
  await addMaker(ctx, viewer.caller, ref, checkInput(DecisionMakerInput, makerIn(fields)));
  return redirectTo(header, `${stepAt(ref, 'people')}?done=added#makers`, 303);
}

export async function removePerson(
  { ctx, viewer, header }: OwnView,
  { ref, id }: { ref: string; id: string },
): Promise<RawAnswer> {
  await removeMaker(ctx, viewer.caller, { ref, makerId: id });
  return redirectTo(header, `${stepAt(ref, 'people')}?done=removed#makers`, 303);
}

/** The last step: the petition as readers will see it. */
export async function previewPage(view: OwnView, ref: string): Promise<RawAnswer> {
  const { ctx } = view;
  const say = speak(createPetitionTexts, view.language);
  const draft = await draftOf(view, ref);
  if ('body' in draft) return draft;
  const reviewed = ctx.config.moderation === 'pre';
  return stepPage(view, {
    id: draft.id,
    step: 'preview',
    main: html`<p class="quiet">${say('preview_hint')}</p>
${preview(view, draft)}
<section class="panel"><h2>${say('publish')}</h2>
<p>${say('publish_hint')}</p>
${reviewed && html`<p>${say('publish_review')}</p>\n`}${actionButton(view, `/dashboard/petitions/${draft.id}/publish`, say('publish'), 'large')}</section>
<p><a href="${stepAt(draft.id, 'people')}">${say('back')}</a></p>`,
  });
}

function preview(view: OwnView, draft: Petition): Html {
  const say = speak(createPetitionTexts, view.language);
  const { creator, image_url: image, signature_goal: goal, decision_makers: makers } = draft;
  const place = [draft.location_city, draft.location_region].filter((one) => one !== null);
  const labels = [draft.category?.name ?? null, ...place, ...draft.tags].filter(
    (one) => one !== null,
  );
  return html`<article class="panel preview">
${image && html`<img src="${image}" alt="" referrerpolicy="no-referrer">\n`}<h2 dir="auto">${draft.title}</h2>
${creator && html`<p class="row">${avatar(creator)} <bdi>${creator.display_name}</bdi></p>\n`}${
    makers.length > 0 &&
    html`<p>${say('addressed', {
      names: makers.map(
        ({ name, title }, index) =>
          html`${index > 0 && ' · '}<bdi>${name}</bdi>${title !== null && html` (<bdi>${title}</bdi>)`}`,
      ),
    })}</p>\n`
  }<p class="number"><strong>${view.say('signatures', { count: 0 })}</strong> ${
    goal !== null && view.say('of_goal', { goal: formatNumber(view.language, goal) })
  }</p>
<p class="text" dir="auto">${draft.description}</p>
${labels.length > 0 && html`<p class="row">${labels.map((one) => html`<span class="badge" dir="auto">${one}</span> `)}</p>\n`}</article>`;
}
