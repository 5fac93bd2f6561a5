import type { RawAnswer } from '../../platform/http/route.ts';
import { failureMain, failureTitle } from '../../platform/pages/problem-pages.ts';
import type { Problem } from '../../platform/problems.ts';
import { problemText } from './form-errors.ts';
import { sitePage } from './site-layout.ts';
import type { View } from './view.ts';

/** A page of its own for a problem. */
export function failurePage(view: View, problem: Problem): Promise<RawAnswer> {
  return sitePage(view, {
    title: failureTitle(view.language, problem),
    status: problem.status,
    main: failureMain(view.language, problem, problemText(view, problem)),
  });
}
