import { Type, type Static } from 'typebox';
import { categoryLanguage } from '../../campaigns/categories/schema.ts';
import {
  petitionStatuses,
  PetitionSummary,
  TextChange,
  visibilities,
} from '../../campaigns/petitions/schema.ts';
import {
  named,
  nullable,
  oneOf,
  pageQuery,
  Timestamp,
  VisibleText,
} from '../../platform/http/schema.ts';

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
      text_change: nullable(TextChange),
      open_reports: Type.Integer(),
      url: Type.String({ format: 'uri', description: 'Where the API shows it whole.' }),
    },
    { description: 'A petition as moderators see it in their queue.' },
  ),
);
export type AdminPetition = Static<typeof AdminPetition>;

/** The queue of texts that were changed after many had signed. */
export const changedQueue = 'changed';

export const PetitionQueueQuery = Type.Object({
  status: Type.Optional(
    oneOf([...petitionStatuses, changedQueue], {
      default: 'under_review',
      description:
        '`changed`: petitions whose text changed after 100 signatures or more, until the change is approved; the oldest change first.',
    }),
  ),
  ...categoryLanguage,
  ...pageQuery,
});
export type PetitionQueueQuery = Static<typeof PetitionQueueQuery>;

export const DecisionInput = Type.Object({
  reason: VisibleText({ lines: 'many', minLength: 1, maxLength: 2000 }),
});
