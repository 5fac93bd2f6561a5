import { Type } from 'typebox';
import type { Context } from '../context.ts';
import { RenderedPage } from '../http/rendered-page.ts';
import { raw, routes } from '../http/route.ts';
import { page, type Page } from '../pages/page.ts';
import { notFound } from '../problems.ts';
import type { Slice } from '../slice.ts';
import type { Description } from './description.ts';
import { guidePages, llmsText, referenceAssets, referencePages, type MakePage } from './pages.ts';

type FindPage = (slug: string) => MakePage | undefined;

const api = routes('Pages');
const common = {
  page: true,
  module: 'developers',
  auth: { access: 'anyone', ignoresCredentials: true },
  returns: raw('text/html'),
} as const;

/** The reference of the API for people: an index, and a page for each group of operations. */
export function apiReferenceSlice({ site }: Pick<Context, 'site'>, describe: () => object): Slice {
  const pages = new Map<string, RenderedPage>();
  let finders: { group: FindPage; guide: FindPage } | undefined;
  site.onChange(() => pages.clear());
  /** Renders each page once, when it is asked for first: all of them would hold up the process for 60 ms. */
  const pageOf = (kind: 'group' | 'guide', slug = ''): RenderedPage => {
    const key = `${kind} ${slug}`;
    const known = pages.get(key);
    if (known) return known;
    const description = describe() as Description;
    finders ??= { group: referencePages(description), guide: guidePages(description) };
    const make = finders[kind](slug);
    if (!make) throw notFound('page');
    const rendered = renderOnce(make(site.current));
    pages.set(key, rendered);
    return rendered;
  };
  return {
    assets: referenceAssets,
    routes: [
      api.get('/llms.txt', {
        ...common,
        id: 'getLlmsText',
        summary: 'The reference and the guide, for language models',
        returns: raw('text/plain'),
        handle({ header }) {
          header('cache-control', 'public, max-age=3600');
          const body = llmsText(describe() as Description);
          return { mediaType: 'text/plain; charset=utf-8', body };
        },
      }),
      api.get('/docs', {
        ...common,
        id: 'showReference',
        summary: 'The operations of the API',
        handle: () => pageOf('group'),
      }),
      api.get('/docs/{group}', {
        ...common,
        id: 'showReferenceGroup',
        summary: 'The operations of a group',
        params: Type.Object({ group: Type.String() }),
        problems: ['not-found'],
        handle: ({ params }) => pageOf('group', params.group),
      }),
      api.get('/docs/guides/{name}', {
        ...common,
        id: 'showGuide',
        summary: 'A page of the guide to the API',
        params: Type.Object({ name: Type.String() }),
        problems: ['not-found'],
        handle: ({ params }) => pageOf('guide', params.name),
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
