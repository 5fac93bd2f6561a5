import { Type, type Static } from 'typebox';
import {
  named,
  nullable,
  oneOf,
  createdQuery,
  pageQuery,
  Timestamp,
  Uuid,
  VisibleText,
} from '../../platform/http/schema.ts';

export const roles = ['user', 'moderator', 'admin'] as const;

export const AdminUser = named(
  'AdminUser',
  Type.Object(
    {
      id: Uuid,
      email: Type.String({ format: 'email' }),
      display_name: Type.String(),
      slug: Type.String(),
      role: oneOf(roles),
      email_verified: Type.Boolean(),
      phone_verified: Type.Boolean(),
      suspended_at: nullable(Timestamp),
      petition_count: Type.Integer({ description: 'Petitions that everybody can see in lists.' }),
      warning_count: Type.Integer(),
      open_reports: Type.Integer({
        description: 'Open reports of the user, not of what they wrote.',
      }),
      created_at: Timestamp,
    },
    { description: 'A user as administrators see them.' },
  ),
);
export type AdminUser = Static<typeof AdminUser>;

export const UserListQuery = Type.Object({
  email: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description: 'An address, or how it begins. Of either case.',
    }),
  ),
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'Words of a display name in any order, without regard to case and accents. Three letters find longer words that begin with them. Not together with `email`.',
    }),
  ),
  ...createdQuery,
  ...pageQuery,
});
export type UserListQuery = Static<typeof UserListQuery>;

export const SuspensionInput = Type.Object({
  reason: Type.Optional(
    VisibleText({
      lines: 'many',
      minLength: 1,
      maxLength: 2000,
      description: 'The person is told. Kept with the audit line until the account is erased.',
    }),
  ),
  content: Type.Optional(
    oneOf(['keep', 'hide'], {
      default: 'keep',
      description:
        'hide: their comments are hidden and their active petitions go under review, until the suspension ends.',
    }),
  ),
});
export type SuspensionInput = Static<typeof SuspensionInput>;

export const UnsuspensionInput = Type.Pick(SuspensionInput, ['reason']);
export type UnsuspensionInput = Static<typeof UnsuspensionInput>;

export const RoleInput = Type.Object({ role: oneOf(roles) });
