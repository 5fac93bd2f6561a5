import { Type } from 'typebox';
import { many, nothing, one, type Route, routes } from '../../platform/http/route.ts';
import { idOf, pageQuery } from '../../platform/http/schema.ts';
import { SigningBlock, SigningBlockInput } from './schema.ts';
import { addBlock, listBlocks, removeBlock } from './signing-blocks.ts';

const api = routes('Admin');

export const signingBlockRoutes: Route[] = [
  api.get('/v1/admin/signing-blocks', {
    id: 'listSigningBlocks',
    summary: 'Networks, mail domains and countries whose signatures are refused or held',
    description: 'Newest first, ended ones included.',
    auth: { access: 'moderator' },
    query: Type.Object({
      petition_id: Type.Optional(idOf('the petition whose blocks are wanted')),
      ...pageQuery,
    }),
    returns: many(SigningBlock),
    handle: ({ ctx, query }) => listBlocks(ctx, query),
  }),
  api.post('/v1/admin/signing-blocks', {
    id: 'addSigningBlock',
    summary: 'Refuse or hold signatures of a network, mail domain or country',
    description:
      'On one petition, or on all. Holds in every process within a second, for signatures that come later; those given before are invalidated by a rule. Refusing goes before holding. Signing answers a refused one 403 signing_refused, a held one 201 with state `held`.',
    auth: { access: 'moderator' },
    body: {
      schema: SigningBlockInput,
      example: {
        kind: 'network',
        value: '192.0.2.0/24',
        action: 'hold',
        reason: 'Sells signatures.',
        ends_at: '2030-01-01T00:00:00Z',
      },
    },
    returns: one(SigningBlock, 201),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, body }) => addBlock(ctx, caller, body),
  }),
  api.delete('/v1/admin/signing-blocks/{id}', {
    id: 'removeSigningBlock',
    summary: 'Accept the signatures of what was blocked again',
    description: 'Held ones stay held until a moderator decides.',
    auth: { access: 'moderator' },
    params: Type.Object({ id: idOf('the block') }),
    returns: nothing(),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => removeBlock(ctx, caller, params.id),
  }),
];
