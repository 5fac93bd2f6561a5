import type { OrganizerRow } from './queries.ts';
import type { Organizer } from './schema.ts';

/** Converts a row. The address to which a person was invited is for the creator, who knows it, and for that person. */
export const presentOrganizer = (
  { id, email, user_id, user, role, created_at }: OrganizerRow,
  showsAddress: boolean,
): Organizer => ({
  id,
  email: showsAddress ? email : null,
  user,
  role,
  state: user_id === null ? 'invited' : 'active',
  created_at,
});
