import { Type, type Static } from 'typebox';
import { signedAfter } from '../../campaigns/signatures/schema.ts';
import { named, nullable, oneOf, pageQuery, Timestamp, Uuid } from '../../platform/http/schema.ts';
import {
  AccessCodeQuery,
  petitionFilter,
  PetitionRecord,
  PetitionListQuery,
} from '../../campaigns/petitions/schema.ts';

export const ExportedSignature = named(
  'ExportedSignature',
  Type.Object({
    id: Uuid,
    created_at: Timestamp,
    state: oneOf(['counted', 'invalid'], { description: 'Invalid ones do not count.' }),
    user: nullable(Type.Object({ display_name: Type.String(), slug: Type.String() })),
    comment: nullable(Type.String()),
    display_location: nullable(Type.String()),
    is_anonymous: Type.Boolean(),
  }),
);
export type ExportedSignature = Static<typeof ExportedSignature>;

export const ExportedPetition = named(
  'ExportedPetition',
  Type.Object({
    ...PetitionRecord.properties,
    signatures: Type.Optional(
      Type.Unsafe<ExportedSignature[] | null>({
        type: ['array', 'null'],
        items: ExportedSignature,
        description: 'With includeSignatures. Null if you cannot read them.',
      }),
    ),
  }),
);

const formats = ['csv', 'json'] as const;
const Format = Type.Optional(oneOf(formats, { default: 'json', description: 'Of the answer.' }));
export type Format = (typeof formats)[number];

const { lang } = PetitionListQuery.properties;
export const PetitionExportQuery = Type.Object({
  format: Format,
  ...petitionFilter,
  lang,
  includeSignatures: Type.Optional(
    Type.Boolean({ default: false, description: 'Gives each petition its signatures.' }),
  ),
  cursor: pageQuery.cursor,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 100,
      description: 'Petitions of a page, at most.',
    }),
  ),
});
export type PetitionExportQuery = Static<typeof PetitionExportQuery>;

export const SignatureExportQuery = Type.Object({
  format: Format,
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Given then or later.' })),
  ...signedAfter,
  until: Type.Optional(Type.String({ format: 'date-time', description: 'Given before that.' })),
  after: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'The last id that you have: continues after it when a transfer was interrupted.',
    }),
  ),
  ...AccessCodeQuery.properties,
});
export type SignatureExportQuery = Static<typeof SignatureExportQuery>;
