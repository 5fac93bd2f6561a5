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

/**
 * A failure as what a page consists of, in these words. Where a request was wrong that no form of this page
 * sent, it says what was, for who made the request.
 */
export function failureMain(language: Language, problem: Problem, text: Html): Html {
  const say = speak(failureTexts, language);
  const { kind, errors = [], message } = problem;
  const isWrong = byKind[kind] === 'invalid';
  const faults =
    errors.length > 0 ? errors.map((one) => `${one.field}: ${one.message}`) : [message];
  return html`<h1>${failureTitle(language, problem)}</h1>
<p role="alert">${isWrong ? say('invalid_page') : text}</p>
${isWrong && html`<ul class="small" lang="en" dir="ltr">${faults.map((one) => html`<li>${one}</li>`)}</ul>\n`}<p><a href="/">${say('home')}</a></p>`;
}

/** Tells failures to people, as a page. */
export const asPage: FailureForm = {
  mediaType: htmlType,
  statusOf: (kind) => problemKinds[kind].status,
  write(problem, header, headers) {
    const language = languageOf(headers);
    const title = failureTitle(language, problem);
    const main = failureMain(language, problem, failureText(language, problem));
    header('vary', 'Accept-Language, Cookie');
    return page(header, { title, main, language }).body as string;
  },
};
