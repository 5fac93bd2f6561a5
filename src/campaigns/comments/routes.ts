import type { Static } from 'typebox';
import {
  many,
  nothing,
  one,
  type Call,
  type Caller,
  type Route,
  routes,
} from '../../platform/http/route.ts';
import { AccessCodeQuery, PetitionRef } from '../petitions/schema.ts';
import * as comments from './comments.ts';
import { listComments } from './listing.ts';
import {
  Comment,
  CommentInput,
  CommentListQuery,
  CommentRef,
  CommentUpdate,
  maxReplies,
  PetitionComment,
  HidingInput,
} from './schema.ts';

const api = routes('Comments');
const adminApi = routes('Admin');

export const commentRoutes: Route[] = [
  api.get('/v1/petitions/{id}/comments', {
    id: 'listComments',
    summary: 'Comments on a petition, each with its whole thread',
    description:
      'Top-level comments go by page, newest or most answered first; all replies come with them. Where these are many, a page has fewer threads than its limit. Hidden comments are shown to moderators and to their author.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: PetitionRef,
    query: CommentListQuery,
    returns: many(Comment),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) => listComments(ctx, caller, params.id, query),
  }),
  api.post('/v1/petitions/{id}/comments', {
    id: 'commentOnPetition',
    summary: 'Comment on a petition, or answer a comment',
    description: `On petitions that are active, closed or victorious. A thread takes ${maxReplies} replies (else 409 thread_full), and you can write 300 comments an hour.`,
    auth: { access: 'user', scope: 'write:petitions' },
    params: PetitionRef,
    query: AccessCodeQuery,
    body: {
      schema: CommentInput,
      example: { body: 'I walk there every night, and so do my children.' },
    },
    returns: one(Comment, 201),
    problems: ['forbidden', 'not-found', 'conflict'],
    handle: (call) => create(call, { ref: call.params.id, namedIn: 'path' }),
  }),
  api.post('/v1/comments', {
    id: 'createComment',
    summary: 'Comment on a petition that the body names',
    description: 'As POST /v1/petitions/{id}/comments. A petition that you cannot see: 422.',
    auth: { access: 'user', scope: 'write:petitions' },
    query: AccessCodeQuery,
    body: {
      schema: PetitionComment,
      example: {
        petition_id: 'keep-the-river-path-open-at-night',
        body: 'I walk there every night, and so do my children.',
      },
    },
    returns: one(Comment, 201),
    problems: ['forbidden', 'conflict'],
    handle: (call) => create(call, { ref: call.body.petition_id, namedIn: 'body' }),
  }),
  api.get('/v1/comments/{id}', {
    id: 'getComment',
    summary: 'A comment with all replies to it',
    description:
      'By its id, wherever in the thread it stands. What you may not read is a placeholder while it has replies.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: CommentRef,
    query: AccessCodeQuery,
    returns: one(Comment),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params, query }) =>
      comments.getComment(ctx, caller, { id: params.id, code: query.access_code }),
  }),
  api.patch('/v1/comments/{id}', {
    id: 'updateComment',
    summary: 'Change your comment',
    description: 'Only its author may. `updated_at` says that it was changed.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: CommentRef,
    query: AccessCodeQuery,
    body: {
      schema: CommentUpdate,
      example: { body: 'I walk there every night, and so do my two children.' },
    },
    returns: one(Comment),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params, query, body }) =>
      comments.editComment(ctx, caller, { id: params.id, code: query.access_code }, body.body),
  }),
  api.delete('/v1/comments/{id}', {
    id: 'deleteComment',
    summary: 'Delete a comment',
    description:
      'By its author, the creator of the petition and moderators. One that has replies stays as a place holder, without body and author. The author is told of an act of a moderator, with the reason.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: CommentRef,
    query: AccessCodeQuery,
    body: {
      schema: HidingInput,
      isOptional: true,
      example: { reason: 'It names a private person.' },
    },
    returns: nothing(),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params, query, body }) =>
      comments.deleteComment(ctx, caller, { id: params.id, code: query.access_code }, body.reason),
  }),
  adminApi.post('/v1/admin/comments/{id}/hide', {
    id: 'hideComment',
    summary: 'Hide a comment from all but its author and moderators',
    description:
      'Others see a place holder while it has replies that they can see. The author is told, with the reason.',
    auth: { access: 'moderator' },
    params: CommentRef,
    body: {
      schema: HidingInput,
      isOptional: true,
      example: { reason: 'It says where a private person lives.' },
    },
    returns: one(Comment),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, body }) =>
      comments.setHidden(ctx, caller, params.id, { hidden: true, reason: body.reason }),
  }),
  adminApi.post('/v1/admin/comments/{id}/unhide', {
    id: 'unhideComment',
    summary: 'Show a hidden comment again',
    description: 'For moderators. Its author is told.',
    auth: { access: 'moderator' },
    params: CommentRef,
    body: {
      schema: HidingInput,
      isOptional: true,
      example: { reason: 'It is sharp, but within the rules.' },
    },
    returns: one(Comment),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, body }) =>
      comments.setHidden(ctx, caller, params.id, { hidden: false, reason: body.reason }),
  }),
];

type CreateCall = Call<unknown, Static<typeof AccessCodeQuery>, CommentInput, Caller>;

async function create(
  { ctx, caller, query, body, header }: CreateCall,
  petition: { ref: string; namedIn: 'path' | 'body' },
) {
  const code = body.access_code ?? query.access_code;
  const comment = await comments.addComment(ctx, caller, { ...petition, input: body, code });
  header('location', `${ctx.config.baseUrl}/v1/comments/${comment.id}`);
  return comment;
}
