import { Type } from 'typebox';
import { asPage } from '../../platform/html.ts';
import { raw, route } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { readablePetition, type NoteRead } from '../../campaigns/petitions/petitions.ts';
import { PetitionRef, ReadQuery } from '../../campaigns/petitions/schema.ts';
import { petitionPage } from './page.ts';

export const petitionPageSlice = (noteRead: NoteRead): Slice => ({
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
      query: ReadQuery,
      returns: raw('text/html'),
      problems: ['forbidden', 'not-found'],
      failures: asPage,
      handle: async (call) => {
        const { ctx, params, query, header } = call;
        const petition = await readablePetition(ctx, null, params.slug, query.access_code);
        noteRead(petition, call);
        return petitionPage(ctx, header, petition);
      },
    }),
  ],
});
