import type { Static, TObject } from 'typebox';
import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { FieldError } from '../../platform/problems.ts';
import {
  checkbox,
  choicesField,
  field,
  radiosField,
  selectField,
  type Choices,
  type Field,
  type FormState,
  type Radios,
  type Select,
} from './fields.ts';
import { reportProblem } from './error-summary.ts';
import { formToken } from './form-token.ts';
import { checkInput, numberIn } from './input.ts';
import { onceToken } from './once.ts';
import { textOf, textsIn, type Fields, type PageRequest } from './page-routes.ts';
import { storedValue } from './stored-value.ts';
import { chooseAddress } from './suggested-address.ts';
import type { View } from './view.ts';

type Name<T extends TObject> = keyof T['properties'] & string;

/** Makes the fields of a form, with names and limits of the schema of its input. */
export interface Form<T extends TObject> {
  text(name: Name<T>, definition: Omit<Field, 'name'>): Html;
  select(name: Name<T>, definition: Omit<Select, 'name'>): Html;
  choices(name: Name<T>, definition: Omit<Choices, 'name'>): Html;
  radios(name: Name<T>, definition: Omit<Radios, 'name'>): Html;
  checkbox(name: Name<T>, definition: Omit<Parameters<typeof checkbox>[1], 'name'>): Html;
}

/** Makes the fields of a form for this input, with these values and errors. */
export function formFor<T extends TObject>(view: View, state: FormState, schema: T): Form<T> {
  const isRequired = (name: string) => schema.required?.includes(name) ?? false;
  return {
    text: (name, definition) =>
      field(view, state, {
        name,
        required: isRequired(name),
        ...attributesOf(propertyOf(schema, name)),
        ...definition,
      }),
    select: (name, definition) =>
      selectField(view, state, { name, required: isRequired(name), ...definition }),
    choices: (name, definition) => choicesField(view, state, { name, ...definition }),
    radios: (name, definition) => radiosField(view, state, { name, ...definition }),
    checkbox: (name, definition) =>
      html`${checkbox(state, { name, ...definition })}${storedValue(view, state, {
        name,
        id: name,
        show: (value) => view.say(value === '' ? 'stored_off' : 'stored_on'),
      })}`,
  };
}

interface PostForm {
  action: string;
  fields?: Content;
  /** Values of hidden fields; those that are undefined are left out. */
  hidden?: Record<string, string | undefined>;
  /** A form that is submitted twice acts once; the form's declaration has `once` too. */
  once?: boolean;
  /** Label of the button that submits it. */
  submit: Content;
  className?: string;
  /** More attributes of the form. */
  attributes?: Html;
  /** Accessible name of the button, where its label alone is ambiguous. */
  submitLabel?: Content;
  /** Class of the button. */
  buttonClass?: string;
  /** Stands beside the button. */
  beside?: Html;
}

/** A form with one button. Its problem is reported at the top of the page. */
export const postForm = (view: View, state: Pick<FormState, 'problem'>, form: PostForm): Html => {
  const { action, fields, hidden = {}, once = false, className } = form;
  const token = once ? onceToken(view) : formToken(view);
  const button = html`<button${attribute('class', form.buttonClass)}${form.submitLabel && html` aria-label="${form.submitLabel}"`}>${form.submit}</button>`;
  return html`${reportProblem(view, state)}<form${attribute('class', className)} method="post" action="${action}"${form.attributes}>${token}${hiddenFields(hidden)}
${fields}${form.beside ? html`<p class="row">${button}\n${form.beside}</p>` : button}
</form>\n`;
};

/** A button, or a form whose problem the page shows elsewhere. */
export const actionForm = (view: View, form: PostForm): Html => postForm(view, {}, form);

/** Hidden fields; those without a value are left out. */
export const hiddenFields = (values: Record<string, string | undefined>): Html[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : html`<input type="hidden" name="${name}" value="${value}">`,
  );

/** The state of a form of a page: the refused input, or its initial values. */
export const stateOf = (
  { refused }: Pick<PageRequest<unknown>, 'refused'>,
  formName: string,
  values: Fields = {},
): FormState => (refused?.name === formName ? refused : { values });

interface Property {
  type?: string | string[];
  format?: string;
  minLength?: number;
  maxLength?: number;
}

const propertyOf = (schema: TObject, name: string): Property => schema.properties[name] ?? {};

const inputTypes: Record<string, 'email' | 'url' | 'date'> = {
  email: 'email',
  'web-url': 'url',
  date: 'date',
};

/** Attributes of an input for such a value. */
function attributesOf({ type, format, minLength, maxLength }: Property) {
  const inputType = inputTypes[format ?? ''];
  return {
    ...(inputType && { type: inputType }),
    // A minimum of one character means that the field is required.
    ...(minLength !== undefined && minLength > 1 && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...([type].flat().includes('integer') && { inputMode: 'numeric', maxLength: 15 }),
  };
}

interface ReadOptions<T extends TObject> {
  /** Fields that must not be empty, though the schema, of a change, takes an input without them. */
  required?: readonly Name<T>[];
  /** How to read fields whose texts are not their values. */
  read?: { [K in Name<T>]?: (text: string) => unknown };
  /** Fields whose spaces at both ends count, such as passwords. */
  untrimmed?: readonly Name<T>[];
  /** A field for an address, with `suggestsAddress`: the form asks once if it looks mistyped. */
  suggestsAddress?: Name<T>;
}

/**
 * The input of a form: these fields of it, as the schema says. An empty field is null where the schema takes null,
 * else left out.
 * @throws {Problem} validation-failed, with the fields by name
 */
export function readForm<T extends TObject>(
  schema: T,
  fields: Fields,
  names: readonly Name<T>[],
  { required = [], read = {}, untrimmed = [], suggestsAddress: address }: ReadOptions<T> = {},
): Static<T> {
  const input: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const name of names) {
    const types = [propertyOf(schema, name).type].flat();
    const value = untrimmed.includes(name)
      ? fields[name] || undefined
      : valueOf(fields, name, { types, read: read[name] });
    if (value !== undefined) input[name] = value;
    else if (types.includes('null')) input[name] = null;
    else if (required.includes(name)) errors.push(missing(name));
  }
  const checked = checkInput(schema, input, errors);
  if (address === undefined) return checked;
  const typed = (checked as Record<string, unknown>)[address];
  return typeof typed === 'string'
    ? { ...checked, [address]: chooseAddress(fields, address, typed) }
    : checked;
}

const missing = (name: string): FieldError => ({
  field: name,
  message: 'This is required.',
  code: 'required',
});

interface Reading {
  types: (string | undefined)[];
  read: ((text: string) => unknown) | undefined;
}

/** The value of a field; undefined where it is empty. */
function valueOf(fields: Fields, name: string, { types, read }: Reading): unknown {
  const text = textOf(fields, name);
  if (read) return read(text);
  if (types.includes('array')) return textsIn(fields, name);
  if (types.includes('boolean')) return text !== '';
  if (types.includes('integer')) return numberIn(text);
  return text === '' ? undefined : text;
}
