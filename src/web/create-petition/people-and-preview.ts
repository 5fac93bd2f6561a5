import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatNumber, speak } from '../../platform/pages/catalog.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { nameCategory } from '../../campaigns/categories/categories.ts';
import { addMaker, removeMaker } from '../../campaigns/decision-makers/decision-makers.ts';
import type { PictureOwners } from '../../campaigns/media/media.ts';
import { maxBytes } from '../../campaigns/media/schema.ts';
import { updatePetition } from '../../campaigns/petitions/write.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import {
  actionButton,
  makerFields,
  MakerParams,
  namedLabel,
  petitionAlt,
  readMaker,
  setPetitionAlt,
  setPetitionPicture,
} from '../dashboard/dashboard.ts';
import {
  avatar,
  doneNotice,
  panel,
  pictureForm,
  pictureStatus,
  postForm,
  stateOf,
  type FormHandler,
  type OwnView,
  type PageHandler,
  type Site,
  fullWidth,
  responsiveImage,
} from '../site/site.ts';
import { draftOf, draftRoute, stepPage, stepPath } from './step-layout.ts';
import { createPetitionTexts } from './texts.ts';

type Ref = { id: string };

/** The last two steps: picture and decision makers, and the preview. */
export const peopleAndPreviewRoutes = (site: Site, pictureOwners: PictureOwners): Route[] => [
  ...site.page({
    id: 'showDraftPeople',
    ...draftRoute('/people'),
    show: peoplePage,
    forms: {
      maker: { id: 'submitDraftMaker', once: true, act: addPerson },
      picture: {
        id: 'submitDraftPicture',
        path: '/start/{id}/picture',
        largestFile: maxBytes,
        act: setPetitionPicture(pictureOwners, peoplePath),
      },
      alt: {
        id: 'submitDraftPictureAlt',
        path: '/start/{id}/picture/alt',
        act: setPetitionAlt(peoplePath),
      },
    },
    buttons: [{ id: 'removeDraftPicture', path: '/start/{id}/picture/remove', act: removePicture }],
  }),
  site.form({
    id: 'submitDraftMakerRemoval',
    path: '/start/{id}/people/{maker}/remove',
    access: 'user',
    params: MakerParams,
    act: removePerson,
  }),
  ...site.page({ id: 'showDraftPreview', ...draftRoute('/preview'), show: previewPage }),
];

const peoplePath = (id: string) => stepPath(id, 'people');

/** The picture and the decision makers of a draft. */
const peoplePage: PageHandler<Ref> = async (view, request) => {
  const { query } = request;
  const say = speak(createPetitionTexts, view.language);
  const draft = await draftOf(view, request.params.id);
  if (typeof draft === 'string') return draft;
  const { id } = draft;
  const state = stateOf(request, 'maker');
  return stepPage(view, {
    id,
    step: 'people',
    main: [
      doneNotice(say, query.done, ['saved', 'done_added', 'done_removed']),
      pictureForm(view, {
        action: `/start/${id}/picture`,
        url: draft.image_url,
        status: await pictureStatus(view, query),
        problem: stateOf(request, 'picture').problem,
        alt: petitionAlt(request, draft),
      }),
      panel(
        say('makers'),
        [
          makersOf(view, draft),
          postForm(view, state, {
            action: peoplePath(id),
            once: true,
            fields: makerFields(view, state),
            submit: say('add'),
            buttonClass: 'second',
          }),
        ],
        'makers',
      ),
      html`<p class="row"><a class="button" href="${stepPath(id, 'preview')}">${say('go_on')}</a> <a href="${stepPath(id, 'details')}">${say('back')}</a></p>`,
    ],
  });
};

const makersOf = (view: OwnView, { id, decision_makers: makers }: Petition): Html | false =>
  makers.length > 0 &&
  html`<ul class="list">
${makers.map(
  (maker) =>
    html`<li class="row between"><span><bdi>${maker.name}</bdi> <bdi class="quiet">${maker.title}</bdi></span> ${actionButton(view, `/start/${id}/people/${maker.id}/remove`, namedLabel(view.say('remove'), maker.name), 'danger')}</li>\n`,
)}</ul>\n`;

const addPerson: FormHandler<Ref> = async ({ ctx, viewer }, { params: { id }, fields }) => {
  await addMaker(ctx, viewer.caller, id, readMaker(fields));
  return `${peoplePath(id)}?done=added#makers`;
};

const removePerson: FormHandler<MakerParams> = async (
  { ctx, viewer },
  { params: { id, maker } },
) => {
  await removeMaker(ctx, viewer.caller, { ref: id, makerId: maker });
  return `${peoplePath(id)}?done=removed#makers`;
};

const removePicture: FormHandler<Ref> = async ({ ctx, viewer }, { params }) => {
  const { id } = await updatePetition(ctx, viewer.caller, params.id, { imageUrl: null });
  return `${peoplePath(id)}?done=removed`;
};

/** The petition as readers will see it. */
const previewPage: PageHandler<Ref> = async (view, { params }) => {
  const say = speak(createPetitionTexts, view.language);
  const draft = await draftOf(view, params.id);
  if (typeof draft === 'string') return draft;
  const isReviewedFirst = view.ctx.config.moderation === 'pre';
  return stepPage(view, {
    id: draft.id,
    step: 'preview',
    main: html`<p class="quiet">${say('preview_hint')}</p>
${preview(view, await nameCategory(view.ctx, draft, view.language))}
${panel(
  say('publish'),
  html`<p>${say('publish_hint')}</p>
${isReviewedFirst && html`<p>${say('publish_review')}</p>\n`}${actionButton(view, `/dashboard/petitions/${draft.id}/publish`, say('publish'), 'large')}`,
)}<p><a href="${stepPath(draft.id, 'people')}">${say('back')}</a></p>`,
  });
};

function preview(view: OwnView, draft: Petition): Html {
  const say = speak(createPetitionTexts, view.language);
  const {
    creator,
    image_url: image,
    image_alt: alt,
    signature_goal: goal,
    decision_makers: makers,
  } = draft;
  const attributes = languageAttributes(draft.language, view.language);
  const { category, location_city: city, location_region: region, tags } = draft;
  const labels = [category?.name ?? null, city, region, ...tags].filter((label) => label !== null);
  return html`<article class="panel preview">
${image && html`${responsiveImage(view, image, { sizes: `(min-width: 44rem) 39rem, ${fullWidth}`, loading: 'eager', alt })}\n`}<h2${attributes}>${draft.title}</h2>
${creator && html`<p class="row">${avatar(view, creator)} <bdi>${creator.display_name}</bdi></p>\n`}${
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
${markdownText(draft.description, view.ctx.config, { attributes })}
${labels.length > 0 && html`<p class="row">${labels.map((label) => html`<span class="badge" dir="auto">${label}</span> `)}</p>\n`}</article>`;
}
