import { html, type Content, type Html } from '../html.ts';
import { nameOf, typesOf, type Parameter, type Schema } from './description.ts';

/** A text of the description, with what stands between backticks as code. */
export const prose = (text: string): Html[] =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

interface Field {
  name: string;
  schema: Schema;
  /** Said where it is the exception: `required` in requests, `optional` in answers. */
  presence?: 'required' | 'optional' | undefined;
}

export interface FieldListOptions {
  /** Whether callers send the object, or get it. */
  of: 'request' | 'answer';
  omitted?: readonly string[];
}

/** A list of the members of an object, with those of objects inside it. */
export function fieldList(
  { properties = {}, required = [] }: Schema,
  { of, omitted = [] }: FieldListOptions,
): Html | undefined {
  const fields = Object.entries(properties).flatMap(([name, schema]): Field[] => {
    if (omitted.includes(name)) return [];
    const isRequired = required.includes(name);
    if (of === 'request') return [{ name, schema, presence: isRequired ? 'required' : undefined }];
    return [{ name, schema, presence: isRequired ? undefined : 'optional' }];
  });
  return listOf(fields, of);
}

/** A list of parameters. */
export const parameterList = (parameters: readonly Parameter[]): Html | undefined =>
  listOf(
    parameters.map(({ name, required, description, schema }) => ({
      name,
      schema: { ...schema, ...(description !== undefined && { description }) },
      presence: required ? 'required' : undefined,
    })),
    'request',
  );

function listOf(fields: readonly Field[], of: FieldListOptions['of']): Html | undefined {
  if (fields.length === 0) return undefined;
  return html`<dl class="fields-of">${fields.map((field) => fieldItem(field, of))}</dl>`;
}

function fieldItem({ name, schema, presence }: Field, of: FieldListOptions['of']): Html {
  const limits = limitsOf(schema);
  const inner = innerObject(schema);
  return html`
<dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${
    presence && html` <span class="${presence}">${presence}</span>`
  }${schema.deprecated && html` <span class="badge warn">deprecated</span>`}</dt>
<dd>${schema.description && html`<p>${prose(schema.description)}</p>`}${
    limits.length > 0 &&
    html`<p class="limits">${limits.map((limit, index) => [index > 0 && ' · ', limit])}</p>`
  }${
    inner &&
    html`<details><summary>Fields of <code>${name}</code></summary>${fieldList(inner, { of })}</details>`
  }</dd>`;
}

/** The object that a schema describes without naming it: itself, its items or its alternative to null. */
function innerObject(schema: Schema): Schema | undefined {
  if (schema.properties) return schema;
  if (schema.items) return innerObject(schema.items);
  return schema.anyOf?.map(innerObject).find(Boolean);
}

/** The type of a value in words, with links to the schemas that have names. */
export function typeOf(schema: Schema): Content {
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    return html`<a href="#${name}">${name}</a>`;
  }
  if (schema.anyOf) {
    return schema.anyOf.map((one, index) => [index > 0 && ' or ', typeOf(one)]);
  }
  const orNull = [schema.type].flat().includes('null') && ' or null';
  const types = typesOf(schema);
  if (types.includes('array'))
    return ['array', schema.items && [' of ', typeOf(schema.items)], orNull];
  if (schema.contentMediaType) return 'bytes';
  if (types.length === 0) return orNull ? 'null' : 'any value';
  return [types.join(' or '), schema.format && `, ${schema.format}`, orNull];
}

/** What a value must be beside its type. */
function limitsOf(schema: Schema): Content[] {
  const { enum: values, default: standard, pattern } = schema;
  return [
    values && ['one of ', joined(values.filter((one) => one !== null))],
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minimum, schema.maximum),
    range(schema.minItems, schema.maxItems, 'item'),
    schema['x-text'] === 'markdown' && 'Markdown',
    pattern !== undefined && ['matches ', html`<code>${pattern}</code>`],
    standard !== undefined && ['default ', html`<code>${JSON.stringify(standard)}</code>`],
    ...(schema.items && !schema.items.properties && !schema.items.$ref
      ? limitsOf(schema.items).map((limit) => ['each: ', limit])
      : []),
  ].filter(Boolean);
}

const joined = (values: readonly (string | number | null)[]): Content[] =>
  values.map((value, index) => [index > 0 && ', ', html`<code>${value}</code>`]);

const number = new Intl.NumberFormat('en');

function range(min: number | undefined, max: number | undefined, unit?: string): Content {
  const of = (count: number) => (unit ? ` ${unit}${count === 1 ? '' : 's'}` : '');
  if (min !== undefined && min === max) return `exactly ${number.format(min)}${of(min)}`;
  if (min !== undefined && max !== undefined) {
    return `${number.format(min)} to ${number.format(max)}${of(max)}`;
  }
  if (min !== undefined) return `at least ${number.format(min)}${of(min)}`;
  return max !== undefined && `at most ${number.format(max)}${of(max)}`;
}
