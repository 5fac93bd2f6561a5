import { Type, type Static } from 'typebox';
import { Email, named, Timestamp, Uuid } from '../../platform/http/schema.ts';
import { DisplayName, MailedToken } from '../accounts/schema.ts';

export const maxCodeAttempts = 5;

export const MagicLinkInput = Type.Object({
  email: Email,
  redirect: Type.Optional(
    Type.String({
      maxLength: 2000,
      description: 'A path of this site, to which the link leads after the sign-in.',
    }),
  ),
});
export type MagicLinkInput = Static<typeof MagicLinkInput>;

export const MailChallenge = named(
  'MailChallenge',
  Type.Object({
    challenge: Type.String({
      format: 'uuid',
      description: 'By which the code in the mail is sent back.',
    }),
    expires_at: Timestamp,
  }),
);
export type MailChallenge = Static<typeof MailChallenge>;

export const Code = Type.String({
  pattern: '^[0-9]{6}$',
  description: `The 6 digits in the mail; ${maxCodeAttempts} tries.`,
});

export const MagicLinkVerification = Type.Object({
  token: Type.Optional(MailedToken),
  challenge: Type.Optional(Uuid),
  code: Type.Optional(Code),
  display_name: Type.Optional(DisplayName),
});
export type MagicLinkVerification = Static<typeof MagicLinkVerification>;
