import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { failureText, failureTitle } from '../../platform/pages/failures.ts';
import type { FieldError, Problem } from '../../platform/problems.ts';
import { sitePage } from './frame.ts';
import type { SiteText } from './texts.ts';
import type { View } from './view.ts';

/** What the pages say of some failures, by their codes. */
const byCode: Record<string, SiteText> = {
  form_expired: 'form_expired',
  duplicate_signature: 'duplicate_signature',
  email_in_use: 'email_in_use',
  email_not_verified: 'email_not_verified',
  invalid_state: 'invalid_state',
  member_limit_reached: 'member_limit',
  name_in_use: 'name_in_use',
  wrong_password: 'wrong_password',
};

/** A failure in the language of who looks. */
export function problemText({ say, language }: View, problem: Problem): Html {
  const name = byCode[problem.code ?? ''];
  return name && language !== 'en' ? say(name) : failureText(language, problem);
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
  const { say, language } = view;
  const title = failureTitle(language, problem);
  return sitePage(view, {
    title,
    status: problem.status,
    main: html`<h1>${title}</h1>
<p role="alert">${problemText(view, problem)}</p>
<p><a href="/">${say('home')}</a></p>`,
  });
}
