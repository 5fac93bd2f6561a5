import type { Content } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { DecisionMakerInput } from '../../campaigns/petitions/schema.ts';
import { formFor, readForm, type Fields, type FormState, type View } from '../site/site.ts';
import { makerTexts } from './texts.ts';

/** The fields of a decision maker. */
export function makerFields(view: View, state: FormState): Content[] {
  const say = speak(makerTexts, view.language);
  const form = formFor(view, state, DecisionMakerInput);
  return [
    form.text('name', { label: say('name'), autocomplete: 'off' }),
    form.text('title', { label: say('office'), hint: say('office_hint') }),
    form.text('email', { label: say('email'), hint: say('email_hint'), autocomplete: 'off' }),
  ];
}

export const readMaker = (fields: Fields): DecisionMakerInput =>
  readForm(DecisionMakerInput, fields, ['name', 'title', 'email']);
