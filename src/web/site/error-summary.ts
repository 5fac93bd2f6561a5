import { html, type Content, type Html } from '../../platform/html.ts';
import type { Problem } from '../../platform/problems.ts';
import { problemText } from './form-errors.ts';
import { isNotSentYet } from './kept-forms.ts';
import type { View } from './view.ts';

/** What is wrong with a field, as its page words it. */
interface ShownError {
  /** Id of the element. */
  id: string;
  label: Content;
  text: Content;
}

interface Summary {
  /** Of a form on the page; undefined if none was refused. */
  problem?: Problem;
  /** Replaces the problem's own text. */
  text?: Html | undefined;
  errors: ShownError[];
}

/** What the forms of a page have reported: they are rendered before the top of the page. */
const summaries = new WeakMap<View, Summary>();

function summaryOf(view: View): Summary {
  let summary = summaries.get(view);
  if (!summary) summaries.set(view, (summary = { errors: [] }));
  return summary;
}

/** Reports why a form was refused, for the top of its page; `text` replaces the problem's own text. Renders nothing. */
export function reportProblem(
  view: View,
  { problem }: { problem?: Problem | undefined },
  text?: Html,
): undefined {
  if (problem) Object.assign(summaryOf(view), { problem, text });
}

/** Reports the error of a field, for the top of its page. */
export function reportError(view: View, error: ShownError): void {
  const { errors } = summaryOf(view);
  if (!errors.some(({ id }) => id === error.id)) errors.push(error);
}

/** Says why a form of the page was refused, with links to its fields. It has the focus when the page arrives. */
export function errorSummary(view: View): Html | undefined {
  const { problem, text, errors } = summaryOf(view);
  if (!problem) return undefined;
  const { say } = view;
  if (isNotSentYet(problem)) {
    return html`<p class="notice" role="status">${say('form_kept')}</p>\n`;
  }
  const lead = text ?? (errors.length === 0 && problemText(view, problem));
  return html`<div class="errors" role="alert" tabindex="-1" autofocus><h2>${say('error_heading')}</h2>
${lead && html`<p>${lead}</p>\n`}${
    errors.length > 0 &&
    html`<ul>
${errors.map((error) => html`<li><a href="#${error.id}">${say('labelled', { label: error.label, value: error.text })}</a></li>\n`)}</ul>\n`
  }</div>
`;
}
