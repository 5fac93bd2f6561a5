import { Type } from 'typebox';
import { publicProfile } from '../../identity/accounts/accounts.ts';
import { getOrganizationRow } from '../../identity/organizations/organizations.ts';
import { OrganizationRef } from '../../identity/organizations/schema.ts';
import { deprecate, many, nothing, one, type Route, routes } from '../../platform/http/route.ts';
import { preconditionOf } from '../../platform/http/preconditions.ts';
import { pageQuery } from '../../platform/http/schema.ts';
import {
  listPetitions,
  listPetitionsById,
  listPublicPetitions,
  listVersions,
  rejectPaging,
} from './list.ts';
import { checkAccess, getPetition, type RecordRead } from './read.ts';
import {
  AccessCodeQuery,
  OwnerListQuery,
  Petition,
  PetitionInput,
  PetitionListQuery,
  PetitionRef,
  PetitionSummary,
  PetitionUpdate,
  PetitionVersion,
  ReadQuery,
  VictoryInput,
} from './schema.ts';
import * as petitions from './write.ts';

const api = routes('Petitions');
const usersApi = routes('Users');
const organizationsApi = routes('Organizations');

export const petitionRoutes = (noteRead: RecordRead): Route[] => [
  api.get('/v1/petitions', {
    id: 'listPetitions',
    summary: 'Petitions that everybody can see, and your own',
    description:
      'Public petitions that are active, closed or victorious. With status=draft: your own drafts. With your own creatorId: all of yours. With ids: these petitions.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    query: PetitionListQuery,
    returns: many(PetitionSummary),
    cache: { etag: true },
    handle: ({ ctx, caller, query: { ids, ...query }, url }) => {
      if (ids === undefined) return listPetitions(ctx, caller, query);
      rejectPaging(url);
      return listPetitionsById(ctx, caller, { ids, ...query });
    },
  }),
  usersApi.get('/v1/users/{slug}/petitions', {
    id: 'listUserPetitions',
    summary: "A user's petitions that everybody can see",
    description: 'Use GET /v1/petitions?creatorId=… instead; this goes with version 2.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    deprecated: true,
    params: Type.Object({ slug: Type.String({ description: 'Slug of the account.' }) }),
    query: OwnerListQuery,
    returns: many(PetitionSummary),
    problems: ['not-found'],
    cache: { etag: true },
    handle: async ({ ctx, params, query, header }) => {
      const { id } = await publicProfile(ctx, params.slug);
      deprecate(header, {
        since: '2026-01-01',
        successor: `${ctx.config.baseUrl}/v1/petitions?creatorId=${id}`,
      });
      return listPublicPetitions(ctx, { creatorId: id }, query);
    },
  }),
  organizationsApi.get('/v1/organizations/{org_id}/petitions', {
    id: 'listOrganizationPetitions',
    module: 'organizations',
    summary: 'The petitions of an organization that everybody can see, newest first',
    description:
      'As `GET /v1/petitions` lists them. The petitions that only members see are on the dashboard.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: OrganizationRef,
    query: OwnerListQuery,
    returns: many(PetitionSummary),
    problems: ['not-found'],
    cache: { etag: true },
    handle: async ({ ctx, params, query }) => {
      const { id } = await getOrganizationRow(ctx, params.org_id);
      return listPublicPetitions(ctx, { orgId: id }, query);
    },
  }),
  api.post('/v1/petitions', {
    id: 'createPetition',
    summary: 'Create a petition, as a draft',
    description: 'With orgId, by members of that organization; for others 403.',
    auth: { access: 'user', scope: 'write:petitions' },
    body: {
      schema: PetitionInput,
      example: {
        title: 'Keep the river path open at night',
        description:
          'The path along the river is the safest way home for many of us. We ask the council to keep it open and lit after ten.',
        tags: ['river', 'safety'],
        signatureGoal: 500,
        locationCity: 'Leeds',
        locationCountry: 'GB',
      },
    },
    returns: one(Petition, 201),
    problems: ['forbidden'],
    handle: async ({ ctx, caller, body, header }) => {
      const petition = await petitions.createPetition(ctx, caller, body);
      header('location', `${ctx.config.baseUrl}/v1/petitions/${petition.slug}`);
      return petition;
    },
  }),
  api.get('/v1/petitions/{id}', {
    id: 'getPetition',
    summary: 'A petition',
    description: 'With `ref`, a visit is counted for who shared the link.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: PetitionRef,
    query: ReadQuery,
    cache: { trackingParams: ['ref', 'utm_source'], etag: true },
    returns: one(Petition),
    revision: petitions.petitionRevision,
    problems: ['forbidden', 'not-found'],
    handle: (call) => getPetition(call, call.params.id, noteRead),
  }),
  api.patch('/v1/petitions/{id}', {
    id: 'updatePetition',
    summary: 'Change a petition',
    description:
      'imageAlt belongs to the picture: it goes with it, and a new picture without one has none. Each change of a published title or description is kept as a version. null clears categoryId, imageUrl, imageAlt, signatureGoal, closesAt, the place and orgId. Who sees the signatures and the organization are settled by publishing; closesAt cannot change once the petition has ended.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: PetitionRef,
    body: { schema: PetitionUpdate, example: { signatureGoal: 1000 } },
    returns: one(Petition),
    revision: petitions.petitionRevision,
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params, body, headers }) => {
      const precondition = preconditionOf(headers, petitions.petitionRevision);
      return petitions.updatePetition(ctx, caller, params.id, body, precondition);
    },
  }),
  api.delete('/v1/petitions/{id}', {
    id: 'deletePetition',
    summary: 'Delete a petition',
    description: 'It answers 404 from then on; the record is retained.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: PetitionRef,
    returns: nothing(),
    revision: petitions.petitionRevision,
    problems: ['not-found'],
    handle: ({ ctx, caller, params, headers }) => {
      const precondition = preconditionOf(headers, petitions.petitionRevision);
      return petitions.deletePetition(ctx, caller, params.id, precondition);
    },
  }),
  api.post('/v1/petitions/{id}/publish', {
    id: 'publishPetition',
    summary: 'Publish a draft',
    description:
      'Where every petition is reviewed first, its status becomes under_review. 409 `closing_date_passed` if its closesAt has passed.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: PetitionRef,
    returns: one(Petition),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params }) => petitions.publishPetition(ctx, caller, params.id),
  }),
  api.post('/v1/petitions/{id}/close', {
    id: 'closePetition',
    summary: 'Close an active petition',
    description: 'It takes no more signatures and stays public. It cannot be opened again.',
    auth: { access: 'owner', scope: 'write:petitions', fullKeysOnly: true },
    params: PetitionRef,
    returns: one(Petition),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params }) => petitions.closePetition(ctx, caller, params.id),
  }),
  api.post('/v1/petitions/{id}/victory', {
    id: 'declareVictory',
    summary: 'Declare victory for an active petition',
    description: 'It takes no more signatures; its signers are told, with the message.',
    auth: { access: 'owner', scope: 'write:petitions', fullKeysOnly: true },
    params: PetitionRef,
    body: {
      schema: VictoryInput,
      isOptional: true,
      example: { victory_message: 'The council voted for it. Thank you all!' },
    },
    returns: one(Petition),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params, body }) =>
      petitions.declareVictory(ctx, caller, params.id, body.victory_message),
  }),
  api.post('/v1/petitions/{id}/access', {
    id: 'checkAccessCode',
    summary: 'Check the access code of a private petition',
    description: 'A petition that is not private needs no code: the answer is valid.',
    auth: { access: 'anyone' },
    params: PetitionRef,
    body: {
      schema: Type.Object({ accessCode: Type.String({ maxLength: 100 }) }),
      example: { accessCode: 'Xv2T9q_w8LkR' },
    },
    returns: one(Type.Object({ valid: Type.Boolean() })),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params, body }) => checkAccess(ctx, caller, params.id, body.accessCode),
  }),
  api.post('/v1/petitions/{id}/access-code', {
    id: 'renewAccessCode',
    summary: 'Replace the access code of a private petition',
    description: 'The previous code is refused from then on. The answer has the new one.',
    auth: { access: 'owner', scope: 'write:petitions', fullKeysOnly: true },
    params: PetitionRef,
    returns: one(Petition),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params }) => petitions.renewAccessCode(ctx, caller, params.id),
  }),
  api.get('/v1/petitions/{id}/versions', {
    id: 'listPetitionVersions',
    summary: 'The texts that a petition had since it was published, newest first',
    description:
      'Each with the hash of its text and how many had signed before it. Text that moderators removed is null, with the reason.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: PetitionRef,
    query: Type.Object({ ...AccessCodeQuery.properties, ...pageQuery }),
    returns: many(PetitionVersion),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) => listVersions(ctx, caller, params.id, query),
  }),
];
