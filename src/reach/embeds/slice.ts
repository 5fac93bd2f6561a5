import { Type } from 'typebox';
import { bare, one, raw, type Call, type RawAnswer, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { requireReadablePetition } from '../../campaigns/petitions/read.ts';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import { describeForOEmbed, embedCode } from './embeds.ts';
import { Embed, EmbedInput, OEmbed, OEmbedQuery, WidgetQuery } from './schema.ts';
import { embedScript, widgetScript, type Script } from './scripts.ts';
import { asWidget, widgetPage } from './widget.ts';

const api = routes('Embeds');

export const embedsSlice = (): Slice => ({
  routes: [
    api.get('/v1/oembed', {
      id: 'getOEmbed',
      summary: 'The oEmbed description of a petition, by the URL of its page',
      description:
        'oEmbed 1.0, in JSON. Answers 404 for petitions that are not public and for other URLs.',
      auth: { access: 'anyone', ignoresCredentials: true },
      query: OEmbedQuery,
      failures: { badQueryIs400: true },
      returns: bare(OEmbed),
      problems: ['not-found', 'not-implemented'],
      handle: ({ ctx, query }) => describeForOEmbed(ctx, query),
    }),
    api.post('/v1/petitions/{id}/embed', {
      id: 'createEmbed',
      summary: 'HTML that shows the petition in other pages',
      description:
        'A `blockquote` with a link, an `iframe` and a script that fits its height. The script may be left out.',
      auth: { access: 'anyone', scope: 'read:petitions' },
      params: PetitionRef,
      body: { schema: EmbedInput, isOptional: true, example: { theme: 'dark', width: 480 } },
      returns: one(Embed),
      problems: ['forbidden', 'not-found', 'conflict'],
      handle: ({ ctx, caller, params, body }) => embedCode(ctx, caller, params.id, body),
    }),
    api.get('/embed/p/{slug}', {
      id: 'showEmbeddedPetition',
      closedToCrawlers: true,
      summary: 'The petition as other pages show it in a frame',
      description:
        'Posts `{type: "petition:resize", slug, height}` to the page around it, at first and whenever its height changes. With `#?secret=…`, as WordPress adds it, also `{message: "height", value, secret}`, and `{message: "link", value, secret}` when a link is clicked. Sets no cookies and loads nothing from elsewhere.',
      auth: { access: 'anyone', ignoresCredentials: true },
      params: Type.Object({ slug: PetitionRef.properties.id }),
      query: WidgetQuery,
      returns: raw('text/html'),
      problems: ['forbidden', 'not-found'],
      failures: { format: asWidget },
      handle: async (call) => {
        const { ctx, params, query } = call;
        const petition = await requireReadablePetition(ctx, null, params.slug, undefined);
        return widgetPage(ctx, call, petition, query.theme ?? 'light');
      },
    }),
    api.get('/embed/widget.js', {
      id: 'getWidgetScript',
      summary: 'The script of the embedded page',
      description: 'Shows the count as it grows. The embedded page loads it by itself.',
      auth: { access: 'anyone', ignoresCredentials: true },
      worksWithoutDatabase: true,
      returns: raw('text/javascript'),
      handle: ({ header }) => send(header, widgetScript, 'public, max-age=31536000, immutable'),
    }),
    api.get('/embed.js', {
      id: 'getEmbedScript',
      summary: 'For pages that embed petitions: fits the frames to what they show',
      description: 'Load it once in a page, however many petitions it embeds. It sets no cookie.',
      auth: { access: 'anyone', ignoresCredentials: true },
      worksWithoutDatabase: true,
      returns: raw('text/javascript'),
      // Other sites refer to this address, so it never changes.
      handle: ({ header }) => send(header, embedScript, 'public, max-age=3600'),
    }),
  ],
});

function send(header: Call['header'], { text }: Script, caching: string): RawAnswer {
  header('cache-control', caching);
  return { mediaType: 'text/javascript; charset=utf-8', body: text };
}
