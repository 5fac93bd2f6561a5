import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { htmlType } from '../../platform/pages/page.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { createPetition, updatePetition } from '../../campaigns/petitions/write.ts';
import { ownOrganization } from '../../identity/organizations/organizations.ts';
import type { Organization } from '../../identity/organizations/schema.ts';
import { PetitionInput, type Petition } from '../../campaigns/petitions/schema.ts';
import {
  detailFields,
  detailNames,
  readChanges,
  textFields,
  textNames,
  valuesOf,
} from '../dashboard/dashboard.ts';
import {
  doneNotice,
  readForm,
  stateOf,
  textOf,
  type Fields,
  type FormHandler,
  type FormState,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import { similarPetitions } from '../../reach/search/search.ts';
import { Problem } from '../../platform/problems.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { draftForm, draftOf, draftRoute, stepPage, stepPath } from './step-layout.ts';
import { createPetitionTexts } from './texts.ts';

type Ref = { id: string };

/** The first two steps: the text and the details of a draft. */
export const textAndDetailsRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showStart',
    path: '/start',
    access: 'user',
    show: textPage,
    forms: { text: { id: 'submitStart', once: true, act: createDraft } },
  }),
  ...site.page({
    id: 'showDraftText',
    ...draftRoute(''),
    show: textPage,
    forms: { text: { id: 'submitDraftText', act: changeText } },
  }),
  ...site.page({
    id: 'showDraftDetails',
    ...draftRoute('/details'),
    show: detailsPage,
    forms: { details: { id: 'submitDraftDetails', act: changeDetails } },
  }),
];

/** The text of a draft, or of a new petition. */
const textPage: PageHandler<Partial<Ref>> = async (view, request) => {
  const { params, query } = request;
  const say = speak(createPetitionTexts, view.language);
  const draft = params.id === undefined ? undefined : await draftOf(view, params.id);
  if (typeof draft === 'string') return draft;
  const state = stateOf(request, 'text', draft && valuesOf(draft));
  const organization = draft ? undefined : await chosenOrganization(view, query, state);
  return stepPage(view, {
    id: draft?.id,
    step: 'text',
    main: html`${doneNotice(say, query.done, ['saved'])}<p class="quiet">${say('intro')}</p>
${draftForm(view, state, {
  action: stepPath(draft?.id, 'text'),
  once: draft === undefined,
  fields: [organization && organizationField(view, organization), ...textFields(view, state)],
})}`,
  });
};

function organizationField(view: OwnView, { id, name }: Organization): Html {
  const say = speak(createPetitionTexts, view.language);
  return html`<p class="notice">${say('for_organization', { name: html`<bdi>${name}</bdi>` })}</p>
<input type="hidden" name="orgId" value="${id}">\n`;
}

/**
 * The organization of a new draft: the one that the address names, or the one in the refused form if the viewer is
 * still its member.
 */
async function chosenOrganization(
  { ctx, viewer }: OwnView,
  { organization: ref }: Record<string, string>,
  { values }: FormState,
): Promise<Organization | undefined> {
  if (ref) return (await ownOrganization(ctx, viewer.caller, ref)).organization;
  const orgId = textOf(values, 'orgId');
  if (!orgId) return undefined;
  const own = await ownOrganization(ctx, viewer.caller, orgId).catch(undefinedIfRefused);
  return own?.organization;
}

function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

const createDraft: FormHandler = async (view, { fields }) => {
  const input = readForm(PetitionInput, fields, [...textNames, 'orgId']);
  const { id } = await createPetition(view.ctx, view.viewer.caller, input);
  return afterSaving(view, fields, { saved: stepPath(id, 'text'), next: stepPath(id, 'details') });
};

const changeText: FormHandler<Ref> = async (view, { params, fields }) => {
  const changes = readChanges(fields, textNames);
  const { id } = await updatePetition(view.ctx, view.viewer.caller, params.id, changes);
  return afterSaving(view, fields, { saved: stepPath(id, 'text'), next: stepPath(id, 'details') });
};

const detailsPage: PageHandler<Ref> = async (view, request) => {
  const say = speak(createPetitionTexts, view.language);
  const draft = await draftOf(view, request.params.id);
  if (typeof draft === 'string') return draft;
  const state = stateOf(request, 'details', valuesOf(draft));
  return stepPage(view, {
    id: draft.id,
    step: 'details',
    main: [
      doneNotice(say, request.query.done, ['saved']),
      await similar(view, draft),
      draftForm(view, state, {
        action: stepPath(draft.id, 'details'),
        fields: await detailFields(view, state, draft),
      }),
    ],
  });
};

/** Petitions like the draft; nothing if search is not available. */
async function similar(view: OwnView, { title }: Petition): Promise<Html | false> {
  const { ctx, viewer, headers, language } = view;
  const say = speak(createPetitionTexts, language);
  const acceptLanguage = headers['accept-language'];
  const found = await similarPetitions(ctx, { title, acceptLanguage }).catch(undefinedIfRefused);
  const others = (found ?? []).filter(({ creator }) => creator?.id !== viewer.user.id);
  return (
    others.length > 0 &&
    html`<aside class="panel"><h2>${say('similar')}</h2>
<p class="hint">${say('similar_hint')}</p>
<ul>
${others.map(
  ({ slug, title: otherTitle, language: itsLanguage, signature_count: count }) =>
    html`<li><a href="/p/${slug}"${languageAttributes(itsLanguage, language)}>${otherTitle}</a> <span class="quiet small">${view.say('signatures', { count })}</span></li>\n`,
)}</ul></aside>\n`
  );
}

const changeDetails: FormHandler<Ref> = async (view, { params, fields }) => {
  const draft = await draftOf(view, params.id);
  if (typeof draft === 'string') return draft;
  const changes = readChanges(fields, detailNames(draft));
  const { id } = await updatePetition(view.ctx, view.viewer.caller, draft.id, changes);
  return afterSaving(view, fields, {
    saved: stepPath(id, 'details'),
    next: stepPath(id, 'people'),
  });
};

/** The path of the next page; for a save by `draft.js`, an answer with the path of the saved step. */
function afterSaving(
  { header }: OwnView,
  fields: Fields,
  { saved, next }: { saved: string; next: string },
): RawAnswer | string {
  const go = textOf(fields, 'go');
  if (go === 'stay') return `${saved}?done=saved`;
  if (go !== 'autosave') return next;
  header('content-location', saved);
  header('cache-control', 'no-store');
  return { mediaType: htmlType, body: '' };
}
