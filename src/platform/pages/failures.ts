import { html, type Html } from '../html.ts';
import type { FailureForm } from '../http/route.ts';
import { problemKinds, type Problem, type ProblemKind } from '../problems.ts';
import { speak, type Catalog } from './catalog.ts';
import { languageOf, type Language } from './language.ts';
import { htmlType, page } from './page.ts';
import { failureTexts } from './texts.ts';

type FailureText = typeof failureTexts extends Catalog<infer Name> ? Name : never;

const byKind: Partial<Record<ProblemKind, FailureText>> = {
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
export function failureText(language: Language, { kind, code, status, message }: Problem): Html {
  const name = code === 'account_suspended' ? code : byKind[kind];
  if (language === 'en' && status < 500 && name !== 'not_found' && name !== 'invalid') {
    return html`${message}`;
  }
  return speak(failureTexts, language)(name ?? 'server_problem');
}

/** What a page is called that tells a failure. */
export const failureTitle = (language: Language, { kind }: Problem): Html =>
  speak(failureTexts, language)(kind === 'not-found' ? 'not_found_title' : 'problem_title');

/** Tells failures to people, as a page. */
export const asPage: FailureForm = {
  mediaType: htmlType,
  statusOf: (kind) => problemKinds[kind].status,
  write(problem, header, headers) {
    const language = languageOf(headers);
    const title = failureTitle(language, problem);
    const main = html`<h1>${title}</h1>
<p role="alert">${failureText(language, problem)}</p>
<p><a href="/">${speak(failureTexts, language)('home')}</a></p>`;
    header('vary', 'Accept-Language, Cookie');
    return page(header, { title, main, language }).body as string;
  },
};
