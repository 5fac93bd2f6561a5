import { Type, type Static } from 'typebox';
import {
  idOf,
  named,
  nullable,
  oneOf,
  createdQuery,
  pageQuery,
  Timestamp,
  Uuid,
  VisibleText,
} from '../../platform/http/schema.ts';
import { AccessCodeQuery } from '../petitions/schema.ts';

declare module '../../platform/events.ts' {
  /** The data has comment_id and parent_id. */
  interface EventTypes extends Record<'comment.created', true> {}
}

export const commentSorts = ['recent', 'popular'] as const;

const CommentFields = Type.Object({
  id: Uuid,
  petition_id: Uuid,
  user_id: nullable(
    Type.String({
      format: 'uuid',
      description: 'Null in a place holder, and once the account of the author was erased.',
    }),
  ),
  parent_id: nullable(Uuid),
  body: Type.String({ description: 'As it was sent. Empty in a place holder.' }),
  is_hidden: Type.Boolean({ description: 'Hidden by a moderator.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** Maximum depth of `replies`; docs/decisions/0011-comments.md explains the limit. */
export const maxLevels = 100;

/** Maximum number of replies in a thread, which is always returned as a whole. */
export const maxReplies = 1000;

export type Comment = Static<typeof CommentFields> & { replies: Comment[] };
export const Comment = named(
  'Comment',
  Type.Object(
    {
      ...CommentFields.properties,
      replies: Type.Array(Type.Unsafe<Comment>({ $ref: '#/components/schemas/Comment' }), {
        description: `Oldest first. Nested ${maxLevels} levels deep; what is deeper stands in the last of them, with its own parent_id.`,
      }),
    },
    {
      description:
        'A comment with all replies to it. One that was deleted, or hidden from you, stays as a place holder without body and author while it has replies.',
    },
  ),
);

const Body = VisibleText({ lines: 'many', minLength: 1, maxLength: 2000 });

export const CommentInput = Type.Object({
  body: Body,
  parent_id: Type.Optional(nullable(Uuid)),
  access_code: Type.Optional(Type.String({ maxLength: 100 })),
});
export type CommentInput = Static<typeof CommentInput>;

export const CommentUpdate = Type.Object({ body: Body });

/** The input of a comment when the path does not name the petition. */
export const PetitionComment = Type.Object({
  ...CommentInput.properties,
  petition_id: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Slug or id of the petition',
  }),
});

export const HidingInput = Type.Object({
  reason: Type.Optional(
    VisibleText({
      lines: 'many',
      minLength: 1,
      maxLength: 2000,
      description: 'Why, as the author is told.',
    }),
  ),
});

export const CommentRef = Type.Object({ id: idOf('the comment') });

export const CommentListQuery = Type.Object({
  sort: Type.Optional(
    oneOf(commentSorts, {
      default: 'recent',
      description: 'popular: most replies in the whole thread first, then newest.',
    }),
  ),
  ...AccessCodeQuery.properties,
  ...createdQuery,
  ...pageQuery,
});
export type CommentListQuery = Static<typeof CommentListQuery>;
