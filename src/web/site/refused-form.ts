import type { Context } from '../../platform/context.ts';
import type { ProblemCode } from '../../platform/problem-codes.ts';
import { equalInConstantTime } from '../../platform/keys.ts';
import {
  invalidRequest,
  Problem,
  type FieldError,
  type ProblemKind,
} from '../../platform/problems.ts';

/** What a refused form was sent with, and why it was refused. */
export interface RefusedInput {
  values: Record<string, unknown>;
  problem: Problem;
}

/** Field of the language form with the refused form of its page. */
export const refusedField = '_refused';

interface SealedForm {
  kind: ProblemKind;
  code?: ProblemCode;
  localCode?: string;
  message: string;
  errors?: FieldError[];
  values: Record<string, string | string[]>;
}

/**
 * Returns a refused form as a text, for the language form of its page: the form is shown again in another language, and
 * what was typed stands in no address. It is sealed, so that a page shows only problems that the service has found.
 */
export function sealRefused(ctx: Context, { values, problem }: RefusedInput): string {
  const { kind, code, localCode, message, errors } = problem;
  const text = JSON.stringify({
    kind,
    code,
    localCode,
    message,
    errors,
    values: keptValues(values),
  });
  return `${sealOf(ctx, text)}.${text}`;
}

/**
 * Returns the refused form that a form carries; undefined if it carries none.
 * @throws {Problem} invalid-request if the seal is wrong
 */
export function unsealRefused(
  ctx: Context,
  { [refusedField]: sealed }: Record<string, unknown>,
): RefusedInput | undefined {
  if (sealed === undefined) return undefined;
  const [seal, text] = typeof sealed === 'string' ? splitAtFirst(sealed, '.') : ['', ''];
  if (!equalInConstantTime(seal, sealOf(ctx, text))) {
    throw invalidRequest('This form was changed on its way.');
  }
  const { kind, message, values, ...options } = JSON.parse(text) as SealedForm;
  return { values, problem: new Problem(kind, message, options) };
}

const sealOf = ({ keys }: Context, text: string): string =>
  keys.hash('refused-form', text).toString('base64url');

const splitAtFirst = (text: string, separator: string): [string, string] => {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
};

/** The texts that were typed. Passwords are never written into a page; names with `_` are not of the form's input. */
export const keptValues = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) =>
        !name.startsWith('_') &&
        !name.includes('password') &&
        (typeof value === 'string' || Array.isArray(value)),
    ),
  );
