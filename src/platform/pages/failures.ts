import { html } from '../html.ts';
import type { FailureForm } from '../http/route.ts';
import { problemKinds } from '../problems.ts';
import { htmlType, page } from './page.ts';

/** Tells failures to people, as a page. */
export const asPage: FailureForm = {
  mediaType: htmlType,
  statusOf: (kind) => problemKinds[kind].status,
  write(problem, header) {
    const title = problem.status < 500 ? 'This did not work' : 'Something went wrong';
    const main = html`<h1>${title}</h1>
      <p role="alert">${problem.message}</p>
      <p><a href="/">To the first page</a></p>`;
    return page(header, { title, main }).body as string;
  },
};
