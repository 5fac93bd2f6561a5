import { Type } from 'typebox';
import { AccessCodeQuery, PetitionRef } from '../../campaigns/petitions/schema.ts';
import { many, routes } from '../../platform/http/route.ts';
import { pageQuery } from '../../platform/http/schema.ts';
import type { Slice } from '../../platform/slice.ts';
import { TimelineEntry } from './schema.ts';
import { listTimeline } from './timeline.ts';

const api = routes('Petitions');

/** What happened to a petition. */
export const timelineSlice = (): Slice => ({
  routes: [
    api.get('/v1/petitions/{id}/timeline', {
      id: 'listTimeline',
      summary: 'What happened to a petition, newest first',
      description:
        'Its publication, milestones, changes of its text, updates, deliveries to decision makers, their published answers, and its end. Its page has it, too, and an Atom feed at `/p/{slug}/feed.atom`.',
      auth: { access: 'anyone', scope: 'read:petitions' },
      params: PetitionRef,
      query: Type.Object({ ...AccessCodeQuery.properties, ...pageQuery }),
      returns: many(TimelineEntry),
      cache: { etag: true },
      problems: ['forbidden', 'not-found'],
      handle: ({ ctx, caller, params, query }) => listTimeline(ctx, caller, params.id, query),
    }),
  ],
});
