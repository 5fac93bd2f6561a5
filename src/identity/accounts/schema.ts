import { Type, type Static } from 'typebox';
import { Email, named, nullable, Timestamp, Uuid, WebUrl } from '../../platform/http/schema.ts';

export const User = named(
  'User',
  Type.Object({
    id: Uuid,
    email: Type.String({ format: 'email' }),
    display_name: Type.String(),
    slug: Type.String(),
    bio: nullable(Type.String()),
    avatar_url: nullable(Type.String()),
    email_verified: Type.Boolean(),
    phone_verified: Type.Boolean(),
    created_at: Timestamp,
  }),
);
export type User = Static<typeof User>;

export const PublicProfile = named(
  'PublicProfile',
  Type.Object({
    id: Uuid,
    display_name: Type.String(),
    slug: Type.String(),
    bio: nullable(Type.String()),
    avatar_url: nullable(Type.String()),
    petition_count: Type.Integer({ description: 'Petitions that everybody can see in lists.' }),
  }),
);
export type PublicProfile = Static<typeof PublicProfile>;

export const Password = Type.String({ minLength: 8, maxLength: 200 });
const DisplayName = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' });

export const RegisterInput = Type.Object({
  email: Email,
  password: Password,
  display_name: DisplayName,
});
export type RegisterInput = Static<typeof RegisterInput>;

export const UserUpdateInput = Type.Object({
  display_name: Type.Optional(DisplayName),
  bio: Type.Optional(nullable(Type.String({ maxLength: 500 }))),
  avatar_url: Type.Optional(nullable(WebUrl)),
  notification_prefs: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { maxProperties: 50 }),
  ),
});
export type UserUpdateInput = Static<typeof UserUpdateInput>;

export const PhoneInput = Type.Object({
  phone: Type.String({
    pattern: '^\\+[1-9][0-9]{6,14}$',
    description: 'E.164, such as +441632960961',
  }),
});

export const PhoneCodeInput = Type.Object({ code: Type.String({ pattern: '^[0-9]{6}$' }) });
