import { html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { htmlType } from '../../platform/pages/page.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { createPetition, updatePetition } from '../../campaigns/petitions/write.ts';
import { ownOrganization } from '../../identity/organizations/organizations.ts';
import type { Organization } from '../../identity/organizations/schema.ts';
import { PetitionInput, PetitionUpdate, type Petition } from '../../campaigns/petitions/schema.ts';
import {
  choicesFor,
  detailFields,
  detailsIn,
  textFields,
  textIn,
  unsettledIn,
  valuesOf,
} from '../dashboard/dashboard.ts';
import {
  checkInput,
  doneNotice,
  formAlert,
  formToken,
  given,
  onceToken,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
} from '../site/site.ts';
import { similarPetitions } from '../../reach/search/search.ts';
import { Problem } from '../../platform/problems.ts';
import { draftOf, savingStatus, savingTexts, stepAt, stepPage } from './frame.ts';
import { createPetitionTexts } from './texts.ts';

interface Showing {
  query?: Record<string, string>;
  state?: FormState;
}

/** The first step: what the petition says. */
export async function textPage(
  view: OwnView,
  ref: string | undefined,
  { query = {}, state }: Showing = {},
): Promise<RawAnswer> {
  const say = speak(createPetitionTexts, view.language);
  const draft = ref === undefined ? undefined : await draftOf(view, ref);
  if (draft && 'body' in draft) return draft;
  const shown = state ?? { values: draft ? valuesOf(draft) : {} };
  const organization = draft ? undefined : await chosenOrganization(view, query, shown);
  return stepPage(view, {
    id: draft?.id,
    step: 'text',
    main: html`${doneNotice(say, query.done, ['saved'])}<p class="quiet">${say('intro')}</p>
${formAlert(view, shown)}<form method="post" action="${stepAt(draft?.id, 'text')}"${savingTexts(view)}>${onceToken(view)}
${
  organization &&
  html`<p class="notice">${say('for_organization', { name: html`<bdi>${organization.name}</bdi>` })}</p>
<input type="hidden" name="orgId" value="${organization.id}">\n`
}${textFields(view, shown)}${savingStatus}${buttons(view)}</form>`,
  });
}

/**
 * For whom a new draft is: the organization that the address names; or that the form held, where the viewer
 * is its member still.
 */
async function chosenOrganization(
  { ctx, viewer }: OwnView,
  { organization: named }: Record<string, string>,
  { values }: FormState,
): Promise<Organization | undefined> {
  if (named) return (await ownOrganization(ctx, viewer.caller, named)).organization;
  const held = textOf(values, 'orgId');
  if (!held) return undefined;
  const found = await ownOrganization(ctx, viewer.caller, held).catch(noneIfRefused);
  return found?.organization;
}

function noneIfRefused(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

function buttons(view: OwnView): Html {
  const say = speak(createPetitionTexts, view.language);
  return html`<p class="row"><button name="go" value="next">${say('go_on')}</button>
<button class="second" name="go" value="stay" formnovalidate>${say('save')}</button></p>\n`;
}

/** Stores the text, as a new draft or of the one that is there. */
export async function saveText(
  view: OwnView,
  ref: string | undefined,
  fields: Fields,
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const { id } =
    ref === undefined
      ? await createPetition(
          ctx,
          viewer.caller,
          checkInput(PetitionInput, {
            ...textIn(fields),
            ...given({ orgId: textOf(fields, 'orgId') }),
          }),
        )
      : await updatePetition(ctx, viewer.caller, ref, checkInput(PetitionUpdate, textIn(fields)));
  return afterSaving(view, fields, { here: stepAt(id, 'text'), next: stepAt(id, 'details') });
}

/** The second step: all that can be chosen. */
export async function detailsPage(
  view: OwnView,
  ref: string,
  { query = {}, state }: Showing = {},
): Promise<RawAnswer> {
  const say = speak(createPetitionTexts, view.language);
  const draft = await draftOf(view, ref);
  if ('body' in draft) return draft;
  const shown = state ?? { values: valuesOf(draft) };
  const details = { ...(await choicesFor(view, draft)), settled: draft.published_at !== null };
  return stepPage(view, {
    id: draft.id,
    step: 'details',
    main: html`${doneNotice(say, query.done, ['saved'])}${await similar(view, draft)}${formAlert(view, shown)}<form method="post" action="${stepAt(draft.id, 'details')}"${savingTexts(view)}>${formToken(view)}
${detailFields(view, shown, details)}${savingStatus}${buttons(view)}</form>`,
  });
}

/** Petitions that ask for much the same; nothing where search does not answer. */
async function similar(view: OwnView, { title }: Petition): Promise<Html | false> {
  const { ctx, viewer, headers, language } = view;
  const say = speak(createPetitionTexts, language);
  const acceptLanguage = headers['accept-language'];
  const found = await similarPetitions(ctx, viewer.caller, { title, acceptLanguage }).catch(
    noneIfRefused,
  );
  const others = (found ?? []).filter(({ creator }) => creator?.id !== viewer.user.id);
  return (
    others.length > 0 &&
    html`<aside class="panel"><h2>${say('similar')}</h2>
<p class="hint">${say('similar_hint')}</p>
<ul>
${others.map(
  (one) =>
    html`<li><a href="/p/${one.slug}" dir="auto">${one.title}</a> <span class="quiet small">${view.say('signatures', { count: one.signature_count })}</span></li>\n`,
)}</ul></aside>\n`
  );
}

export async function saveDetails(view: OwnView, ref: string, fields: Fields): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const draft = await draftOf(view, ref);
  if ('body' in draft) return draft;
  const input = checkInput(PetitionUpdate, {
    ...detailsIn(fields),
    ...(draft.published_at === null && unsettledIn(fields)),
  });
  await updatePetition(ctx, viewer.caller, draft.id, input);
  return afterSaving(view, fields, {
    here: stepAt(draft.id, 'details'),
    next: stepAt(draft.id, 'people'),
  });
}

/** Leads on; a form that saves itself is told where the draft is instead, and stays. */
function afterSaving(
  { header }: OwnView,
  fields: Fields,
  { here, next }: { here: string; next: string },
): RawAnswer {
  const go = textOf(fields, 'go');
  if (go !== 'itself') {
    return redirectTo(header, go === 'stay' ? `${here}?done=saved` : next, 303);
  }
  header('content-location', here);
  header('cache-control', 'no-store');
  return { mediaType: htmlType, body: '' };
}
