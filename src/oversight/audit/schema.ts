import { Type, type Static } from 'typebox';
import {
  idOf,
  createdQuery,
  named,
  nullable,
  oneOf,
  pageQuery,
  Timestamp,
  Uuid,
} from '../../platform/http/schema.ts';

export const AuditLine = named(
  'AuditLine',
  Type.Object({
    id: Uuid,
    actor: nullable(
      Type.Object(
        { id: Uuid, display_name: Type.String() },
        { description: 'Who did it; null once that account was erased.' },
      ),
    ),
    action: Type.String({ description: 'Such as user.suspend or petition.approve.' }),
    target_type: Type.String(),
    target_id: nullable(Uuid),
    subject: nullable(
      Type.Object(
        {
          type: oneOf(['petition', 'user', 'organization', 'category']),
          id: Uuid,
          name: Type.String({ description: 'As it is called now.' }),
          language: Type.Optional(
            nullable(Type.String({ description: "Of a petition's name, as its creator named it" })),
          ),
        },
        {
          description:
            'The target, or the petition that it belongs to; null if there is none, or it is gone.',
        },
      ),
    ),
    details: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Ids and numbers, and the reason that was given: its words go with the account of whom they are about.',
      },
    ),
    created_at: Timestamp,
  }),
);
export type AuditLine = Static<typeof AuditLine>;

export const AuditQuery = Type.Object({
  actor_id: Type.Optional(idOf('the account that acted')),
  action: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'What was done, as lines name it.' }),
  ),
  target_id: Type.Optional(idOf('what it was done to')),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Lines of then or later.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Not itself included.' })),
  ...createdQuery,
  ...pageQuery,
});
export type AuditQuery = Static<typeof AuditQuery>;
