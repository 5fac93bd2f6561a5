import { countryCodes } from '../../platform/countries.ts';
import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import { editorHint, editorOf, editorScript } from '../../platform/pages/editor.ts';
import { formatCountry } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { Problem } from '../../platform/problems.ts';
import { placeScript, textPictureScript } from './assets.ts';
import { reportError } from './error-summary.ts';
import { fieldErrorText, type InputConstraints } from './form-errors.ts';
import { picturePanel, pictureButton, type TextPictures } from './picture-panel.ts';
import { textOf, textsIn, type Fields } from './page-routes.ts';
import { storedValue } from './stored-value.ts';
import {
  isSuggestion,
  suggestionAttribute,
  suggestionChoice,
  suggestionText,
} from './suggested-address.ts';
import type { View } from './view.ts';

/** The values that a form shows, and the problem if it was refused. */
export interface FormState {
  values: Fields;
  problem?: Problem;
  /** What is stored now, where somebody changed it since the form was shown. */
  stored?: Fields;
  /** Of stored texts, by field, where they are known. */
  languages?: Record<string, string | null>;
}

export interface Field {
  /** In errors, the part before the first dot. */
  name: string;
  /** Of the element, where the page has several fields of this name; the name by default. */
  id?: string;
  label: Content;
  isLabelHidden?: boolean;
  hint?: Content;
  type?:
    | 'text'
    | 'email'
    | 'password'
    | 'number'
    | 'url'
    | 'tel'
    | 'date'
    | 'datetime-local'
    | 'search'
    | 'textarea'
    | 'markdown';
  required?: boolean;
  /** Whether it is required depends on other fields: then it is not called optional either. */
  isConditional?: boolean;
  maxLength?: number;
  minLength?: number;
  min?: number;
  rows?: number;
  /** Of pictures in a text in Markdown; it takes none without. */
  pictures?: TextPictures;
  autocomplete?: string;
  inputMode?: string;
  /** What the Enter key of an on-screen keyboard says. */
  enterKeyHint?: 'next' | 'done';
  /** Units of the limit in one unit of the input: 100 for money. */
  parts?: number;
  /** Digits of a code from a mail or a text message; people may paste it in groups. */
  digits?: number;
  /** An address of somebody whom the service does not know: the form asks if it looks mistyped (`readForm` too). */
  suggestsAddress?: boolean;
  /** A place: a script suggests some while it is typed. */
  suggestsPlaces?: boolean;
  /** Overrides the value of the form. */
  value?: string;
}

/** A field with its label, and its hint and error as its description. */
export function field(view: View, state: FormState, definition: Field): Html {
  const { name, id = name, label, type = 'text', required = false, digits } = definition;
  const { maxLength = digits && 2 * digits, inputMode = digits && 'numeric' } = definition;
  const { autocomplete = digits && 'one-time-code' } = definition;
  const hint = hintOf(view, definition);
  const error = errorOf(view, state, definition, {
    ...definition,
    ...(inputMode && { inputMode }),
  });
  const value = definition.value ?? textOf(state.values, name);
  const choice = suggestionChoice(view, { name, typed: value, problem: state.problem });
  const stored = storedValue(view, state, { name, id });
  const isLong = type === 'textarea' || type === 'markdown';
  const described = [
    hint && `${id}-hint`,
    // A description is read aloud as a whole.
    stored && !isLong && `${id}-stored`,
    error && `${id}-wrong`,
  ]
    .filter(Boolean)
    .join(' ');
  const attributes = html`id="${id}" name="${name}"${attribute('required', required)}${attribute(
    'maxlength',
    maxLength,
  )}${attribute('minlength', definition.minLength)}${attribute('autocomplete', autocomplete)}${attribute(
    'aria-describedby',
    described || undefined,
  )}${attribute('aria-invalid', error && !choice ? 'true' : undefined)}${definition.suggestsAddress && suggestionAttribute(view)}${definition.suggestsPlaces && placeAttribute(view)}`;
  return html`<div class="field"><label${attribute('class', definition.isLabelHidden && 'visually-hidden')} for="${id}">${label}${
    !required &&
    !definition.isConditional &&
    html` <span class="hint">${view.say('optional')}</span>`
  }</label>
${hint && html`<span class="hint" id="${id}-hint">${hint}</span>\n`}${
    isLong
      ? textAreaOf(view, { ...definition, id }, { attributes, value })
      : html`<input type="${type}" ${attributes}${attribute('min', definition.min)}${attribute(
          'inputmode',
          inputMode,
        )}${attribute('enterkeyhint', definition.enterKeyHint ?? (digits && 'done'))}${type === 'text' && html` dir="auto"`}${attribute('value', type !== 'password' && value ? value : undefined)}>`
  }
${stored}${error && html`<span class="wrong" id="${id}-wrong">${error}</span>`}${choice}</div>\n`;
}

/** The attribute by which the script finds the field. It says nothing of the viewer, since pages are cached. */
function placeAttribute(view: View): Html {
  view.fieldScripts.add(placeScript);
  return html` data-places="${view.say('suggestions')}"`;
}

const hintOf = ({ language }: View, { hint, type }: Field): Content =>
  type === 'markdown' ? html`${hint && html`${hint} `}${editorHint(language)}` : hint;

function textAreaOf(
  view: View,
  { id, type, rows, pictures }: Field & { id: string },
  { attributes, value }: { attributes: Html; value: string },
): Html {
  // The parser drops a line break at the beginning of a text area.
  const textArea = html`<textarea ${attributes} dir="auto"${attribute('rows', rows)}>\n${value}</textarea>`;
  if (type !== 'markdown') return textArea;
  view.fieldScripts.add(editorScript);
  if (pictures) view.fieldScripts.add(textPictureScript);
  return editorOf({
    language: view.language,
    id,
    textArea,
    buttons: pictures && pictureButton(view),
    panel: pictures && picturePanel(view, { id, kind: pictures }),
  });
}

export interface Select {
  name: string;
  label: Content;
  hint?: Content;
  options: readonly { value: string; label: Content }[];
  required?: boolean;
  value?: string;
}

/** A choice of one, from a list that opens. */
export function selectField(view: View, state: FormState, definition: Select): Html {
  const { name, label, hint, options, required = false } = definition;
  const error = errorOf(view, state, definition, { isChoice: true });
  const chosen = definition.value ?? textOf(state.values, name);
  const stored = storedValue(view, state, {
    name,
    id: name,
    show: (value) => options.find((one) => one.value === value)?.label ?? value,
  });
  const described = [hint && `${name}-hint`, stored && `${name}-stored`, error && `${name}-wrong`]
    .filter(Boolean)
    .join(' ');
  return html`<div class="field"><label for="${name}">${label}</label>
${hint && html`<span class="hint" id="${name}-hint">${hint}</span>\n`}<select id="${name}" name="${name}"${attribute(
    'required',
    required,
  )}${attribute('aria-describedby', described || undefined)}${attribute('aria-invalid', error ? 'true' : undefined)}>
${options.map(
  (one) =>
    html`<option value="${one.value}"${attribute('selected', one.value === chosen)}>${one.label}</option>\n`,
)}</select>
${stored}${error && html`<span class="wrong" id="${name}-wrong">${error}</span>`}</div>\n`;
}

const countryLists = new Map<Language, { value: string; label: string }[]>();

/** Options for all countries, sorted by name in the language of the view. */
export function countryOptions({ language }: View): { value: string; label: string }[] {
  let list = countryLists.get(language);
  if (!list) {
    const order = new Intl.Collator(language);
    list = [...countryCodes]
      .map((value) => ({ value, label: formatCountry(language, value) }))
      .toSorted((a, b) => order.compare(a.label, b.label));
    countryLists.set(language, list);
  }
  return list;
}

export function checkbox(
  state: FormState,
  {
    name,
    label,
    value = 'on',
    checked,
  }: { name: string; label: Content; value?: string; checked?: boolean },
): Html {
  const isChecked = checked ?? textOf(state.values, name) === value;
  return html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"${attribute(
    'checked',
    isChecked,
  )}> <span>${label}</span></label>\n`;
}

export interface Choices {
  name: string;
  label: Content;
  hint?: Content;
  options: readonly { value: string; label: Content }[];
}

/** A choice of any number. */
export function choicesField(view: View, state: FormState, definition: Choices): Html {
  const { name, label, hint, options } = definition;
  const error = errorOf(view, state, definition, { isChoice: true });
  const chosen = textsIn(state.values, name);
  const described = [hint && `${name}-hint`, error && `${name}-wrong`].filter(Boolean).join(' ');
  return html`<fieldset id="${name}"${attribute('aria-describedby', described || undefined)}><legend>${label}</legend>
${hint && html`<span class="hint" id="${name}-hint">${hint}</span>\n`}${options.map((one) =>
    checkbox(state, { name, ...one, checked: chosen.includes(one.value) }),
  )}${error && html`<span class="wrong" id="${name}-wrong">${error}</span>`}</fieldset>\n`;
}

export interface Radios extends Choices {
  /** Of the element, where the page has several fields of this name; the name by default. */
  id?: string;
}

/** A choice of one, which is required. None is chosen before. */
export function radiosField(view: View, state: FormState, definition: Radios): Html {
  const { name, id = name, label, hint, options } = definition;
  const error = errorOf(view, state, definition, { isChoice: true });
  const chosen = textOf(state.values, name);
  const described = [hint && `${id}-hint`, error && `${id}-wrong`].filter(Boolean).join(' ');
  return html`<fieldset class="field" id="${id}"${attribute('aria-describedby', described || undefined)}><legend>${label}</legend>
${hint && html`<span class="hint" id="${id}-hint">${hint}</span>\n`}${options.map(
    (one) =>
      html`<label class="choice"><input type="radio" name="${name}" value="${one.value}" required${attribute('checked', one.value === chosen)}> <span>${one.label}</span></label>\n`,
  )}${error && html`<span class="wrong" id="${id}-wrong">${error}</span>`}</fieldset>\n`;
}

/** What an error belongs to. */
interface Erring {
  name: string;
  id?: string;
  label: Content;
}

/** The error of a field, which the summary of the page has too. */
function errorOf(
  view: View,
  { problem, values }: FormState,
  { name, id = name, label }: Erring,
  expected: InputConstraints = {},
): Html | undefined {
  const error = problem?.errors?.find(
    (one) => one.field === name || one.field.startsWith(`${name}.`),
  );
  if (!problem || !error) return undefined;
  const text = isSuggestion(problem)
    ? suggestionText(view, textOf(values, name))
    : fieldErrorText(view, error, expected);
  reportError(view, { id, label, text });
  return text;
}
