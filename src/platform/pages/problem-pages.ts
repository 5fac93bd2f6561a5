import { html, type Html } from '../html.ts';
import type { FailureFormat } from '../http/route.ts';
import { problemKinds, type Problem, type ProblemKind } from '../problems.ts';
import { speak, type Catalog } from './catalog.ts';
import { languageOf, type Language } from './language.ts';
import { htmlType, page } from './page.ts';
import { failureTexts } from './texts.ts';

type FailureText = typeof failureTexts extends Catalog<infer Name> ? Name : never;

const textByKind: Partial<Record<ProblemKind, FailureText>> = {
  unauthorized: 'wrong_credentials',
  forbidden: 'forbidden',
  'not-found': 'not_found',
  conflict: 'conflict',
  gone: 'gone',
  'precondition-failed': 'conflict',
  'payload-too-large': 'too_large',
  'rate-limited': 'rate_limited',
  'validation-failed': 'invalid',
  'invalid-request': 'invalid',
  'method-not-allowed': 'wrong_method',
};

/** Texts that say more to people than the message of the API does. */
const plainTexts = new Set<FailureText | undefined>(['not_found', 'invalid', 'wrong_method']);

/** The text of a problem. In English, the message of the API is more precise, with few exceptions. */
export function failureText(language: Language, problem: Problem): Html {
  const { kind, status, message } = problem;
  const code = problem.code ?? problem.localCode;
  const isNamed =
    code === 'account_suspended' || code === 'signup_closed' || code === 'busy_network';
  const name = isNamed ? code : textByKind[kind];
  if (language === 'en' && status < 500 && !plainTexts.has(name)) {
    return html`${message}`;
  }
  return speak(failureTexts, language)(name ?? 'server_problem');
}

/** The title of the page for a problem. */
export const failureTitle = (language: Language, { kind }: Problem): Html =>
  speak(failureTexts, language)(kind === 'not-found' ? 'not_found_title' : 'problem_title');

/** The content of the page for a problem. It lists the errors of an invalid request, for its developer. */
export function failureMain(language: Language, problem: Problem, text: Html): Html {
  const say = speak(failureTexts, language);
  const { kind, errors = [], message } = problem;
  const isInvalid = textByKind[kind] === 'invalid';
  const errorTexts =
    errors.length > 0 ? errors.map((one) => `${one.field}: ${one.message}`) : [message];
  return html`<h1>${failureTitle(language, problem)}</h1>
<p role="alert">${isInvalid ? say('invalid_page') : text}</p>
${isInvalid && html`<ul class="small" lang="en" dir="ltr">${errorTexts.map((one) => html`<li>${one}</li>`)}</ul>\n`}<p><a href="/">${say('home')}</a></p>`;
}

/** Renders problems as HTML pages. */
export const asPage: FailureFormat = {
  mediaType: htmlType,
  statusOf: (kind) => problemKinds[kind].status,
  write(problem, { ctx, header, headers }) {
    const site = ctx.site.current;
    const language = languageOf(headers, site);
    const title = failureTitle(language, problem);
    const main = failureMain(language, problem, failureText(language, problem));
    header('vary', 'Accept-Language, Cookie');
    return page(header, { title, main, language, site }).body as string;
  },
};
