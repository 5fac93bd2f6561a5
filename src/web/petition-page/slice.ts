import { Type } from 'typebox';
import { asPage } from '../../platform/pages/failures.ts';
import { raw, route, type Call } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { readablePetition } from '../../campaigns/petitions/petitions.ts';
import { PetitionQuery, PetitionRef, type TrailRef } from '../../campaigns/petitions/schema.ts';
import { petitionPage } from './page.ts';

interface PageNeeds {
  /** Counts that somebody was shown a petition by a link with that ref. */
  visited: (call: Call, petition: string, ref: TrailRef | undefined) => void;
}

export const petitionPageSlice = ({ visited }: PageNeeds): Slice => ({
  routes: [
    route({
      id: 'showPetition',
      method: 'GET',
      path: '/p/{slug}',
      summary: 'The page of a petition',
      description: 'With the discovery link of oEmbed, in the page and as a Link header.',
      tag: 'Pages',
      access: 'anyone',
      ignoresCredentials: true,
      params: Type.Object({ slug: PetitionRef.properties.id }),
      query: PetitionQuery,
      returns: raw('text/html'),
      problems: ['forbidden', 'not-found'],
      failures: asPage,
      handle: async (call) => {
        const { ctx, params, query, header } = call;
        const petition = await readablePetition(ctx, null, params.slug, query.access_code);
        visited(call, params.slug, query.ref);
        return petitionPage(ctx, header, petition);
      },
    }),
  ],
});
