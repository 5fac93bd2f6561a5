import { localPath } from '../../platform/pages/path.ts';
import type { Static, TSchema } from 'typebox';
import { compileValidator } from '../../platform/http/validation.ts';
import { validationFailed, type FieldError } from '../../platform/problems.ts';

/**
 * Validates the input of a form by the schema of the API. `errors` were found before.
 * @throws {Problem} validation-failed, with the fields by name
 */
export function checkInput<T extends TSchema>(
  schema: T,
  value: unknown,
  errors: readonly FieldError[] = [],
): Static<T> {
  const allErrors = [...errors, ...compileValidator(schema, 'body')(value)];
  if (allErrors.length > 0) throw validationFailed(...allErrors);
  return value as Static<T>;
}

/** Replaces Arabic and Persian digits by ASCII digits. */
export const toAsciiDigits = (text: string): string =>
  text.replaceAll(/[٠-٩۰-۹]/g, (digit) => String(digit.codePointAt(0)! % 16));

/** The digits of a code, which may be typed in groups. */
export const digitsIn = (text: string): string => toAsciiDigits(text).replaceAll(/[\s-]/g, '');

/** A whole number, perhaps in groups of thousands. Other texts are returned as they are, so that validation fails. */
export const numberIn = (text: string): number | string | undefined => {
  if (text === '') return undefined;
  const digits = toAsciiDigits(text).replaceAll(/[\s,.'’\u066c](?=\d{3}(?!\d))/g, '');
  return /^-?\d+$/.test(digits) ? Number(digits) : text;
};

/** Leaves out empty and undefined members. */
export const omitEmpty = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(value).filter(([, one]) => one !== '' && one !== undefined),
  ) as Partial<T>;

/** Path, query and fragment of an address on this site; `otherwise` for any other text. */
export const localPathOr = (text: string | undefined, otherwise: string): string =>
  localPath(text) ?? otherwise;

/** The cursor of a list's page, for its domain function. */
export const pageOf = ({ cursor }: Record<string, string>): { cursor?: string } =>
  cursor ? { cursor } : {};
