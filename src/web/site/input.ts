import type { Static, TSchema } from 'typebox';
import { compileValidator, type Validator } from '../../platform/http/validation.ts';
import { validationFailed, type FieldError } from '../../platform/problems.ts';

const validators = new WeakMap<object, Validator>();

/**
 * Checks the input of a form against the schema of the API's body. `errors` were found before.
 * @throws {Problem} validation-failed, with the fields by name
 */
export function checkInput<T extends TSchema>(
  schema: T,
  value: unknown,
  errors: readonly FieldError[] = [],
): Static<T> {
  let validate = validators.get(schema);
  if (!validate) validators.set(schema, (validate = compileValidator(schema, 'body')));
  const all = [...errors, ...validate(value)];
  if (all.length > 0) throw validationFailed(...all);
  return value as Static<T>;
}

/** Digits as we write them, where somebody typed those of Arabic or Persian keyboards. */
export const withOurDigits = (text: string): string =>
  text.replaceAll(/[٠-٩۰-۹]/g, (digit) => String(digit.codePointAt(0)! % 16));

/** The digits of a code, as some type it, or paste it: in groups. */
export const digitsIn = (text: string): string => withOurDigits(text).replaceAll(/[\s-]/g, '');

/**
 * A whole number that was typed, perhaps in groups of thousands. Anything else stays a text, so that it is
 * refused by its field: 2.5 is not 25.
 */
export const numberIn = (text: string): number | string | undefined => {
  if (text === '') return undefined;
  const digits = withOurDigits(text).replaceAll(/[\s,.'’\u066c](?=\d{3}(?!\d))/g, '');
  return /^-?\d+$/.test(digits) ? Number(digits) : text;
};

/** Leaves out what was left empty. */
export const given = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(value).filter(([, one]) => one !== '' && one !== undefined),
  ) as Partial<T>;

/** Where a form leads afterwards: an address of this site, and of no other. */
export function ownPath(text: string | undefined, otherwise: string): string {
  if (!text?.startsWith('/') || text.includes('\\')) return otherwise;
  const base = 'http://here.invalid';
  const url = URL.parse(text, base);
  // Of `/.//there` only `//there` is left, which names a host.
  if (url?.origin !== base || url.pathname.startsWith('//')) return otherwise;
  return url.pathname + url.search + url.hash;
}

/** What a page of a list asks of its domain function. */
export const pageOf = ({ cursor }: Record<string, string>): { cursor?: string } =>
  cursor ? { cursor } : {};
