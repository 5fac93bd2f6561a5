import { Type, type Static } from 'typebox';
import {
  idOf,
  ImageAlt,
  named,
  nullable,
  createdQuery,
  pageQuery,
  RenderedText,
  Timestamp,
  Uuid,
  VisibleText,
  WebUrl,
} from '../../platform/http/schema.ts';
import { AccessCodeQuery } from '../petitions/schema.ts';

/** Events that webhooks, the event log and the real-time API publish. */
export const publicUpdateEvents = ['update.created'] as const;

declare module '../../platform/events.ts' {
  interface EventTypes extends Record<(typeof publicUpdateEvents)[number], true> {}
}

export const Update = named(
  'Update',
  Type.Object(
    {
      id: Uuid,
      petition_id: Uuid,
      title: Type.String(),
      body: Type.String(),
      image_url: nullable(Type.String()),
      image_alt: nullable(Type.String({ description: 'What the picture shows, in words' })),
      created_at: Timestamp,
      updated_at: Timestamp,
    },
    { description: 'News on a petition by its creator.' },
  ),
);
export type Update = Static<typeof Update>;

export const RenderedUpdate = named(
  'RenderedUpdate',
  Type.Object({ ...Update.properties, body_html: RenderedText }),
);
export type RenderedUpdate = Static<typeof RenderedUpdate>;

const Title = VisibleText({ minLength: 1, maxLength: 200 });
const Body = VisibleText({ lines: 'markdown', minLength: 1, maxLength: 10_000 });

export const UpdateInput = Type.Object({
  title: Title,
  body: Body,
  image_url: Type.Optional(nullable(WebUrl)),
  image_alt: Type.Optional(nullable(ImageAlt)),
});
export type UpdateInput = Static<typeof UpdateInput>;

/** What was typed of an update that is not posted yet. */
export const UpdateDraftInput = Type.Object({
  title: VisibleText({ maxLength: 200 }),
  body: VisibleText({ lines: 'markdown', maxLength: 10_000 }),
});

export const UpdateChanges = Type.Partial(UpdateInput);
export type UpdateChanges = Static<typeof UpdateChanges>;

export const UpdateDeletionInput = Type.Object({
  reason: Type.Optional(
    VisibleText({
      lines: 'many',
      minLength: 1,
      maxLength: 2000,
      description: 'Why a moderator deletes it, as the creator is told.',
    }),
  ),
});

export const UpdateRef = Type.Object({ id: idOf('the update') });

export const UpdateListQuery = Type.Object({
  ...AccessCodeQuery.properties,
  ...createdQuery,
  ...pageQuery,
});
export type UpdateListQuery = Static<typeof UpdateListQuery>;
