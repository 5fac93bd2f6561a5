import { html, type Html } from '../../platform/html.ts';
import { suggestAddress } from '../../platform/mail-suggestions.ts';
import { Problem } from '../../platform/problems.ts';
import { addressScript } from './assets.ts';
import { textOf, type Fields } from './page-routes.ts';
import type { View } from './view.ts';

/** The address of this field about which its form has asked. */
const askedField = (name: string) => `_asked_${name}`;
/** Set where the suggestion is taken. */
const takenField = (name: string) => `_suggested_${name}`;

const localCode = 'address_suggested';

/** Whether a form came back to ask about an address. */
export const isSuggestion = (problem: Problem): boolean => problem.localCode === localCode;

/**
 * Returns the address in a field of a form: the suggested one, if it was chosen. Asks once about an address that looks
 * mistyped: the form comes back with the suggestion, and is sent as it is the second time.
 * @throws {Problem} validation-failed with the suggestion
 */
export function chooseAddress(fields: Fields, name: string, typed: string): string {
  const suggestion = suggestAddress(typed);
  if (suggestion === undefined) return typed;
  if (textOf(fields, askedField(name)) !== typed) {
    const message = `Did you mean ${suggestion}?`;
    const errors = [{ field: name, message, code: 'invalid_value' as const }];
    throw new Problem('validation-failed', message, { localCode, errors });
  }
  return textOf(fields, takenField(name)) === '' ? typed : suggestion;
}

/** The attribute by which the script asks before the form is sent. */
export function suggestionAttribute(view: View): Html {
  view.fieldScripts.add(addressScript);
  return html` data-suggest="${view.say('address_suggestion', { address: html`…` })}"`;
}

/** The text of the question, with the suggestion. */
export const suggestionText = ({ say }: View, typed: string): Html =>
  say('address_suggestion', { address: html`<bdi>${suggestAddress(typed) ?? typed}</bdi>` });

/** The suggestion as a choice. Empty if the form was not asked about this field. */
export function suggestionChoice(
  { say }: View,
  { name, typed, problem }: { name: string; typed: string; problem: Problem | undefined },
): Html | undefined {
  const isAsked = problem && isSuggestion(problem) && problem.errors?.[0]?.field === name;
  const suggestion = isAsked ? suggestAddress(typed) : undefined;
  if (suggestion === undefined) return undefined;
  const address = html`<bdi>${suggestion}</bdi>`;
  return html`<div data-suggested><input type="hidden" name="${askedField(name)}" value="${typed}"><label class="choice"><input type="checkbox" name="${takenField(name)}" value="on"> <span>${say('address_take', { address })}</span></label></div>
`;
}
