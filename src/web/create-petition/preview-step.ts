import type { FirstProof } from '../../identity/first-proof/first-proof.ts';
import type { Route } from '../../platform/http/route.ts';
import { html, type Content, type Html } from '../../platform/html.ts';
import { formatNumber, speak } from '../../platform/pages/catalog.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { nameCategory } from '../../campaigns/categories/categories.ts';
import { publishPetition } from '../../campaigns/petitions/write.ts';
import { petitionPath } from '../dashboard/dashboard.ts';
import {
  actionForm,
  avatar,
  fullWidth,
  isOwnView,
  panel,
  pictureNotice,
  pictureStatus,
  responsiveImage,
  type OwnView,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { accountForms, accountPanel } from './account-panel.ts';
import { claimDraft, requireDraft, type Draft } from './drafts.ts';
import { draftRoute, stepPage, stepPath } from './step-layout.ts';
import { createPetitionTexts } from './texts.ts';

type Ref = { id: string };

/** The last step: the preview, and publishing; strangers open their account on the same page. */
export const previewStep = (site: Site, firstProof: FirstProof): Route[] => [
  ...site.page({
    id: 'showDraftPreview',
    closedToCrawlers: true,
    ...draftRoute('/preview'),
    show: previewPage,
    forms: accountForms(site, firstProof, publish),
  }),
  site.form({
    id: 'submitDraftPublishing',
    ...draftRoute('/publish'),
    access: 'user',
    act: (view, { params }) => publish(view, params.id),
  }),
];

/** Publishes a draft of the viewer, or asks for its review; an anonymous one becomes theirs first. */
async function publish(view: OwnView, id: string): Promise<string> {
  await claimDraft(view, id);
  const petition = await publishPetition(view.ctx, view.viewer.caller, id);
  return petition.status === 'active'
    ? pathOf`/p/${petition.slug}/published`
    : `${petitionPath(petition)}?done=review`;
}

/** The petition as readers will see it. */
const previewPage: PageHandler<Ref, View> = async (view, request) => {
  const { params, query } = request;
  const say = speak(createPetitionTexts, view.language);
  const draft = await requireDraft(view, params.id);
  if (typeof draft === 'string') return draft;
  const isReviewedFirst = view.ctx.site.current.moderation === 'pre';
  const hint = html`<p>${say('publish_hint')}</p>
${isReviewedFirst && html`<p>${say('publish_review')}</p>\n`}`;
  return stepPage(view, {
    id: draft.id,
    step: 'preview',
    main: html`<p class="quiet">${say('preview_hint')}</p>
${await uploadNotice(view, query)}${preview(view, await nameCategory(view.ctx, draft, view.language))}
${
  isOwnView(view)
    ? panel(say('publish'), [hint, publishButton(view, draft.id)])
    : await accountPanel(view, { request, draft, hint })
}<p><a href="${stepPath(draft.id, 'details')}">${say('back')}</a></p>`,
  });
};

const publishButton = (view: View, id: string): Html =>
  actionForm(view, {
    action: `${stepPath(id, 'text')}/publish`,
    submit: speak(createPetitionTexts, view.language)('publish'),
    buttonClass: 'large',
  });

/** The status of a picture that was sent with the step before. */
async function uploadNotice(view: View, query: Record<string, string>): Promise<Content> {
  const status = isOwnView(view) && (await pictureStatus(view, query));
  return status && status !== 'ready' && pictureNotice(view, { url: null, status });
}

function preview(view: View, draft: Draft): Html {
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
