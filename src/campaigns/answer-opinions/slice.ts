import { giveRows } from '../../platform/rows-of-accounts.ts';
import { nothing, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { AccessCodeQuery } from '../petitions/schema.ts';
import { giveOpinion, withdrawOpinion } from './answer-opinions.ts';
import { eraseOpinions, exportOpinions } from './queries.ts';
import { AnsweredRef, minShownOpinions, OpinionInput } from './schema.ts';

const api = routes('Decision makers');

export const answerOpinionsSlice = (): Slice => ({
  routes: [
    api.put('/v1/responses/{id}/opinion', {
      id: 'giveOpinion',
      summary: 'Say whether a response answers a petition that you have signed',
      description: `Replaces what you said before. Shown to nobody else: responses have sums, from ${minShownOpinions} opinions on. It ends with your signature.`,
      auth: { access: 'user' },
      params: AnsweredRef,
      query: AccessCodeQuery,
      body: { schema: OpinionInput, example: { opinion: 'partly' } },
      returns: nothing(),
      problems: ['forbidden', 'not-found'],
      handle: ({ ctx, caller, params, query, body }) =>
        giveOpinion(ctx, caller, { id: params.id, code: query.access_code }, body.opinion),
    }),
    api.delete('/v1/responses/{id}/opinion', {
      id: 'withdrawOpinion',
      summary: 'Take back what you said of a response',
      description: '204 also if you have said nothing of it.',
      auth: { access: 'user' },
      params: AnsweredRef,
      query: AccessCodeQuery,
      returns: nothing(),
      problems: ['forbidden', 'not-found'],
      handle: ({ ctx, caller, params, query }) =>
        withdrawOpinion(ctx, caller, { id: params.id, code: query.access_code }),
    }),
  ],
  personalData: {
    name: 'answer_opinions',
    export: exportOpinions,
    erase: eraseOpinions,
    quarantine: {
      release: async (tx, accounts) => {
        await giveRows(
          tx,
          { table: 'answer_opinions', column: 'user_id', once: ['response_id'] },
          accounts,
        );
      },
    },
  },
});
