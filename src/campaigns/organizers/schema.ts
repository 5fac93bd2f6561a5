import { Type, type Static } from 'typebox';
import { PublicProfile } from '../../identity/accounts/schema.ts';
import {
  Email,
  idOf,
  named,
  nullable,
  oneOf,
  Timestamp,
  Uuid,
} from '../../platform/http/schema.ts';

declare module '../../platform/events.ts' {
  interface EventTypes {
    'petition.handed_over': true;
  }
}

/** Editors change text, pictures and decision makers, and write updates; authors write updates. */
export const organizerRoles = ['editor', 'author'] as const;
const role = oneOf(organizerRoles, {
  description:
    'Editors change text, pictures and decision makers, and write updates. Authors write updates.',
});

export const OrganizerInput = Type.Object({ email: Email, role });
export type OrganizerInput = Static<typeof OrganizerInput>;

export const Organizer = named(
  'Organizer',
  Type.Object({
    id: Uuid,
    email: nullable(
      Type.String({
        format: 'email',
        description: 'The address that was invited. Null for other organizers than the creator.',
      }),
    ),
    user: nullable(PublicProfile),
    role,
    state: oneOf(['invited', 'active']),
    created_at: Timestamp,
  }),
);
export type Organizer = Static<typeof Organizer>;

export const OrganizerRef = Type.Object({
  id: Type.String({ description: 'Slug or id of the petition' }),
  organizer_id: idOf('the organizer'),
});

export const InvitationRef = Type.Object({
  token: Type.String({ description: 'From the link in the mail.' }),
});

export const OrganizerInvitation = named(
  'OrganizerInvitation',
  Type.Object({
    petition: Type.Object({
      id: Uuid,
      slug: Type.String(),
      title: Type.String(),
      language: nullable(Type.String()),
    }),
    invited_by: PublicProfile,
    role,
    expires_at: Timestamp,
  }),
);
export type OrganizerInvitation = Static<typeof OrganizerInvitation>;

export const HandOverInput = Type.Object({ organizer_id: idOf('an active organizer') });
export type HandOverInput = Static<typeof HandOverInput>;

export const HandOver = named(
  'HandOver',
  Type.Object({ organizer: Organizer, offered_at: Timestamp }),
);
export type HandOver = Static<typeof HandOver>;
