import { html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { field, given, textOf, type Fields, type FormState, type View } from '../site/site.ts';
import { makerTexts } from './texts.ts';

/** The fields for somebody who can decide. */
export function makerFields(view: View, state: FormState): Html {
  const say = speak(makerTexts, view.language);
  return html`${field(view, state, {
    name: 'name',
    label: say('name'),
    required: true,
    maxLength: 200,
    autocomplete: 'off',
  })}${field(view, state, {
    name: 'title',
    label: say('office'),
    hint: say('office_hint'),
    maxLength: 200,
  })}${field(view, state, {
    name: 'email',
    label: say('email'),
    hint: say('email_hint'),
    type: 'email',
    required: true,
    maxLength: 254,
    autocomplete: 'off',
  })}`;
}

export const makerIn = (fields: Fields) =>
  given({
    name: textOf(fields, 'name'),
    title: textOf(fields, 'title'),
    email: textOf(fields, 'email'),
  });
