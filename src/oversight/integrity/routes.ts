import { Type } from 'typebox';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import {
  addSharedNetwork,
  listSharedNetworks,
  removeSharedNetwork,
} from '../../campaigns/signatures/signatures.ts';
import { many, nothing, one, type Route, routes } from '../../platform/http/route.ts';
import { idOf, pageQuery } from '../../platform/http/schema.ts';
import * as integrity from './integrity.ts';
import { integrityReport } from './report.ts';
import {
  IntegrityReport,
  Invalidation,
  InvalidationInput,
  InvalidationPreview,
  PreviewInput,
  SharedNetwork,
  SharedNetworkInput,
} from './schema.ts';

const api = routes('Admin');
const InvalidationRef = Type.Object({
  ...PetitionRef.properties,
  invalidation_id: idOf('the invalidation'),
});
const exampleRule = { network: '5a1fe03b7c', from: '2026-03-01T00:00:00Z' };

export const integrityRoutes: Route[] = [
  api.get('/v1/admin/petitions/{id}/integrity', {
    id: 'getIntegrity',
    summary: 'Show signals about the honesty of signatures',
    description:
      'Bursts, and the 20 largest networks, countries, mail domains and kinds of device. No address is kept, nor shown.',
    auth: { access: 'moderator' },
    params: PetitionRef,
    returns: one(IntegrityReport),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => integrityReport(ctx, caller, params.id),
  }),
  api.post('/v1/admin/petitions/{id}/invalidations/preview', {
    id: 'previewInvalidation',
    summary: 'What a rule would do, without doing it',
    description:
      'For moderators: how many signatures match, and a sample of them. It changes nothing.',
    auth: { access: 'moderator' },
    params: PetitionRef,
    body: { schema: PreviewInput, example: { rule: exampleRule } },
    returns: one(InvalidationPreview),
    problems: ['not-found'],
    handle: (call) =>
      integrity.previewInvalidation(call.ctx, call.caller, call.params.id, call.body.rule),
  }),
  api.post('/v1/admin/petitions/{id}/invalidations', {
    id: 'invalidateSignatures',
    summary: 'Invalidate the signatures that meet a rule',
    description:
      'Done by a job, in batches, while people go on signing; the record shows its progress. Signatures that come later are not touched. Invalid ones stay stored, do not count, and show nowhere. Signers with a verified address are notified by mail an hour after it has ended, if it stands. One rule of a petition at a time: else 409 invalidation_under_way.',
    auth: { access: 'moderator' },
    params: PetitionRef,
    body: {
      schema: InvalidationInput,
      example: { rule: exampleRule, reason: 'One office signed for its whole address book.' },
    },
    returns: one(Invalidation, 202),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params, body }) =>
      integrity.invalidateSignatures(ctx, caller, params.id, body),
  }),
  api.get('/v1/admin/petitions/{id}/invalidations', {
    id: 'listInvalidations',
    summary: 'The rules of a petition, newest first',
    description: 'For moderators, those that were undone included.',
    auth: { access: 'moderator' },
    params: PetitionRef,
    query: Type.Object(pageQuery),
    returns: many(Invalidation),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, query }) =>
      integrity.listInvalidations(ctx, caller, params.id, query),
  }),
  api.get('/v1/admin/petitions/{id}/invalidations/{invalidation_id}', {
    id: 'getInvalidation',
    summary: 'A rule, and how far it is applied or undone',
    description: 'For moderators. Large rules are applied in steps, while people sign.',
    auth: { access: 'moderator' },
    params: InvalidationRef,
    returns: one(Invalidation),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) =>
      integrity.getInvalidation(ctx, caller, params.id, params.invalidation_id),
  }),
  api.post('/v1/admin/petitions/{id}/invalidations/{invalidation_id}/undo', {
    id: 'undoInvalidation',
    summary: 'Make valid again what a rule has invalidated',
    description:
      'Signatures that another rule is about stay invalid. A rule that is still being applied goes no further.',
    auth: { access: 'moderator' },
    params: InvalidationRef,
    returns: one(Invalidation, 202),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params }) =>
      integrity.undoInvalidation(ctx, caller, params.id, params.invalidation_id),
  }),
  api.get('/v1/admin/shared-networks', {
    id: 'listSharedNetworks',
    summary: 'Networks whose addresses may sign more often',
    description:
      'For administrators: schools, offices and mobile networks, with the limit of each.',
    auth: { access: 'admin' },
    query: Type.Object(pageQuery),
    returns: many(SharedNetwork),
    handle: ({ ctx, query }) => listSharedNetworks(ctx, query),
  }),
  api.post('/v1/admin/shared-networks', {
    id: 'addSharedNetwork',
    summary: 'Let the addresses of a network sign more often',
    description:
      'For schools, offices and mobile carriers, where many people share an address. The most specific network counts. Holds in every process within a second.',
    auth: { access: 'admin' },
    body: {
      schema: SharedNetworkInput,
      example: { network: '192.0.2.0/24', note: 'Riverside School' },
    },
    returns: one(SharedNetwork, 201),
    problems: ['conflict'],
    handle: ({ ctx, caller, body: { network, note, limit = 200 } }) =>
      addSharedNetwork(ctx, caller, { network, note, limit }),
  }),
  api.delete('/v1/admin/shared-networks/{id}', {
    id: 'removeSharedNetwork',
    summary: 'Put the usual limit on a network again',
    description: 'It takes effect within a second.',
    auth: { access: 'admin' },
    params: Type.Object({ id: idOf('the network') }),
    returns: nothing(),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => removeSharedNetwork(ctx, caller, params.id),
  }),
];
