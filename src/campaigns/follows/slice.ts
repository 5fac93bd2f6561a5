import { giveRows } from '../../platform/rows-of-accounts.ts';
import { nothing, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { AccessCodeQuery, PetitionRef } from '../petitions/schema.ts';
import { followPetition, unfollowPetition } from './follows.ts';
import { eraseFollows, exportFollows } from './queries.ts';

const api = routes('Petitions');

export const followsSlice = (): Slice => ({
  routes: [
    api.put('/v1/petitions/{id}/follow', {
      id: 'followPetition',
      summary: 'Follow a petition',
      description:
        'You are reminded a day before its closing date, unless you have signed by then. 204 also if you follow it.',
      auth: { access: 'user' },
      params: PetitionRef,
      query: AccessCodeQuery,
      returns: nothing(),
      problems: ['forbidden', 'not-found'],
      handle: ({ ctx, caller, params, query }) =>
        followPetition(ctx, caller, { ref: params.id, code: query.access_code }),
    }),
    api.delete('/v1/petitions/{id}/follow', {
      id: 'unfollowPetition',
      summary: 'Stop following a petition',
      description: '204 also if you do not follow it.',
      auth: { access: 'user' },
      params: PetitionRef,
      query: AccessCodeQuery,
      returns: nothing(),
      problems: ['forbidden', 'not-found'],
      handle: ({ ctx, caller, params, query }) =>
        unfollowPetition(ctx, caller, { ref: params.id, code: query.access_code }),
    }),
  ],
  personalData: {
    name: 'follows',
    export: exportFollows,
    erase: eraseFollows,
    quarantine: {
      release: async (tx, accounts) => {
        await giveRows(
          tx,
          { table: 'petition_follows', column: 'user_id', once: ['petition_id'] },
          accounts,
        );
      },
    },
  },
});
