import { Type } from 'typebox';
import { many, nothing, one, type Route, routes } from '../../platform/http/route.ts';
import { pageQuery } from '../../platform/http/schema.ts';
import { Petition, PetitionRef } from '../petitions/schema.ts';
import * as organizers from './organizers.ts';
import {
  HandOver,
  HandOverInput,
  InvitationRef,
  Organizer,
  OrganizerInput,
  OrganizerInvitation,
  OrganizerRef,
} from './schema.ts';

const api = routes('Organizers');

export const organizerRoutes: Route[] = [
  api.get('/v1/petitions/{id}/organizers', {
    id: 'listOrganizers',
    summary: 'Who organizes a petition with its creator, newest first',
    description:
      'For its creator and its organizers. Others than the creator see no address but their own. Invitations that were not accepted are in it, until they end.',
    auth: { access: 'owner' },
    params: PetitionRef,
    query: Type.Object(pageQuery),
    returns: many(Organizer),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) =>
      organizers.listOrganizers(ctx, caller, params.id, query),
  }),
  api.post('/v1/petitions/{id}/organizers', {
    id: 'inviteOrganizer',
    summary: 'Invite somebody to organize your petition with you',
    description:
      'Mails a link that works for 30 days, by which the person accepts or declines. Editors change text, pictures and decision makers, and write updates; authors write updates, and change their own ones. Publishing, delivering, closing, victory, deleting and inviting stay with you. Needs a verified address: 403 `email_not_verified`. At most 20: 409 `organizer_limit`. An address that was invited: 409 `already_added`. You can send 20 a day, and an address gets at most 3.',
    auth: { access: 'owner' },
    params: PetitionRef,
    body: { schema: OrganizerInput, example: { email: 'ada@example.org', role: 'editor' } },
    returns: one(Organizer, 201),
    problems: ['forbidden', 'not-found', 'conflict', 'rate-limited'],
    handle: ({ ctx, caller, params, body }) =>
      organizers.inviteOrganizer(ctx, caller, params.id, body),
  }),
  api.delete('/v1/petitions/{id}/organizers/{organizer_id}', {
    id: 'removeOrganizer',
    summary: 'Remove an organizer or an invitation, or leave',
    description:
      'The creator of the petition removes anybody, organizers themselves. Rights end at once. What they wrote stays.',
    auth: { access: 'owner' },
    params: OrganizerRef,
    returns: nothing(),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params }) =>
      organizers.removeOrganizer(ctx, caller, { ref: params.id, organizerId: params.organizer_id }),
  }),
  api.get('/v1/organizer-invitations/{token}', {
    id: 'getOrganizerInvitation',
    summary: 'What an invitation is about',
    description: 'With the token of the mail, without an account.',
    auth: { access: 'anyone', ignoresCredentials: true },
    params: InvitationRef,
    returns: one(OrganizerInvitation),
    problems: ['not-found', 'gone'],
    handle({ ctx, params, header }) {
      header('cache-control', 'no-store');
      return organizers.readInvitation(ctx, params.token);
    },
  }),
  api.post('/v1/organizer-invitations/{token}', {
    id: 'acceptOrganizerInvitation',
    summary: 'Accept an invitation',
    description:
      'Anyone who has the link can accept, with whatever address the account has. Accepting again changes nothing.',
    auth: { access: 'user' },
    params: InvitationRef,
    returns: one(Organizer),
    problems: ['not-found', 'gone', 'conflict'],
    async handle({ ctx, caller, params }) {
      const { petition_id: _, ...organizer } = await organizers.acceptInvitation(
        ctx,
        caller,
        params.token,
      );
      return organizer;
    },
  }),
  api.delete('/v1/organizer-invitations/{token}', {
    id: 'declineOrganizerInvitation',
    summary: 'Decline an invitation',
    description: 'It is deleted, with the address. The creator can see that it is gone.',
    auth: { access: 'anyone', ignoresCredentials: true },
    params: InvitationRef,
    returns: nothing(),
    problems: ['not-found', 'gone'],
    handle: ({ ctx, params }) => organizers.declineInvitation(ctx, params.token),
  }),
  api.get('/v1/petitions/{id}/hand-over', {
    id: 'getHandOver',
    summary: 'To whom a petition is offered',
    description: 'For its creator and its organizers; 404 if it is offered to nobody.',
    auth: { access: 'owner' },
    params: PetitionRef,
    returns: one(HandOver),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params }) => organizers.getHandOver(ctx, caller, params.id),
  }),
  api.put('/v1/petitions/{id}/hand-over', {
    id: 'offerHandOver',
    summary: 'Offer your petition to one of its organizers',
    description:
      'Once they accept, they are its creator, and you have no right to it any more: nothing of it reaches your keys and webhooks. Replaces another offer; repeating it changes nothing. Needs a verified address: 403 `email_not_verified`. An invitation that was not accepted: 409 `not_accepted`. An organizer whose address is not verified: 409 `no_organizer`.',
    auth: { access: 'owner' },
    params: PetitionRef,
    body: {
      schema: HandOverInput,
      example: { organizer_id: '0192d6a8-0000-7000-8000-000000000001' },
    },
    returns: one(HandOver),
    problems: ['forbidden', 'not-found', 'conflict', 'rate-limited'],
    handle: ({ ctx, caller, params, body }) =>
      organizers.offerHandOver(ctx, caller, params.id, body),
  }),
  api.delete('/v1/petitions/{id}/hand-over', {
    id: 'withdrawHandOver',
    summary: 'Take an offer back, or decline it',
    description: 'By the creator of the petition, or by the organizer to whom it is offered.',
    auth: { access: 'owner' },
    params: PetitionRef,
    returns: nothing(),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params }) => organizers.withdrawHandOver(ctx, caller, params.id),
  }),
  api.post('/v1/petitions/{id}/hand-over/accept', {
    id: 'acceptHandOver',
    summary: 'Take over a petition that was offered to you',
    description:
      'You are its creator from then on. A petition of an organization is taken over by its members only. Needs a verified address: 403 `email_not_verified`.',
    auth: { access: 'owner' },
    params: PetitionRef,
    returns: one(Petition),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params }) => organizers.takeOver(ctx, caller, params.id),
  }),
];
