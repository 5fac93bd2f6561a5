import { Type, type Static } from 'typebox';
import { named, Timestamp, TypedEmail, Uuid } from '../../platform/http/schema.ts';
import { MailedToken, Password } from '../accounts/schema.ts';
import { Code } from '../mail-challenges/schema.ts';

/** What proves the owner of an account, where a sign-in of the last ten minutes does not. */
const proof = {
  password: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'The one in force.' }),
  ),
  challenge: Type.Optional(Uuid),
  code: Type.Optional(Code),
};

export const PasswordChange = Type.Object({ new_password: Password, ...proof });
export type PasswordChange = Static<typeof PasswordChange>;

export const PasswordRemoval = Type.Object(proof);
export type PasswordRemoval = Static<typeof PasswordRemoval>;

export const AddressChange = Type.Object({ email: TypedEmail, ...proof });
export type AddressChange = Static<typeof AddressChange>;

export const PendingAddress = named(
  'PendingAddress',
  Type.Object({
    email: Type.String({ description: 'As it was typed: the domain may be in Unicode.' }),
    expires_at: Timestamp,
  }),
);
export type PendingAddress = Static<typeof PendingAddress>;

export const AddressToken = Type.Object({ token: MailedToken });
