import {
  Ajv,
  type AnySchemaObject,
  type ErrorObject,
  type SchemaValidateFunction,
  type ValidateFunction,
} from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import ajvFormats from 'ajv-formats';
import type { FieldError, FieldErrorCode } from '../problems.ts';
import { asciiAddress } from '../mail-addresses.ts';
import { fileKeyword, FormFile } from './bodies.ts';
import { fieldsKeyword, fieldsProblem } from './fields.ts';
import { addressKeyword, schemaName, textKeyword } from './schema.ts';
import { normalizeText, storageProblem, textProblem, type TextLines } from './text.ts';

/** Checks a text that people write, and composes it. */
const checkText: SchemaValidateFunction = (
  lines: TextLines,
  text: string,
  schema?: AnySchemaObject,
  place?: DataValidationCxt,
) => {
  const message = textProblem(text, { lines, isNeeded: schema?.minLength !== undefined });
  if (message !== undefined) {
    checkText.errors = [{ keyword: textKeyword, params: {}, message }];
    return false;
  }
  if (place) {
    replace(place, normalizeText(text, lines));
  }
  return true;
};

/** Stores the domain of an address in punycode. Its format was checked before. */
const takeAddress: SchemaValidateFunction = (_: true, email: string, _schema, place) => {
  if (place) replace(place, asciiAddress(email));
  return true;
};

const checkFields: SchemaValidateFunction = (known: readonly string[], fields: string) => {
  const message = fieldsProblem(fields, known);
  if (message === undefined) return true;
  checkFields.errors = [{ keyword: fieldsKeyword, params: {}, message }];
  return false;
};

function replace({ parentData, parentDataProperty }: DataValidationCxt, text: string): void {
  (parentData as Record<string | number, unknown>)[parentDataProperty] = text;
}

const options = { strict: false, verbose: true, useDefaults: true } as const;
/** Does not coerce: a number in quotes is a text. Stops at the first error. */
const bodyAjv = prepare(new Ajv(options));
/** The same with all errors, for small bodies. */
const smallBodyAjv = prepare(new Ajv({ ...options, allErrors: true }));
/** Query and path contain texts only, so numbers and booleans are read from them. */
const textAjv = prepare(new Ajv({ ...options, allErrors: true, coerceTypes: true }));

function prepare(ajv: Ajv): Ajv {
  ajvFormats.default(ajv, ['date', 'date-time', 'email', 'uri']);
  const address = ajvFormats.default.get('email') as RegExp;
  ajv.addFormat('email', (typed) => {
    const email = asciiAddress(typed);
    return address.test(email) && email.length <= 254 && isLocalPart(email);
  });
  ajv.addKeyword({
    keyword: addressKeyword,
    type: 'string',
    modifying: true,
    validate: takeAddress,
  });
  ajv.addKeyword(schemaName);
  ajv.addKeyword({
    keyword: fileKeyword,
    validate: (_: true, value: unknown) => value instanceof FormFile,
  });
  ajv.addKeyword({
    keyword: fieldsKeyword,
    type: 'string',
    errors: true,
    validate: checkFields,
  });
  ajv.addKeyword({
    keyword: textKeyword,
    type: 'string',
    // Lengths are those of the text as it is stored.
    before: 'maxLength',
    modifying: true,
    errors: true,
    validate: checkText,
  });
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  ajv.addFormat('web-url', (text) => {
    const url = URL.parse(text);
    return url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
  });
  return ajv;
}

/** Whether the part before the @ is at most 64 octets long (RFC 5321, section 4.5.3.1.1). */
const isLocalPart = (address: string): boolean =>
  Buffer.byteLength(address.slice(0, address.lastIndexOf('@'))) <= 64;

/** Annotation of an array schema: the error code for too many items. */
export const tooManyCode = 'x-too-many';

/** A body, or the texts of a query or path. */
type Part = 'body' | 'text';

/**
 * Returns the errors of a value, and fills in defaults. Of a large body it returns the first error only: a body of a
 * megabyte can have half a million.
 */
export type Validator = (value: unknown, isLarge?: boolean) => FieldError[];

const bySchema = {
  body: new WeakMap<object, Validator>(),
  text: new WeakMap<object, Validator>(),
};
/** By the text of the schema: several routes have equal ones, and all routes those of another service in the process. */
const byText = { body: new Map<string, Validator>(), text: new Map<string, Validator>() };

/** Returns a validator for a part of requests. It compiles the schema when it is first used, once for equal schemas. */
export const compileValidator = (schema: object, part: Part): Validator =>
  bySchema[part].getOrInsertComputed(schema, () => {
    let validator: Validator | undefined;
    return (value, isLarge) => (validator ??= compiled(schema, part))(value, isLarge);
  });

const compiled = (schema: object, part: Part): Validator =>
  byText[part].getOrInsertComputed(JSON.stringify(schema), () =>
    part === 'body' ? bodyValidator(schema) : textValidator(schema),
  );

function textValidator(schema: object): Validator {
  const validate = textAjv.compile(lengthFirst(schema));
  const integers = Object.entries(
    (schema as { properties: Record<string, { type?: string }> }).properties,
  ).flatMap(([name, { type }]) => (type === 'integer' ? [name] : []));
  return (value) => {
    const unstorable = findUnstorable(value, '');
    if (unstorable) return [unstorable];
    // JavaScript reads 0x10 and 1e1 as numbers; a query may not contain them.
    const given = value as Record<string, unknown>;
    const malformed = integers.filter(
      (name) => name in given && !/^-?\d+$/.test(String(given[name])),
    );
    if (malformed.length > 0) return malformed.map(notAnInteger);
    return validate(value) ? [] : fieldErrors(validate);
  };
}

const notAnInteger = (field: string): FieldError => ({
  field,
  message: `This must be ${typeWords.integer}.`,
  code: 'invalid_type',
});

function bodyValidator(schema: object): Validator {
  const validate = bodyAjv.compile(schema);
  const validateAll = smallBodyAjv.compile(lengthFirst(schema));
  return (value, isLarge = false) => {
    const unstorable = findUnstorable(value, '');
    if (unstorable) return [unstorable];
    if (validate(value)) return [];
    if (isLarge) return fieldErrors(validate);
    validateAll(value);
    return fieldErrors(validateAll);
  };
}

/**
 * Returns the schema with pattern and format checked only for texts that are not too long: with `allErrors`, Ajv would
 * match texts of any length, which takes time.
 */
const lengthFirst = (schema: object) =>
  JSON.parse(JSON.stringify(schema), askLengthFirst) as object;

function askLengthFirst(_: string, part: unknown): unknown {
  const { maxLength, pattern, format, ...rest } = Object(part) as Record<string, unknown>;
  if (typeof maxLength !== 'number' || (pattern ?? format) === undefined) return part;
  const form = {
    ...(pattern !== undefined && { pattern }),
    ...(format !== undefined && { format }),
  };
  return { ...rest, maxLength, if: { minLength: maxLength + 1 }, else: form };
}

function fieldErrors(validate: ValidateFunction): FieldError[] {
  // Errors of anyOf and if repeat those of their parts.
  const errors = (validate.errors ?? []).filter(
    ({ keyword }) => !['anyOf', 'if'].includes(keyword),
  );
  return errors.slice(0, 50).map(fieldError);
}

function fieldError(error: ErrorObject): FieldError {
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  if (error.keyword === 'required') {
    const missing = String(error.params.missingProperty);
    return {
      field: path ? `${path}.${missing}` : missing,
      message: 'This is required.',
      code: 'required',
    };
  }
  return { field: path, message: messageOf(error), code: codeOf(error), ...limitIn(error) };
}

function limitIn({ keyword, params }: ErrorObject): Pick<FieldError, 'limit'> {
  const value: unknown = params.limit;
  if (typeof value !== 'number') return {};
  if (keyword.endsWith('Length')) return { limit: { value, of: 'character' } };
  if (keyword.endsWith('Items')) return { limit: { value, of: 'item' } };
  return { limit: { value } };
}

const codes: Record<string, FieldErrorCode> = {
  type: 'invalid_type',
  [fileKeyword]: 'invalid_type',
  minLength: 'too_small',
  minimum: 'too_small',
  minItems: 'too_small',
  exclusiveMinimum: 'too_small',
  minProperties: 'too_small',
  maxLength: 'too_big',
  maximum: 'too_big',
  maxItems: 'too_big',
  maxProperties: 'too_big',
  format: 'invalid_format',
  pattern: 'invalid_format',
  [textKeyword]: 'invalid_characters',
};

function codeOf(error: ErrorObject): FieldErrorCode {
  const special = error.parentSchema?.[tooManyCode];
  if (error.keyword === 'maxItems' && typeof special === 'string') return special as FieldErrorCode;
  return codes[error.keyword] ?? 'invalid_value';
}

/** JSON types in words. */
const typeWords: Record<string, string> = {
  string: 'a text in quotes',
  integer: 'a whole number, such as 5',
  number: 'a number, such as 1.5',
  boolean: 'true or false',
  array: 'a list, such as ["a"]',
  object: 'an object, such as {"a": 1}',
  null: 'null',
};

/** What each pattern of a schema expects, for messages. A test finds those that are missing here. */
const patterns: Record<string, string> = {
  '^#[0-9A-Fa-f]{6}$': 'a colour, such as #0b6b4d',
  '^[^<>"]*$': 'a text without <, > and "',
  '^[0-9]{6}$': 'six digits, such as 123456',
  '^\\+[1-9][0-9]{6,14}$':
    'a telephone number with + and the code of its country, such as +441632960961',
  '^[A-Za-z]{2}$': 'the two letters of a country, such as GB',
  '^[A-Z]{2}$': 'the two capital letters of a country, such as GB',
  '^[A-Za-z]{3}$': 'the three letters of a currency, such as EUR',
  '^[a-z]{2}$': 'the two small letters of a language, such as en',
  '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$': 'a tag of a language, such as en or pt-BR',
  '^[0-9a-f]{10}([0-9a-f]{6})?$':
    'the 10 or 16 hexadecimal digits by which a report names a network, such as 5a1fe03b7c',
  '^[^@\\s]+$': 'the domain of an email address, such as example.org',
  '^\\s*[^\\s,][^,]*$': 'a text without commas, such as clean air',
  '\\S[\\s\\S]*\\S': 'two visible characters or more, such as Friends of the River',
  '^2\\d{3}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$':
    'a time from 2000 on, such as 2027-01-31T12:00:00Z',
};

/** What a pattern expects, in words; undefined if none are known. */
export function patternInWords(pattern: string): string | undefined {
  const [, values] = /^\^\(([\w|]+)\)\(,\(\1\)\)\*\$$/.exec(pattern) ?? [];
  return values === undefined
    ? patterns[pattern]
    : `one or more of ${values.split('|').join(', ')}, separated by commas`;
}

/** What each format expects, for messages. */
const formats: Record<string, string> = {
  date: 'a date, such as 2026-01-31',
  'date-time': 'a time of RFC 3339, such as 2026-01-31T12:00:00Z',
  email: 'an email address, such as name@example.org',
  uuid: 'a UUID, such as 01890a5d-ac96-774b-bcce-b302099a8057',
  uri: 'an address with a scheme, such as https://example.org/',
  'web-url': 'a web address, such as https://example.org/',
};

/** The types that a value may have: `this, that or another`. */
const inWords = (types: string[]): string =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(
    types.map((type) => typeWords[type] ?? type),
  );

const plural = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;

function messageOf({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `This must be ${inWords([params.type].flat())}.`;
    case fileKeyword:
      return 'This must be a file.';
    case 'minLength':
      return params.limit === 1
        ? 'This must not be empty.'
        : `This must have at least ${params.limit} characters.`;
    case 'maxLength':
      return `This must have at most ${plural(params.limit, 'character')}.`;
    case 'minItems':
      return `This must have at least ${plural(params.limit, 'item')}.`;
    case 'maxItems':
      return `This must have at most ${plural(params.limit, 'item')}.`;
    case 'minimum':
      return `This must be ${params.limit} or more.`;
    case 'maximum':
      return `This must be ${params.limit} or less.`;
    case 'format':
      return `This must be ${formats[params.format] ?? 'in the form that the description shows'}.`;
    case 'pattern':
      return `This must be ${patternInWords(params.pattern) ?? 'in the form that the description shows'}.`;
    case 'enum':
      return `This must be one of ${(params.allowedValues as unknown[]).join(', ')}.`;
    case fieldsKeyword:
    case textKeyword:
      return message!;
    case 'exclusiveMinimum':
      return `This must be more than ${params.limit}.`;
    case 'minProperties':
      return 'This must have a member.';
    default:
      return 'This is not accepted.';
  }
}

/** Finds a null byte, which PostgreSQL cannot store, or half of a surrogate pair, which is not a character. */
function findUnstorable(value: unknown, path: string): FieldError | undefined {
  if (typeof value === 'string') {
    const message = storageProblem(value);
    return message === undefined ? undefined : { field: path, message, code: 'invalid_characters' };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key in value) {
    const memberPath = path ? `${path}.${key}` : key;
    const unstorable =
      findUnstorable(key, path) ??
      findUnstorable((value as Record<string, unknown>)[key], memberPath);
    if (unstorable) return unstorable;
  }
  return undefined;
}
