import { html, type Html } from '../../platform/html.ts';
import { failureText } from '../../platform/pages/problem-pages.ts';
import type { FieldError, Problem } from '../../platform/problems.ts';
import type { SiteText } from './texts.ts';
import type { View } from './view.ts';

/** Texts of some problems, by their codes. */
const textByCode: Record<string, SiteText> = {
  form_expired: 'form_expired',
  duplicate_signature: 'duplicate_signature',
  email_in_use: 'email_in_use',
  email_not_verified: 'email_not_verified',
  invalid_state: 'invalid_state',
  member_limit_reached: 'member_limit',
  name_in_use: 'name_in_use',
  signing_refused: 'signing_refused',
  wrong_password: 'wrong_password',
};

/** The text of a problem in the language of the view. */
export function problemText({ say, language }: View, problem: Problem): Html {
  // The message of the API is for programs, which have to read again.
  if (problem.kind === 'precondition-failed') return say('changed_meanwhile');
  const name = textByCode[problem.code ?? problem.localCode ?? ''];
  return name && language !== 'en' ? say(name) : failureText(language, problem);
}

/** What a field expects, for the texts of its errors. */
export interface InputConstraints {
  /** Type of its input element. */
  type?: string | undefined;
  /** Units of the limit in one unit of the input: 100 for money. */
  parts?: number | undefined;
  /** Length of a numeric code. */
  digits?: number | undefined;
  inputMode?: string | undefined;
  /** One of several answers is chosen. */
  isChoice?: boolean;
}

/** The error of a field in the language of the view. */
export function fieldErrorText(view: View, error: FieldError, wanted: InputConstraints = {}): Html {
  const { say, language } = view;
  const { code, message } = error;
  const { type, parts = 1, digits, inputMode, isChoice } = wanted;
  const { value, of } = error.limit ?? {};
  const limit = value === undefined ? undefined : value / parts;
  if (isChoice) return say('error_choice');
  switch (code) {
    case 'required':
      return say('error_required');
    case 'too_small':
      if (limit === undefined || (limit === 1 && of)) return say('error_required');
      return say(of === 'character' ? 'error_short' : 'error_too_small', { limit });
    case 'too_big':
      if (limit === undefined) break;
      return say(of === 'character' ? 'error_long' : 'error_too_big', { limit });
    case 'tag_limit_exceeded':
      return say('error_tag_limit');
    case 'password_too_common':
      return say('error_common_password');
    case 'invalid_characters':
      return language === 'en' ? html`${message}` : say('error_characters');
    case 'invalid_type':
      return say(type === 'number' || inputMode === 'numeric' ? 'error_number' : 'error_invalid');
    case 'invalid_format':
      if (type === 'date') return say('error_date', { example: '2026-01-31' });
      if (type === 'email') return say('error_email', { example: 'name@example.org' });
      if (type === 'url') return say('error_url', { example: 'https://' });
      return digits ? say('error_digits', { digits }) : say('error_invalid');
  }
  return language === 'en' ? html`${message}` : say('error_invalid');
}
