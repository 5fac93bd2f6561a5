import { Type } from 'typebox';
import { encodeQR } from 'qr';
import { raw, routes, type Route } from '../../platform/http/route.ts';
import { isLanguage } from '../../platform/pages/language.ts';
import { asPage } from '../../platform/pages/failures.ts';
import { requireReadablePetition } from '../../campaigns/petitions/read.ts';
import { cardSize, cardWidths, pageUrl, type CardWidth } from '../../reach/embeds/embeds.ts';
import { SlugRef } from './addresses.ts';
import { cardOf } from './card-image.ts';

const api = routes('Pages');
const common = {
  page: true,
  auth: { access: 'anyone', ignoresCredentials: true },
  params: SlugRef,
  failures: { format: asPage },
} as const;

export const imageRoutes: Route[] = [
  api.get('/p/{slug}/qr.svg', {
    ...common,
    id: 'showPetitionCode',
    summary: 'A QR code that leads to the page of a petition',
    query: Type.Object({
      ref: Type.Optional(Type.String({ maxLength: 100, description: 'Of a share link.' })),
    }),
    returns: raw('image/svg+xml'),
    problems: ['forbidden', 'not-found'],
    handle: async ({ ctx, params, query: { ref }, header }) => {
      const { slug } = await requireReadablePetition(ctx, null, params.slug, undefined);
      header('cache-control', 'public, max-age=86400');
      const query = ref === undefined ? '' : `?ref=${encodeURIComponent(ref)}`;
      const url = pageUrl(ctx.config, slug) + query;
      const body = encodeQR(url, 'svg', { ecc: 'medium', border: 4 });
      return { mediaType: 'image/svg+xml', body };
    },
  }),
  api.get('/p/{slug}/card.png', {
    ...common,
    id: 'showPetitionCard',
    summary: 'The picture by which a petition is shown where its link is shared',
    query: Type.Object({
      lang: Type.Optional(Type.String({ maxLength: 10 })),
      width: Type.Optional(
        Type.Unsafe<CardWidth>({ type: 'integer', enum: cardWidths, default: cardSize.width }),
      ),
    }),
    returns: raw('image/png'),
    problems: ['forbidden', 'not-found'],
    handle: async ({ ctx, params: { slug }, query: { lang, width = 1200 }, headers, header }) => {
      const petition = await requireReadablePetition(ctx, null, slug, undefined);
      const { png, etag } = await cardOf(petition, {
        language: isLanguage(lang) ? lang : 'en',
        width,
      });
      header('cache-control', 'public, max-age=300');
      header('etag', etag);
      const isUnchanged = headers['if-none-match'] === etag;
      return {
        mediaType: 'image/png',
        ...(isUnchanged ? { status: 304, body: '' } : { body: png }),
      };
    },
  }),
];
