import { html, type Html } from '../../platform/html.ts';
import { validationFailed } from '../../platform/problems.ts';
import { panel, postForm, textOf, type Fields, type FormState, type View } from '../site/site.ts';

interface DeletionPanel {
  title: Html;
  /** What is deleted. */
  text: Html;
  action: string;
  /** Label of the box to tick. */
  confirmation: Html;
  submit: Html;
}

/** A form for deleting something, with a box to tick first. */
export const deletionPanel = (
  view: View,
  state: FormState,
  { title, text, confirmation, ...form }: DeletionPanel,
): Html =>
  panel(
    title,
    html`<p>${text}</p>
${postForm(view, state, {
  ...form,
  fields: html`<label class="choice"><input type="checkbox" name="sure" value="on" required> <span>${confirmation}</span></label>\n`,
  buttonClass: 'danger',
})}`,
  );

/** @throws {Problem} validation-failed if the box of the form was not ticked */
export function requireConfirmation(fields: Fields): void {
  if (textOf(fields, 'sure') === 'on') return;
  throw validationFailed({ field: 'sure', message: 'Tick the box first.', code: 'required' });
}
