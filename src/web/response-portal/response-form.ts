import { positionTexts } from '../../campaigns/decision-makers/decision-makers.ts';
import {
  maxResponseLength,
  maxResponsibleLength,
  positions,
} from '../../campaigns/decision-makers/schema.ts';
import { attribute, html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { editorHint, editorOf } from '../../platform/pages/editor.ts';
import { failureText } from '../../platform/pages/problem-pages.ts';
import type { Problem } from '../../platform/problems.ts';
import type { Reader } from './reader.ts';

/** The fields of a response as a form sends them; empty strings for missing ones. */
export interface Fields {
  body: string;
  status: string;
  not_responsible: string;
  responsible: string;
}

/** Returns the fields of a submitted form or of a JSON body. */
export function formFields(requestBody: unknown): Fields {
  const sent = (requestBody ?? {}) as Record<string, unknown>;
  const textOf = (name: keyof Fields) => {
    const value = sent[name];
    if (value === true) return 'true';
    return typeof value === 'string' ? value : '';
  };
  return {
    body: textOf('body'),
    status: textOf('status'),
    not_responsible: textOf('not_responsible'),
    responsible: textOf('responsible'),
  };
}

/** The form for a response, which leads to its preview. `problem` is what is wrong with it. */
export function responseForm(reader: Reader, fields: Fields, problem?: Problem): Html {
  const { say, language, path } = reader;
  const sayPosition = speak(positionTexts, language);
  const wrong = new Set(problem?.errors?.map(({ field }) => field));
  const invalid = (name: keyof Fields) => attribute('aria-invalid', wrong.has(name) && 'true');
  const radio = (position: (typeof positions)[number]) =>
    html`<label class="choice"><input type="radio" name="status" value="${position}"${attribute(
      'checked',
      fields.status === position,
    )}> <span>${sayPosition(position)}</span></label>\n`;
  // HTML parsers drop the line break after the start tag of a text area.
  const textArea = html`<textarea id="body" name="body" rows="12" maxlength="${maxResponseLength}" required dir="auto" aria-describedby="body-hint"${invalid('body')}>
${fields.body}</textarea>`;
  return html`<form method="post" action="${path}/preview">
<div class="field"><label for="body">${say('your_response')}</label>
<span class="hint" id="body-hint">${editorHint(language)}</span>
${editorOf({ language, id: 'body', textArea })}</div>
<fieldset class="field"><legend>${say('your_position')}</legend>
${positions.map(radio)}</fieldset>
<div class="elsewhere${wrong.has('responsible') && ' shown'}">
<label class="choice"><input type="checkbox" name="not_responsible" value="true"${attribute('checked', fields.not_responsible === 'true')}> <span>${say('not_responsible')}</span></label>
<div class="field"><label for="responsible">${say('responsible')}</label>
<span class="hint" id="responsible-hint">${say('responsible_hint')}</span>
<input id="responsible" name="responsible" maxlength="${maxResponsibleLength}" dir="auto" autocomplete="off" aria-describedby="responsible-hint"${attribute('value', fields.responsible)}${invalid('responsible')}></div>
</div>
<button class="large">${say('preview')}</button></form>
`;
}

const fieldErrors = {
  body: 'wrong_body',
  status: 'wrong_status',
  not_responsible: 'wrong_responsible',
  responsible: 'wrong_responsible',
} as const;
const limits = { wrong_responsible: maxResponsibleLength };

/** What is wrong with a form. */
export function failureOf({ say, language }: Reader, problem: Problem): Html {
  if (problem.code === 'already_responded') return say('already');
  const names = new Set(
    (problem.errors ?? []).flatMap(({ field, code }) => {
      if (code === 'invalid_characters') return ['wrong_characters' as const];
      return Object.hasOwn(fieldErrors, field) ? [fieldErrors[field as keyof Fields]] : [];
    }),
  );
  if (names.size === 0) return failureText(language, problem);
  return html`${[...names].map((name, index) => {
    const limit = name === 'wrong_responsible' ? limits[name] : maxResponseLength;
    return html`${index > 0 && html`<br>`}${say(name, { limit })}`;
  })}`;
}
