import type { PictureOwners } from '../../campaigns/media/media.ts';
import { maxBytes } from '../../campaigns/media/schema.ts';
import type { DecisionMakerInput } from '../../campaigns/petitions/schema.ts';
import { FormFile } from '../../platform/http/bodies.ts';
import { attribute, html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { validationFailed, Problem } from '../../platform/problems.ts';
import {
  detailFields,
  detailNames,
  makerFields,
  namedLabel,
  readChanges,
  readMaker,
  setPetitionPicture,
  valuesOf,
} from '../dashboard/dashboard.ts';
import {
  doneNotice,
  isOwnView,
  pictureFields,
  pictureStatus,
  stateOf,
  storePicture,
  textOf,
  type Fields,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { changeDraft, claimDraft, requireDraft, type Draft } from './drafts.ts';
import { similarTo } from './similar.ts';
import { afterSaving, draftForm, draftRoute, stepPage, stepPath } from './step-layout.ts';
import { createPetitionTexts } from './texts.ts';

type Ref = { id: string };

/** The second step, all of it optional: picture, decision makers and details, in one form. */
export const detailsStep = (site: Site, pictureOwners: PictureOwners): Route[] => [
  ...site.page({
    id: 'showDraftDetails',
    closedToCrawlers: true,
    ...draftRoute('/details'),
    show: detailsPage,
    forms: {
      details: { id: 'submitDraftDetails', largestFile: maxBytes, act: saveDetails(pictureOwners) },
    },
  }),
  // Scripts send a picture as soon as it is chosen.
  site.form({
    id: 'submitDraftPicture',
    path: draftRoute('/picture').path,
    params: draftRoute('').params,
    access: 'user',
    largestFile: maxBytes,
    act: async (view, request) => {
      await claimDraft(view, request.params.id);
      return setPetitionPicture(pictureOwners, (id) => stepPath(id, 'details'))(view, request);
    },
  }),
];

const makerNames = ['name', 'title', 'email'] as const;

const detailsPage: PageHandler<Ref, View> = async (view, request) => {
  const { params, query } = request;
  const say = speak(createPetitionTexts, view.language);
  const draft = await requireDraft(view, params.id);
  if (typeof draft === 'string') return draft;
  // The field `title` here is that of a decision maker.
  const stored = { ...valuesOf(draft), title: '', imageAlt: draft.image_alt ?? '' };
  const state = stateOf(request, 'details', stored);
  const [category, ...more] = await detailFields(view, state, draft);
  return stepPage(view, {
    id: draft.id,
    step: 'details',
    main: [
      doneNotice(say, query.done, ['saved', 'done_added', 'done_removed']),
      await similarTo(view, draft),
      html`<p class="quiet">${say('details_intro')}</p>\n`,
      draftForm(view, state, {
        action: stepPath(draft.id, 'details'),
        isMultipart: true,
        fields: [
          await pictureSection(view, draft, { state, query }),
          makersSection(view, draft, state),
          category,
          html`<details${attribute('open', state.problem !== undefined)}><summary>${say('more_details')}</summary>
${more}</details>\n`,
        ],
      }),
    ],
  });
};

/** Pictures belong to accounts, so strangers are asked to log in for one. */
async function pictureSection(
  view: View,
  draft: Draft,
  { state, query }: { state: FormState; query: Record<string, string> },
): Promise<Html> {
  const say = speak(createPetitionTexts, view.language);
  if (!isOwnView(view)) {
    const next = encodeURIComponent(stepPath(draft.id, 'details'));
    return html`<section class="panel" id="picture"><h2>${say('picture')}</h2>
<p>${say('picture_later')} <a rel="nofollow" href="/login?next=${next}">${view.say('log_in')}</a></p></section>\n`;
  }
  return pictureFields(view, {
    uploadAt: `${stepPath(draft.id, 'text')}/picture`,
    url: draft.image_url,
    status: await pictureStatus(view, query),
    state,
    removeValue: 'remove_picture',
  });
}

function makersSection(view: View, { decision_makers: makers }: Draft, state: FormState): Html {
  const say = speak(createPetitionTexts, view.language);
  return html`<section class="panel" id="makers"><h2>${say('makers')}</h2>
<p class="hint">${say('makers_hint')}</p>
${
  makers.length > 0 &&
  html`<ul class="list">
${makers.map(
  ({ id, name, title }) =>
    html`<li class="row between"><span><bdi>${name}</bdi> <bdi class="quiet">${title}</bdi></span> <button class="danger" name="go" value="remove ${id}" formnovalidate>${namedLabel(view.say('remove'), name)}</button></li>\n`,
)}</ul>\n`
}${makerFields(view, state, { isOptional: true })}<button class="second" name="go" value="maker">${say('add')}</button></section>\n`;
}

/** Stores everything on the page, whichever button was pressed; draft.js sends neither picture nor decision maker. */
const saveDetails =
  (pictureOwners: PictureOwners): FormHandler<Ref, View> =>
  async (view, { params: { id }, fields }) => {
    const draft = await requireDraft(view, id);
    if (typeof draft === 'string') return draft;
    const go = textOf(fields, 'go');
    const file = chosenFile(fields);
    const [details, maker] = readAll(
      () => readChanges(fields, detailNames(draft)),
      () => (go === 'autosave' ? undefined : typedMaker(fields)),
    );
    const removedMaker = /^remove ([\da-f-]{36})$/.exec(go)?.[1];
    const alt = draft.image_url && !file ? { imageAlt: textOf(fields, 'imageAlt') || null } : {};
    const picture = go === 'remove_picture' ? { imageUrl: null } : alt;
    await changeDraft(view, id, { details: { ...details, ...picture }, maker, removedMaker });
    const at = stepPath(id, 'details');
    const uploaded = file && isOwnView(view) && (await upload(view, pictureOwners, id, fields));
    const status = uploaded ? `?${uploaded}` : '';
    if (go === 'maker') return `${at}?done=added#makers`;
    if (removedMaker) return `${at}?done=removed#makers`;
    if (go === 'remove_picture') return `${at}?done=removed#picture`;
    const next = `${stepPath(id, 'preview')}${status}`;
    return afterSaving(view, fields, { saved: at, next, skip: next });
  };

/** Stores the picture; returns the query by which the next page shows its status. */
async function upload(
  view: OwnView,
  pictureOwners: PictureOwners,
  id: string,
  { file, imageAlt }: Fields,
): Promise<string> {
  const fields = { file, image_alt: imageAlt };
  const media = await storePicture(view, pictureOwners, { fields, type: 'petition_image', id });
  return new URLSearchParams({ media: media.id, of: 'picture' }).toString();
}

/** The file of the form; browsers send an empty one where none was chosen. */
function chosenFile({ file }: Fields): FormFile | undefined {
  return file instanceof FormFile && file.size > 0 ? file : undefined;
}

const typedMaker = (fields: Fields): DecisionMakerInput | undefined =>
  makerNames.some((name) => textOf(fields, name) !== '') ? readMaker(fields) : undefined;

/** Reads parts of a form, and reports the errors of all of them together. */
function readAll<A, B>(first: () => A, second: () => B): [A, B] {
  const errors: NonNullable<Problem['errors']>[number][] = [];
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Problem) || !error.errors) throw error;
      errors.push(...error.errors);
      return undefined;
    }
  };
  const parts = [attempt(first), attempt(second)];
  if (errors.length > 0) throw validationFailed(...errors);
  return parts as [A, B];
}
