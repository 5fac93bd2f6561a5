import { createHash } from 'node:crypto';
import { problemKinds } from './problems.ts';
import type { Call, FailureForm, RawAnswer } from './http/route.ts';

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in HTML, in content and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character]!);

const htmlType = 'text/html; charset=utf-8';

// Colours are the browser's own, which contrast in light and dark alike.
const style = `:root{color-scheme:light dark}
body{font:1.05rem/1.6 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;overflow-wrap:anywhere}
h1{line-height:1.25}
label{display:block;margin:1rem 0}
input,textarea,button{font:inherit;box-sizing:border-box;padding:.5rem .75rem}
input,textarea{display:block;width:100%}
input[type=radio]{display:inline;width:auto;margin-right:.5rem}
fieldset{border:1px solid;margin:1rem 0}fieldset label{margin:.25rem 0}
button{margin:.5rem .5rem 0 0}
.text{white-space:pre-wrap}
[role=alert]{border-left:.25rem solid;padding-left:.75rem;font-weight:600}`;

interface Page {
  title: string;
  /** HTML, with every value in it escaped. */
  body: string;
  /** Where it is not that of the route. */
  status?: number;
  /** Where forms of the page may lead, as sources of form-action. A page with a form is kept by nobody. */
  formsLeadTo?: string;
}

/** A small page of text, with forms where that is said. */
export function page(
  header: Call['header'],
  { title, body, status, formsLeadTo }: Page,
): RawAnswer {
  header(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; " +
      `form-action ${formsLeadTo ?? "'none'"}`,
  );
  header('referrer-policy', formsLeadTo ? 'no-referrer' : 'strict-origin-when-cross-origin');
  if (formsLeadTo) header('cache-control', 'no-store');
  return {
    ...(status && { status }),
    mediaType: htmlType,
    body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style>
</head><body>${body}</body></html>`,
  };
}

/** Tells failures to people, as a page. */
export const asPage: FailureForm = {
  mediaType: htmlType,
  statusOf: (kind) => problemKinds[kind].status,
  write(problem, header) {
    const title = problem.status < 500 ? 'This did not work' : 'Something went wrong';
    const body = `<main><h1>${title}</h1><p role="alert">${escapeHtml(problem.message)}</p></main>`;
    header('cache-control', 'no-store');
    return page(header, { title, body }).body as string;
  },
};

/** The source by which a Content-Security-Policy allows exactly this style or script inside a page. */
export const inlineSource = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
