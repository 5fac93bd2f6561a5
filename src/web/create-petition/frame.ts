import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { showOwnPetition } from '../../campaigns/petitions/petitions.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { dashboardStyles, petitionPath } from '../dashboard/dashboard.ts';
import { pictureScript, sitePage, type OwnView, type View } from '../site/site.ts';
import { draftScript } from './assets.ts';
import { createPetitionTexts } from './texts.ts';

const steps = ['text', 'details', 'people', 'preview'] as const;
type Step = (typeof steps)[number];

/** Where a step of a draft is; of one that is not stored yet, the first. */
export const stepAt = (id: string | undefined, step: Step): string =>
  id === undefined ? '/start' : pathOf`/start/${id}` + (step === 'text' ? '' : `/${step}`);

interface StepPage {
  /** Of the draft, once it is stored. */
  id: string | undefined;
  step: Step;
  main: Content;
}

/** A page of the way from nothing to a published petition. */
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
    id === undefined || one === step ? text : html`<a href="${stepAt(id, one)}">${text}</a>`
  }</li>\n`;
})}</ol></nav>
${main}`,
  });
}

/** The viewer's draft; undefined, with where to go instead, where it is none any more. */
export async function draftOf(view: OwnView, ref: string): Promise<Petition | RawAnswer> {
  const petition = await showOwnPetition(view.ctx, view.viewer.caller, ref);
  return petition.status === 'draft'
    ? petition
    : redirectTo(view.header, petitionPath(petition), 303);
}

/** What a form that saves itself says while it does. */
export function savingTexts(view: View): Html {
  const say = speak(createPetitionTexts, view.language);
  return html` data-draft data-saving="${say('saving')}" data-saved="${say('saved')}" data-unsaved="${say('unsaved')}" data-offline="${say('offline')}" data-logged-out="${say('logged_out')}" data-failed="${say('failed')}"`;
}

/** Where such a form says it. */
export const savingStatus = html`<p class="small quiet" role="status" data-draft-status></p>\n`;
