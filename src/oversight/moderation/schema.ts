import { Type, type Static } from 'typebox';
import { categoryLanguage } from '../../campaigns/categories/schema.ts';
import {
  petitionStatuses,
  PetitionSummary,
  visibilities,
} from '../../campaigns/petitions/schema.ts';
import { named, oneOf, pageQuery, Timestamp, VisibleText } from '../../platform/http/schema.ts';

export const AdminPetition = named(
  'AdminPetition',
  Type.Object(
    {
      ...PetitionSummary.properties,
      visibility: oneOf(visibilities),
      tags: Type.Array(Type.String()),
      status_since: Type.Unsafe<Date | string>({
        ...Timestamp,
        description: 'Since when it has been in its state.',
      }),
      open_reports: Type.Integer(),
      url: Type.String({ format: 'uri', description: 'Where the API shows it whole.' }),
    },
    { description: 'A petition as moderators see it in their queue.' },
  ),
);
export type AdminPetition = Static<typeof AdminPetition>;

export const PetitionQueueQuery = Type.Object({
  status: Type.Optional(oneOf(petitionStatuses, { default: 'under_review' })),
  ...categoryLanguage,
  ...pageQuery,
});
export type PetitionQueueQuery = Static<typeof PetitionQueueQuery>;

export const DecisionInput = Type.Object({
  reason: VisibleText({ minLength: 1, maxLength: 2000 }),
});
