import { Type } from 'typebox';
import { asPage } from '../../platform/pages/failures.ts';
import { raw, route } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { readablePetition } from '../../campaigns/petitions/petitions.ts';
import { AccessCodeQuery, PetitionRef } from '../../campaigns/petitions/schema.ts';
import { petitionPage } from './page.ts';

export const petitionPageSlice = (): Slice => ({
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
      query: AccessCodeQuery,
      returns: raw('text/html'),
      problems: ['forbidden', 'not-found'],
      failures: asPage,
      handle: async ({ ctx, params, query, header }) =>
        petitionPage(
          ctx,
          header,
          await readablePetition(ctx, null, params.slug, query.access_code),
        ),
    }),
  ],
});
