import { Type, type Static } from 'typebox';
import { DisplayName } from '../../identity/accounts/schema.ts';
import { Email, named, oneOf, Timestamp, Uuid } from '../../platform/http/schema.ts';
import { languages } from '../../platform/pages/language.ts';
import { SignatureInput } from '../signatures/schema.ts';

export const PendingSignatureInput = Type.Object({
  ...SignatureInput.properties,
  display_name: DisplayName,
  email: Email,
  language: Type.Optional(oneOf(languages, { default: 'en', description: 'Of the mail.' })),
});
export type PendingSignatureInput = Static<typeof PendingSignatureInput>;

export const PendingSignature = named(
  'PendingSignature',
  Type.Object({
    id: Type.String({ format: 'uuid', description: 'By which the code in the mail is sent back.' }),
    petition_id: Uuid,
    expires_at: Timestamp,
  }),
);
export type PendingSignature = Static<typeof PendingSignature>;

export const ConfirmationInput = Type.Object({
  token: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Of the link in the mail.' }),
  ),
  id: Type.Optional(Uuid),
  petition: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Slug or id; with `email`.' }),
  ),
  email: Type.Optional(Email),
  code: Type.Optional(
    Type.String({
      pattern: '^[0-9]{6}$',
      description:
        'The 6 digits in the mail; with `id`, or with `petition` and `email`, and no more than 5 times.',
    }),
  ),
  display_name: Type.Optional(DisplayName),
});
export type ConfirmationInput = Static<typeof ConfirmationInput>;
