import { Petition, PetitionRef, RedactionInput } from '../../campaigns/petitions/schema.ts';
import { many, one, routes, type Route } from '../../platform/http/route.ts';
import * as moderation from './moderation.ts';
import { AdminPetition, DecisionInput, PetitionQueueQuery } from './schema.ts';

const api = routes('Admin');
const example = { reason: 'It names a private person and where they live.' };

export const moderationRoutes: Route[] = [
  api.get('/v1/admin/petitions', {
    id: 'listPetitionsForModerators',
    summary:
      'Petitions under review, in any other state, or with a changed text, the longest in it first',
    description:
      'For moderators. `status=changed` lists those whose text changed after 100 had signed.',
    auth: { access: 'moderator' },
    query: PetitionQueueQuery,
    returns: many(AdminPetition),
    handle: ({ ctx, query }) => moderation.listPetitionQueue(ctx, query),
  }),
  api.post('/v1/admin/petitions/{id}/approve', {
    id: 'approvePetition',
    summary: 'Let a petition that is under review be seen, or approve its changed text',
    description:
      'Of a petition under review, open reports are dismissed, and do not weigh against it again. A published petition whose changed text waits (status=changed) leaves that queue; its status and its reports stay as they are.',
    auth: { access: 'moderator' },
    params: PetitionRef,
    returns: one(Petition),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params }) => moderation.approve(ctx, caller, params.id),
  }),
  api.post('/v1/admin/petitions/{id}/reject', {
    id: 'rejectPetition',
    summary: 'Give a petition that is under review back to its creator, as a draft',
    description: 'The creator is notified of the reason. Its open reports are resolved.',
    auth: { access: 'moderator' },
    params: PetitionRef,
    body: { schema: DecisionInput, example },
    returns: one(Petition),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params, body }) =>
      moderation.reject(ctx, caller, params.id, body.reason),
  }),
  api.post('/v1/admin/petitions/{id}/redact', {
    id: 'redactPetition',
    summary: 'Replace text of a petition that must not be shown',
    description:
      'Makes a new version. The versions before lose the title or description that is replaced, and show the reason; their hashes stay. The creator gets a mail.',
    auth: { access: 'moderator' },
    params: PetitionRef,
    body: {
      schema: RedactionInput,
      example: { title: 'Keep the river path open at night', ...example },
    },
    returns: one(Petition),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params, body }) => moderation.redact(ctx, caller, params.id, body),
  }),
  api.post('/v1/admin/petitions/{id}/close', {
    id: 'closePetitionAsModerator',
    summary: 'Close an active petition',
    description:
      'With a reason, which its creator is told. It stays public and takes no more signatures.',
    auth: { access: 'moderator' },
    params: PetitionRef,
    body: { schema: DecisionInput, example },
    returns: one(Petition),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params, body }) =>
      moderation.close(ctx, caller, params.id, body.reason),
  }),
];
