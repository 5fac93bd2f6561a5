import { html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { validationFailed } from '../../platform/problems.ts';
import {
  closePetition,
  declareVictory,
  deletePetition,
  publishPetition,
  showOwnPetition,
} from '../../campaigns/petitions/petitions.ts';
import { VictoryInput } from '../../campaigns/petitions/schema.ts';
import {
  checkInput,
  field,
  formAlert,
  formToken,
  given,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
} from '../site/site.ts';
import { actionButton, petitionPage, petitionPath } from './frame.ts';
import { dashboardTexts } from './texts.ts';

/** The ways in which a petition ends. */
export async function finishPage(
  view: OwnView,
  ref: string,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const say = speak(dashboardTexts, view.language);
  const petition = await showOwnPetition(view.ctx, view.viewer.caller, ref);
  const at = petitionPath(petition);
  return petitionPage(view, petition, {
    current: 'finish',
    main: html`${formAlert(view, state)}${
      petition.status === 'active' &&
      html`<section class="panel"><h2>${say('victory_title')}</h2>
<p>${say('victory_text')}</p>
<form method="post" action="${at}/victory">${formToken(view)}
${field(view, state, {
  name: 'victory_message',
  label: say('victory_message'),
  type: 'textarea',
  rows: 5,
  maxLength: 10_000,
})}<button>${say('victory')}</button></form>
</section>
<section class="panel"><h2>${say('close_title')}</h2>
<p>${say('close_text')}</p>
${actionButton(view, `${at}/close`, say('close'))}</section>
`
    }<section class="panel"><h2>${say('delete_title')}</h2>
<p>${say('delete_text')}</p>
<form method="post" action="${at}/delete">${formToken(view)}
<label class="choice"><input type="checkbox" name="sure" value="on" required> <span>${say('delete_sure')}</span></label>
<button class="danger">${say('delete')}</button></form>
</section>`,
  });
}

/** Publishes a draft, or asks for its review. */
export async function publish({ ctx, viewer, header }: OwnView, ref: string): Promise<RawAnswer> {
  const petition = await publishPetition(ctx, viewer.caller, ref);
  const done = petition.status === 'active' ? 'published' : 'review';
  return redirectTo(header, `${petitionPath(petition)}?done=${done}`, 303);
}

export async function close({ ctx, viewer, header }: OwnView, ref: string): Promise<RawAnswer> {
  const petition = await closePetition(ctx, viewer.caller, ref);
  return redirectTo(header, `${petitionPath(petition)}?done=closed`, 303);
}

export async function win(
  { ctx, viewer, header }: OwnView,
  ref: string,
  fields: Fields,
): Promise<RawAnswer> {
  const input = { victory_message: textOf(fields, 'victory_message') };
  const { victory_message: message } = checkInput(VictoryInput, given(input));
  const petition = await declareVictory(ctx, viewer.caller, ref, message);
  return redirectTo(header, `${petitionPath(petition)}?done=victory`, 303);
}

/** Deletes a petition, where the box was ticked. */
export async function remove(
  { ctx, viewer, header }: OwnView,
  ref: string,
  fields: Fields,
): Promise<RawAnswer> {
  requireSure(fields);
  await deletePetition(ctx, viewer.caller, ref);
  return redirectTo(header, '/dashboard?done=deleted', 303);
}

/** @throws {Problem} validation-failed where the box was not ticked that says so */
export function requireSure(fields: Fields): void {
  if (textOf(fields, 'sure') === 'on') return;
  throw validationFailed({ field: 'sure', message: 'Tick the box first.', code: 'required' });
}
