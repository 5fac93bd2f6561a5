import { Type, type Static } from 'typebox';
import {
  idOf,
  named,
  nullable,
  createdQuery,
  pageQuery,
  Timestamp,
  Uuid,
  VisibleText,
} from '../../platform/http/schema.ts';

declare module '../../platform/events.ts' {
  /** The data has warning_id and user_id. */
  interface EventTypes extends Record<'user.warned', true> {}
}

const person = { id: Uuid, display_name: Type.String() };

export const Warning = named(
  'Warning',
  Type.Object({
    id: Uuid,
    user_id: Uuid,
    user: Type.Object(person, { description: 'Who was warned.' }),
    message: Type.String(),
    moderator: nullable(
      Type.Object(person, { description: 'Who warned; null once that account was erased.' }),
    ),
    report_id: nullable(
      Type.String({ format: 'uuid', description: 'The report that led to it, if one did.' }),
    ),
    created_at: Timestamp,
  }),
);
export type Warning = Static<typeof Warning>;

export const WarningInput = Type.Object({
  user_id: Uuid,
  message: VisibleText({ lines: 'many', minLength: 1, maxLength: 2000 }),
});

export const WarningListQuery = Type.Object({
  user_id: Type.Optional(idOf('the account that was warned')),
  ...createdQuery,
  ...pageQuery,
});
