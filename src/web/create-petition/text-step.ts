import { listAnonymousDrafts } from '../../campaigns/anonymous-drafts/anonymous-drafts.ts';
import { PetitionInput } from '../../campaigns/petitions/schema.ts';
import { ownOrganization } from '../../identity/organizations/organizations.ts';
import type { Organization } from '../../identity/organizations/schema.ts';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { undefinedIfRefused } from '../../platform/problems.ts';
import {
  actionButton,
  namedLabel,
  textFields,
  textNames,
  valuesOf,
} from '../dashboard/dashboard.ts';
import {
  callerOf,
  doneNotice,
  readForm,
  stateOf,
  textOf,
  type FormHandler,
  type FormState,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { draftToken, ensureDraftToken } from './draft-cookie.ts';
import { discardDraft, findDraft, saveText } from './drafts.ts';
import { similarPanel } from './similar.ts';
import { afterSaving, draftForm, draftRoute, stepPage, stepPath } from './step-layout.ts';
import { createPetitionTexts } from './texts.ts';
import { writingHelp } from './writing-help.ts';

type Ref = { id: string };

/** The first step: the text of a new draft, or of one that is stored. Its form chooses the id of a new one. */
export const textStep = (site: Site): Route[] => [
  ...site.page({
    id: 'showStart',
    closedToCrawlers: ['organization'],
    path: '/start',
    access: 'anyone',
    show: newDraftPage,
  }),
  ...site.page({
    id: 'showDraftText',
    closedToCrawlers: true,
    ...draftRoute(''),
    show: textPage,
    forms: { text: { id: 'submitDraftText', act: changeText } },
  }),
  site.form({
    id: 'submitDraftDeletion',
    ...draftRoute('/delete'),
    act: async (view, { params }) => {
      await discardDraft(view, params.id);
      return '/start';
    },
  }),
];

const newDraftPage: PageHandler<{}, View> = async (view, { query }) => {
  const unfinished = await unfinishedDrafts(view);
  if (!view.viewer) await ensureDraftToken(view);
  const organization = await namedOrganization(view, query.organization);
  return textForm(view, {
    id: newId(),
    isNew: true,
    state: { values: {} },
    above: unfinished,
    organization,
  });
};

/** The text of a draft that is stored, or of a new one whose form was refused. */
const textPage: PageHandler<Ref, View> = async (view, request) => {
  const { params, query, refused } = request;
  const draft = await findDraft(view, params.id);
  if (typeof draft === 'string') return draft;
  if (!draft && !refused) return '/start';
  const say = speak(createPetitionTexts, view.language);
  const state = stateOf(request, 'text', draft && valuesOf(draft));
  return textForm(view, {
    id: params.id,
    isNew: draft === undefined,
    state,
    above: doneNotice(say, query.done, ['saved']),
    organization: draft ? undefined : await typedOrganization(view, state),
  });
};

interface TextForm {
  id: string;
  isNew: boolean;
  state: FormState;
  above: Html | false | undefined;
  organization: Organization | undefined;
}

function textForm(view: View, { id, isNew, state, above, organization }: TextForm) {
  const say = speak(createPetitionTexts, view.language);
  const [title, description] = textFields(view, state);
  return stepPage(view, {
    id: isNew ? undefined : id,
    step: 'text',
    main: html`${above}<p class="quiet">${say('intro')}</p>
${writingHelp(view)}${draftForm(view, state, {
      action: stepPath(id, 'text'),
      fields: [
        organization && organizationField(view, organization),
        title,
        similarPanel(view),
        description,
      ],
      canSkip: true,
    })}`,
  });
}

function organizationField(view: View, { id, name }: Organization): Html {
  const say = speak(createPetitionTexts, view.language);
  return html`<p class="notice">${say('for_organization', { name: html`<bdi>${name}</bdi>` })}</p>
<input type="hidden" name="orgId" value="${id}">\n`;
}

/** The viewer's organization that the address names. */
async function namedOrganization(
  view: View,
  ref: string | undefined,
): Promise<Organization | undefined> {
  const caller = view.ctx.site.current.modules.organizations && callerOf(view);
  return ref && caller ? (await ownOrganization(view.ctx, caller, ref)).organization : undefined;
}

/** The organization of a refused form, if the viewer is still its member. */
const typedOrganization = (view: View, { values }: FormState): Promise<Organization | undefined> =>
  namedOrganization(view, textOf(values, 'orgId')).catch(undefinedIfRefused);

/** Links to what the browser wrote without an account. */
async function unfinishedDrafts(view: View): Promise<Html | false> {
  const token = await draftToken(view);
  const drafts = token === undefined ? [] : await listAnonymousDrafts(view.ctx, token);
  const say = speak(createPetitionTexts, view.language);
  return (
    drafts.length > 0 &&
    html`<aside class="panel"><h2>${say('unfinished')}</h2>
<p class="hint">${say('unfinished_hint')}</p>
<ul class="list">
${drafts.map(
  ({ id, title }) =>
    html`<li class="row between"><a href="${stepPath(id, 'text')}" dir="auto">${title}</a> ${actionButton(view, `${stepPath(id, 'text')}/delete`, namedLabel(say('discard'), title))}</li>\n`,
)}</ul></aside>\n`
  );
}

const changeText: FormHandler<Ref, View> = async (view, { params: { id }, fields }) => {
  const names = view.viewer ? ([...textNames, 'orgId'] as const) : textNames;
  await saveText(view, id, readForm(PetitionInput, fields, names));
  return afterSaving(view, fields, {
    saved: stepPath(id, 'text'),
    next: stepPath(id, 'details'),
    skip: stepPath(id, 'preview'),
  });
};
