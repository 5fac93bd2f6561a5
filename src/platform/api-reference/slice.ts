import { Type } from 'typebox';
import { RenderedPage } from '../http/rendered-page.ts';
import { raw, routes } from '../http/route.ts';
import { page, type Page } from '../pages/page.ts';
import { notFound } from '../problems.ts';
import type { Slice } from '../slice.ts';
import type { Description } from './description.ts';
import { referenceAssets, referencePages } from './pages.ts';

const api = routes('Pages');
const common = {
  page: true,
  auth: { access: 'anyone', ignoresCredentials: true },
  returns: raw('text/html'),
} as const;

/** The reference of the API for people: an index, and a page for each group of operations. */
export function apiReferenceSlice(describe: () => object): Slice {
  const pages = new Map<string | undefined, RenderedPage>();
  let makePage: ReturnType<typeof referencePages> | undefined;
  /** Renders each page once, when it is asked for first: all of them would hold up the process for 60 ms. */
  const pageOf = (slug?: string): RenderedPage => {
    const known = pages.get(slug);
    if (known) return known;
    makePage ??= referencePages(describe() as Description);
    const content = makePage(slug);
    if (!content) throw notFound('group of operations');
    const rendered = renderOnce(content);
    pages.set(slug, rendered);
    return rendered;
  };
  return {
    assets: referenceAssets,
    routes: [
      api.get('/docs', {
        ...common,
        id: 'showReference',
        summary: 'The operations of the API',
        handle: () => pageOf(),
      }),
      api.get('/docs/{group}', {
        ...common,
        id: 'showReferenceGroup',
        summary: 'The operations of a group',
        params: Type.Object({ group: Type.String() }),
        problems: ['not-found'],
        handle: ({ params }) => pageOf(params.group),
      }),
    ],
  };
}

function renderOnce(content: Page): RenderedPage {
  const headers: Record<string, string> = {};
  const { mediaType, body } = page((name, value) => {
    headers[name] = value;
  }, content);
  return new RenderedPage({ mediaType, body: body as string }, { headers, effort: 'once' });
}
