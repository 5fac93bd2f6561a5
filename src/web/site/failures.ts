import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import type { FieldError, Problem } from '../../platform/problems.ts';
import { sitePage } from './frame.ts';
import type { SiteText } from './texts.ts';
import type { View } from './view.ts';

/** What the pages say of a failure: by its code, else by its kind. */
const byCode: Record<string, SiteText> = {
  form_expired: 'form_expired',
  duplicate_signature: 'duplicate_signature',
  account_suspended: 'account_suspended',
  email_in_use: 'email_in_use',
  email_not_verified: 'email_not_verified',
  invalid_state: 'invalid_state',
  member_limit_reached: 'member_limit',
  name_in_use: 'name_in_use',
};
const byKind: Partial<Record<Problem['kind'], SiteText>> = {
  unauthorized: 'wrong_credentials',
  forbidden: 'forbidden',
  'not-found': 'not_found',
  conflict: 'conflict',
  gone: 'gone',
  'payload-too-large': 'too_large',
  'rate-limited': 'rate_limited',
  'validation-failed': 'invalid',
  'invalid-request': 'invalid',
};

/** A failure in the language of who looks. In English the API's own words say more. */
export function problemText({ say, language }: View, problem: Problem): Html {
  const name = byCode[problem.code ?? ''] ?? byKind[problem.kind];
  if (language === 'en' && problem.status < 500 && name !== 'not_found' && name !== 'invalid') {
    return html`${problem.message}`;
  }
  return say(name ?? 'server_problem');
}

/** What is wrong with one field, in the language of who looks. */
export function fieldErrorText({ say, language }: View, { code, message }: FieldError): Html {
  if (language === 'en') return html`${message}`;
  const [limit] = /\d+/.exec(message) ?? [];
  switch (code) {
    case 'required':
      return say('error_required');
    case 'too_small':
      return limit === undefined || limit === '1'
        ? say('error_required')
        : say('error_too_small', { limit: Number(limit) });
    case 'too_big':
      return say('error_too_big', { limit: limit === undefined ? '' : Number(limit) });
    case 'tag_limit_exceeded':
      return say('error_tag_limit');
    default:
      return say('error_invalid');
  }
}

/** A failure as a page of its own. */
export function failurePage(view: View, problem: Problem): RawAnswer {
  const { say } = view;
  const title = say(problem.kind === 'not-found' ? 'not_found_title' : 'problem_title');
  return sitePage(view, {
    title,
    status: problem.status,
    main: html`<h1>${title}</h1>
<p role="alert">${problemText(view, problem)}</p>
<p><a href="/">${say('home')}</a></p>`,
  });
}
