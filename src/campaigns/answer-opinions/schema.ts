import { Type, type Static } from 'typebox';
import { idOf, named, nullable, oneOf } from '../../platform/http/schema.ts';

export const opinions = ['answers', 'partly', 'not'] as const;
export type Opinion = (typeof opinions)[number];

/** Fewer opinions are not shown: they would say who holds which. */
export const minShownOpinions = 10;

export const OpinionInput = Type.Object({
  opinion: oneOf(opinions, {
    description: 'Whether it answers what the petition asks: it does, partly, or not.',
  }),
});
export type OpinionInput = Static<typeof OpinionInput>;

export const OpinionSums = nullable(
  named(
    'OpinionSums',
    Type.Object({
      answers: Type.Integer({ description: 'Signers for whom it answers the petition' }),
      partly: Type.Integer({ description: 'For whom it does so partly' }),
      not: Type.Integer({ description: 'For whom it does not' }),
      total: Type.Integer(),
    }),
  ),
);
export type OpinionSums = Static<typeof OpinionSums>;

export const AnsweredRef = Type.Object({ id: idOf('the response') });
