import { Type } from 'typebox';
import { many, nothing, one, type Route, routes } from '../../platform/http/route.ts';
import { pageQuery } from '../../platform/http/schema.ts';
import { AccessCodeQuery, DecisionMakerInput, PetitionRef } from '../petitions/schema.ts';
import * as makers from './decision-makers.ts';
import { listResponses, publishResponse } from './responses.ts';
import {
  DecisionMaker,
  DecisionMakerResponse,
  DeliveryInput,
  MakerRef,
  RenderedResponse,
  ResponseRef,
  VerificationInput,
  VerifiedMaker,
} from './schema.ts';
import { listMakersToVerify, verifyMaker } from './verification.ts';

const api = routes('Decision makers');
const adminApi = routes('Admin');

export const decisionMakerRoutes: Route[] = [
  api.post('/v1/petitions/{id}/decision-makers', {
    id: 'addDecisionMaker',
    summary: 'Put a decision maker on your petition',
    description: 'At most 50, each address once.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: PetitionRef,
    body: {
      schema: DecisionMakerInput,
      example: { name: 'Grace Hopper', title: 'City Council', email: 'grace@example.org' },
    },
    returns: one(DecisionMaker, 201),
    problems: ['forbidden', 'not-found', 'conflict'],
    handle: ({ ctx, caller, params, body }) => makers.addMaker(ctx, caller, params.id, body),
  }),
  api.get('/v1/petitions/{id}/decision-makers', {
    id: 'listDecisionMakers',
    summary: 'The decision makers of your petition, and how far it has come with them',
    description:
      'With their addresses, which only you see, and when the petition was delivered, opened and answered.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: PetitionRef,
    query: Type.Object(pageQuery),
    returns: many(DecisionMaker),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) => makers.listMakers(ctx, caller, params.id, query),
  }),
  api.delete('/v1/petitions/{id}/decision-makers/{dm_id}', {
    id: 'removeDecisionMaker',
    summary: 'Take a decision maker off your petition',
    description: 'The link that was mailed ends. Whoever has responded stays.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: MakerRef,
    returns: nothing(),
    problems: ['forbidden', 'not-found', 'conflict'],
    handle: ({ ctx, caller, params }) =>
      makers.removeMaker(ctx, caller, { ref: params.id, makerId: params.dm_id }),
  }),
  api.post('/v1/petitions/{id}/decision-makers/{dm_id}/deliver', {
    id: 'deliverPetition',
    summary: 'Mail a decision maker the petition and a link to respond',
    description:
      'On petitions that are active, closed or victorious. The link works for 30 days and takes one response; delivering again makes a new one, ends the old, and asks those who have responded again. An address gets at most 5 such mails a day, and you can send 100.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: MakerRef,
    body: {
      schema: DeliveryInput,
      isOptional: true,
      example: { summary: 'csv', message: 'The council meets on Monday.' },
    },
    returns: one(DecisionMaker),
    problems: ['forbidden', 'not-found', 'conflict'],
    handle: ({ ctx, caller, params, body }) =>
      makers.deliverPetition(ctx, caller, { ref: params.id, makerId: params.dm_id }, body),
  }),
  api.get('/v1/petitions/{id}/responses', {
    id: 'listResponses',
    summary: 'What decision makers have responded, oldest first',
    description:
      'The published responses; you see all to your own petition. A decision maker has one for each delivery that they answered.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: PetitionRef,
    query: Type.Object({ ...AccessCodeQuery.properties, ...pageQuery }),
    returns: many(DecisionMakerResponse),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) => listResponses(ctx, caller, params.id, query),
  }),
  api.post('/v1/responses/{id}/publish', {
    id: 'publishResponse',
    summary: 'Publish a response to your petition',
    description: 'What is not published within 7 days is published by itself.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: ResponseRef,
    returns: one(RenderedResponse),
    problems: ['forbidden', 'not-found', 'conflict'],
    handle: ({ ctx, caller, params }) => publishResponse(ctx, caller, params.id),
  }),
  adminApi.get('/v1/admin/petitions/{id}/decision-makers', {
    id: 'listDecisionMakersToVerify',
    summary: 'The decision makers of a petition, for checking who they are',
    description: 'With the domain of each address, which says more than a name.',
    auth: { access: 'moderator' },
    params: PetitionRef,
    query: Type.Object(pageQuery),
    returns: many(VerifiedMaker),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, query }) => listMakersToVerify(ctx, caller, params.id, query),
  }),
  adminApi.post('/v1/admin/decision-makers/{id}/verify', {
    id: 'verifyDecisionMaker',
    summary: 'Store that you have checked who a decision maker is',
    description:
      'The petition and responses then show it. The act is in the audit log, with the reason.',
    auth: { access: 'moderator' },
    params: ResponseRef,
    body: {
      schema: VerificationInput,
      isOptional: true,
      example: { reason: 'The press office confirmed it by phone.' },
    },
    returns: one(VerifiedMaker),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, body }) =>
      verifyMaker(ctx, caller, params.id, { verified: true, ...body }),
  }),
  adminApi.delete('/v1/admin/decision-makers/{id}/verify', {
    id: 'unverifyDecisionMaker',
    summary: 'Take back that you have checked who a decision maker is',
    description: 'Reads then show `verified: false` again.',
    auth: { access: 'moderator' },
    params: ResponseRef,
    body: { schema: VerificationInput, isOptional: true, example: { reason: 'It was a hoax.' } },
    returns: one(VerifiedMaker),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, body }) =>
      verifyMaker(ctx, caller, params.id, { verified: false, ...body }),
  }),
];
