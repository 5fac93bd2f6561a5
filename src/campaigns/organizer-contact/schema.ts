import { Type, type Static } from 'typebox';
import { VisibleText } from '../../platform/http/schema.ts';

export const OrganizerMessage = Type.Object({
  message: VisibleText({ minLength: 1, maxLength: 5000, lines: 'many' }),
});
export type OrganizerMessage = Static<typeof OrganizerMessage>;
