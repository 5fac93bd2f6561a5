import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { asset } from '../../platform/pages/assets.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { getOwnPetition } from '../../campaigns/petitions/read.ts';
import { PetitionRef, type Petition } from '../../campaigns/petitions/schema.ts';
import { dashboardStyles, petitionPath } from '../dashboard/dashboard.ts';
import {
  pictureScript,
  reportProblem,
  formToken,
  onceToken,
  sitePage,
  type FormState,
  type OwnView,
  type View,
} from '../site/site.ts';
import { createPetitionTexts } from './texts.ts';

/** Saves drafts while they are written. */
export const draftScript = asset(new URL('draft.js', import.meta.url));

const steps = ['text', 'details', 'people', 'preview'] as const;
type Step = (typeof steps)[number];

/** The route of a page or form about a draft, by its path below that of the first step. */
export const draftRoute = (path: string) =>
  ({ path: `/start/{id}${path}`, access: 'user', params: PetitionRef }) as const;

/** Path of a step of a draft. A draft that is not stored yet has only the first. */
export const stepPath = (id: string | undefined, step: Step): string =>
  id === undefined ? '/start' : pathOf`/start/${id}` + (step === 'text' ? '' : `/${step}`);

/** The page of a step, with links to the others. */
export function stepPage(
  view: View,
  { id, step, main }: { id: string | undefined; step: Step; main: Content },
): Promise<RawAnswer> {
  const say = speak(createPetitionTexts, view.language);
  return sitePage(view, {
    title: view.say('labelled', { label: view.say('start_petition'), value: say(`step_${step}`) }),
    styles: [dashboardStyles],
    scripts: [pictureScript, draftScript],
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

/** The viewer's draft; the path of its dashboard page if it is no draft any more. */
export async function draftOf({ ctx, viewer }: OwnView, ref: string): Promise<Petition | string> {
  const petition = await getOwnPetition(ctx, viewer.caller, ref);
  return petition.status === 'draft' ? petition : petitionPath(petition);
}

/** A form that `draft.js` saves while people write. One with `once` is declared so. */
export function draftForm(
  view: View,
  state: FormState,
  { action, fields, once }: { action: string; fields: Content; once?: boolean },
): Html {
  const say = speak(createPetitionTexts, view.language);
  return html`${reportProblem(view, state)}<form method="post" action="${action}" data-draft data-saving="${say('saving')}" data-saved="${say('saved')}" data-unsaved="${say('unsaved')}" data-offline="${say('offline')}" data-logged-out="${say('logged_out')}" data-failed="${say('failed')}">${once ? onceToken(view) : formToken(view)}
${fields}<p class="small quiet" role="status" data-draft-status></p>
<p class="row"><button name="go" value="next">${say('go_on')}</button>
<button class="second" name="go" value="stay" formnovalidate>${say('save')}</button></p>
</form>`;
}
