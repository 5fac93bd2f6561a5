import type { RawAnswer } from '../../platform/http/route.ts';
import { RenderedPage } from '../../platform/http/rendered-page.ts';
import type { View } from './view.ts';

interface SharedPage {
  /** Of the cache. */
  group: string;
  /** Distinguishes the pages of a group, beside the language. */
  key: string;
  /** What links on the page take for its address: without what is only the first visitor's. */
  path: string;
}

/** Whether the page is the same for everybody: for visitors without a cookie. */
export const isShared = ({ browser, outcome }: View): boolean => !browser && !outcome;

/** A page for visitors without a cookie, rendered once a second for each language. */
export function sharedPage(
  view: View,
  { group, key, path }: SharedPage,
  render: (view: View) => Promise<RawAnswer>,
): Promise<RenderedPage> {
  const cacheKey = JSON.stringify([key, view.language]);
  return view.ctx.cache.read(group, cacheKey, async () => {
    const headers: Record<string, string> = {};
    const header: View['header'] = (name, value) => {
      headers[name] = value;
    };
    const { mediaType, body } = await render({ ...view, path, header });
    return new RenderedPage({ mediaType, body: body as string }, { headers, effort: 'often' });
  });
}
