import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import { dashboardStyles } from '../dashboard/dashboard.ts';
import {
  draftAttributes,
  draftSaved,
  draftScript,
  draftStatus,
  pictureScript,
  reportProblem,
  formToken,
  noIndex,
  sitePage,
  textOf,
  type Fields,
  type FormState,
  type View,
} from '../site/site.ts';
import { similarScript } from './similar.ts';
import { createPetitionTexts } from './texts.ts';

const steps = ['text', 'details', 'preview'] as const;
type Step = (typeof steps)[number];

/** The route of a page or form about a draft, by its path below that of the first step. */
export const draftRoute = (path: string) =>
  ({ path: `/start/{id}${path}`, access: 'anyone', params: PetitionRef }) as const;

/** Path of a step of a draft. */
export const stepPath = (id: string, step: Step): string =>
  pathOf`/start/${id}` + (step === 'text' ? '' : `/${step}`);

interface StepPage {
  /** Undefined for a draft that is not stored yet, which has only the first step. */
  id: string | undefined;
  step: Step;
  main: Content;
}

/** The page of a step, with links to the others. */
export function stepPage(view: View, { id, step, main }: StepPage): Promise<RawAnswer> {
  const say = speak(createPetitionTexts, view.language);
  return sitePage(view, {
    title: view.say('labelled', { label: view.say('start_petition'), value: say(`step_${step}`) }),
    ...(id !== undefined && { head: noIndex }),
    styles: [dashboardStyles],
    scripts: [pictureScript, draftScript, similarScript],
    main: html`<h1>${view.say('start_petition')}</h1>
<nav aria-label="${say('steps')}"><ol class="steps">
${steps.map((name) => {
  const text = say(`step_${name}`);
  return html`<li${attribute('aria-current', name === step && 'step')}>${
    id === undefined || name === step ? text : html`<a href="${stepPath(id, name)}">${text}</a>`
  }</li>\n`;
})}</ol></nav>
${main}`,
  });
}

interface DraftForm {
  action: string;
  fields: Content;
  /** The form has a file. */
  isMultipart?: boolean;
  /** Also leads past the next step, which is optional. */
  canSkip?: boolean;
}

/** A form that `draft.js` saves while people write. */
export function draftForm(
  view: View,
  state: FormState,
  { action, fields, isMultipart = false, canSkip = false }: DraftForm,
): Html {
  const say = speak(createPetitionTexts, view.language);
  // Enter sends a form by its first button, which would remove something.
  return html`${reportProblem(view, state)}<form method="post" action="${action}"${attribute('enctype', isMultipart && 'multipart/form-data')}${draftAttributes(view)}>${formToken(view)}
${isMultipart && html`<button class="visually-hidden" name="go" value="next" tabindex="-1" aria-hidden="true"></button>\n`}${fields}${draftStatus}<p class="row"><button name="go" value="next">${say('go_on')}</button>
${canSkip && html`<button class="second" name="go" value="skip">${say('skip')}</button>\n`}<button class="plain" name="go" value="stay" formnovalidate>${say('save')}</button></p>
</form>`;
}

/** The path of the page after a form; for a save by `draft.js`, an answer with the path of the saved step. */
export function afterSaving(
  view: View,
  fields: Fields,
  { saved, next, skip }: { saved: string; next: string; skip: string },
): RawAnswer | string {
  const go = textOf(fields, 'go');
  if (go === 'stay') return `${saved}?done=saved`;
  if (go === 'skip') return skip;
  if (go !== 'autosave') return next;
  return draftSaved(view, saved);
}
