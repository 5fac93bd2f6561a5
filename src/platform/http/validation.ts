import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';
import { notFound, type FieldError, type FieldErrorCode } from '../problems.ts';
import { schemaName } from './schema.ts';

const options = { allErrors: true, strict: false, verbose: true, useDefaults: true } as const;
/** Bodies are taken as they are: a number in quotes is a text. */
const bodies = prepare(new Ajv(options));
/** Query and path hold texts only, so numbers and booleans are read from them. */
const texts = prepare(new Ajv({ ...options, coerceTypes: true }));

function prepare(ajv: Ajv): Ajv {
  ajvFormats.default(ajv, ['date', 'date-time', 'email', 'uri', 'uuid']);
  ajv.addKeyword(schemaName);
  ajv.addFormat('web-url', (text) => {
    const url = URL.parse(text);
    return url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
  });
  return ajv;
}

/** Annotation of an array schema: the code told when there are too many items. */
export const tooManyCode = 'x-too-many';

export type Part = 'body' | 'query' | 'params';

/** Gives the errors of a value against the schema, and fills in its defaults. */
export type Validator = (value: unknown) => FieldError[];

export function compileValidator(schema: object, part: Part): Validator {
  const validate = (part === 'body' ? bodies : texts).compile(schema);
  return (value) => {
    const unstorable = findUnstorable(value, '');
    if (unstorable) return [unstorable];
    return validate(value) ? [] : fieldErrors(validate);
  };
}

/** A path value that is not of the form of an id names nothing. */
export function checkParams(validate: Validator, params: unknown): void {
  if (validate(params).length > 0) throw notFound('resource');
}

function fieldErrors(validate: ValidateFunction): FieldError[] {
  const errors = (validate.errors ?? []).filter((error) => error.keyword !== 'anyOf');
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
  return { field: path, message: messageOf(error), code: codeOf(error) };
}

const codes: Record<string, FieldErrorCode> = {
  type: 'invalid_type',
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
};

function codeOf(error: ErrorObject): FieldErrorCode {
  const special = error.parentSchema?.[tooManyCode];
  if (error.keyword === 'maxItems' && typeof special === 'string') return special as FieldErrorCode;
  return codes[error.keyword] ?? 'invalid_value';
}

function messageOf({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `This must be of type ${[params.type].flat().join(' or ')}.`;
    case 'minLength':
      return `This must have at least ${params.limit} characters.`;
    case 'maxLength':
      return `This must have at most ${params.limit} characters.`;
    case 'minItems':
      return `This must have at least ${params.limit} items.`;
    case 'maxItems':
      return `This must have at most ${params.limit} items.`;
    case 'minimum':
      return `This must be ${params.limit} or more.`;
    case 'maximum':
      return `This must be ${params.limit} or less.`;
    case 'format':
      return `This must be a valid ${params.format}.`;
    case 'enum':
      return `This must be one of ${(params.allowedValues as unknown[]).join(', ')}.`;
    default:
      return `This ${message ?? 'is not valid'}.`;
  }
}

/** PostgreSQL stores no null byte, and half of a surrogate pair is no character: both are refused. */
function findUnstorable(value: unknown, path: string): FieldError | undefined {
  if (typeof value === 'string') {
    if (!value.includes('\0') && value.isWellFormed()) return undefined;
    return {
      field: path,
      message: 'This holds a null byte or half a character, which cannot be stored.',
      code: 'invalid_value',
    };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (!key.isWellFormed() || key.includes('\0')) return findUnstorable(key, path);
    const found = findUnstorable(member, path ? `${path}.${key}` : key);
    if (found) return found;
  }
  return undefined;
}
