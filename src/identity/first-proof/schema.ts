import { Type } from 'typebox';
import { named, nullable, oneOf, Timestamp, Uuid } from '../../platform/http/schema.ts';

export const EarlierAccount = named(
  'EarlierAccount',
  Type.Object({
    display_name: Type.String(),
    bio: nullable(Type.String()),
    avatar_url: nullable(Type.String()),
    created_at: Timestamp,
    expires_at: Type.Unsafe<Date | string>({
      ...Timestamp,
      description: 'When it is deleted unless you keep it: after 30 days.',
    }),
    items: Type.Array(
      Type.Object({
        type: oneOf(['petition', 'comment', 'signature']),
        id: Uuid,
        text: Type.String({
          description: 'The title of a petition, of the one that was signed, or the comment.',
        }),
        created_at: Timestamp,
      }),
      { description: 'What it did, the newest 50 of each type.' },
    ),
  }),
);
