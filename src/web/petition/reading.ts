import type { RawAnswer } from '../../platform/http/route.ts';
import { WrittenPage } from '../../platform/http/written-page.ts';
import { readablePetition, type PetitionRow } from '../../campaigns/petitions/read.ts';
import { callerOf, type View } from '../site/site.ts';
import { arrivalOf, doneTexts, pathTo, trailOf, type Arrival, type Done } from './addresses.ts';
import { petitionPage, privatePage } from './page.ts';
import { readParts } from './parts.ts';
import { Problem } from '../../platform/problems.ts';

type Query = Record<string, string>;

/**
 * The page as who looks may see it. For all who are not known to the site it is made once a second for each
 * language, however often it is read and signed meanwhile, and written out.
 */
export async function readPetition(
  view: View,
  slug: string,
  query: Query,
  wasShown: (petition: PetitionRow) => void,
): Promise<RawAnswer | WrittenPage> {
  const { access_code: code, done } = query;
  const arrival = arrivalOf(query);
  try {
    if (!view.browser && code === undefined && done === undefined) {
      const page = await pageForStrangers(view, slug, arrival);
      wasShown(await readablePetition(view.ctx, null, slug, undefined));
      return page;
    }
    const parts = await readParts(view.ctx, callerOf(view), slug, code);
    // What a form leads back to was not come for.
    if (!knownDone(done)) wasShown(await readablePetition(view.ctx, callerOf(view), slug, code));
    return petitionPage(view, { parts, code, arrival, done: knownDone(done) });
  } catch (error) {
    if (error instanceof Problem && error.code === 'access_code_required') {
      return privatePage(view, slug, code !== undefined);
    }
    throw error;
  }
}

function pageForStrangers(view: View, slug: string, arrival: Arrival): Promise<WrittenPage> {
  const { ctx, language } = view;
  const key = JSON.stringify([slug, language, arrival]);
  return ctx.cache.read('petition-pages', key, async () => {
    const parts = await partsForStrangers(view, slug);
    const headers: Record<string, string> = {};
    const header: View['header'] = (name, value) => {
      headers[name] = value;
    };
    // Without what else the address of the first of them said.
    const path = pathTo(slug, { more: trailOf(arrival) });
    const { mediaType, body } = petitionPage({ ...view, path, header }, { parts, arrival });
    return WrittenPage.of({ mediaType, body: body as string }, headers);
  });
}

/** The same for every language and way to the page. */
async function partsForStrangers({ ctx }: View, slug: string) {
  const row = await readablePetition(ctx, null, slug, undefined);
  return ctx.cache.read('petition-parts', row.id, () => readParts(ctx, null, row.id, undefined));
}

const knownDone = (done: string | undefined): Done | undefined =>
  doneTexts.find((one) => one === done);
