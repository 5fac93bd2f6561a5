import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { getOwnPetition } from '../../campaigns/petitions/read.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { dashboardStyles, petitionPath } from '../dashboard/dashboard.ts';
import {
  pictureScript,
  formAlert,
  formToken,
  onceToken,
  sitePage,
  type FormState,
  type OwnView,
  type View,
} from '../site/site.ts';
import { draftScript } from './assets.ts';
import { createPetitionTexts } from './texts.ts';

const steps = ['text', 'details', 'people', 'preview'] as const;
type Step = (typeof steps)[number];

/** Path of a step of a draft. A draft that is not stored yet has only the first. */
export const stepPath = (id: string | undefined, step: Step): string =>
  id === undefined ? '/start' : pathOf`/start/${id}` + (step === 'text' ? '' : `/${step}`);

interface StepPage {
  /** Of the draft, once it is stored. */
  id: string | undefined;
  step: Step;
  main: Content;
}

/** The page of a step, with links to the others. */
export function stepPage(view: View, { id, step, main }: StepPage): RawAnswer {
  const say = speak(createPetitionTexts, view.language);
  return sitePage(view, {
    title: view.say('labelled', { label: view.say('start_petition'), value: say(`step_${step}`) }),
    styles: [dashboardStyles],
    scripts: [pictureScript, draftScript],
    main: html`<h1>${view.say('start_petition')}</h1>
<nav aria-label="${say('steps')}"><ol class="steps">
${steps.map((one) => {
  const text = say(`step_${one}`);
  return html`<li${attribute('aria-current', one === step && 'step')}>${
    id === undefined || one === step ? text : html`<a href="${stepPath(id, one)}">${text}</a>`
  }</li>\n`;
})}</ol></nav>
${main}`,
  });
}

/** The viewer's draft; the path of its dashboard page if it is no draft any more. */
export async function draftOf({ ctx, viewer }: OwnView, ref: string): Promise<Petition | string> {
  const petition = await getOwnPetition(ctx, viewer.caller, ref);
  return petition.status === 'draft' ? petition : petitionPath(petition);
}

interface DraftForm {
  action: string;
  fields: Content;
  /** It is declared with `once`. */
  once?: boolean;
}

/** A form that `draft.js` saves while people write. */
export function draftForm(view: View, state: FormState, { action, fields, once }: DraftForm): Html {
  const say = speak(createPetitionTexts, view.language);
  return html`${formAlert(view, state)}<form method="post" action="${action}" data-draft data-saving="${say('saving')}" data-saved="${say('saved')}" data-unsaved="${say('unsaved')}" data-offline="${say('offline')}" data-logged-out="${say('logged_out')}" data-failed="${say('failed')}">${once ? onceToken(view) : formToken(view)}
${fields}<p class="small quiet" role="status" data-draft-status></p>
<p class="row"><button name="go" value="next">${say('go_on')}</button>
<button class="second" name="go" value="stay" formnovalidate>${say('save')}</button></p>
</form>`;
}
