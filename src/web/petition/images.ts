import { Type } from 'typebox';
import { encodeQR } from 'qr';
import { raw, routes, type Route } from '../../platform/http/route.ts';
import { isLanguage } from '../../platform/pages/language.ts';
import { asPage } from '../../platform/pages/problem-pages.ts';
import { shownAddress } from '../../campaigns/media/media.ts';
import { requireReadablePetition } from '../../campaigns/petitions/read.ts';
import {
  cardSize,
  cardVersion,
  cardWidths,
  pageUrl,
  type CardWidth,
} from '../../reach/embeds/embeds.ts';
import { SlugRef } from './addresses.ts';
import { cardOf, type CardFormat } from './card-image.ts';

const api = routes('Pages');
const common = {
  page: true,
  auth: { access: 'anyone', ignoresCredentials: true },
  params: SlugRef,
  failures: { format: asPage },
} as const;

const CardQuery = Type.Object({
  lang: Type.Optional(Type.String({ maxLength: 10 })),
  width: Type.Optional(
    Type.Unsafe<CardWidth>({ type: 'integer', enum: cardWidths, default: cardSize.width }),
  ),
  v: Type.Optional(
    Type.String({ maxLength: 20, description: 'Changes with what the picture shows.' }),
  ),
});

/** The card in one format. An old address shows the current card. */
const cardRoute = (path: string, id: string, format: CardFormat): Route =>
  api.get(path, {
    ...common,
    id,
    summary: 'The picture by which a petition is shown where its link is shared',
    query: CardQuery,
    returns: raw(`image/${format}`),
    problems: ['forbidden', 'not-found'],
    handle: async ({ ctx, params: { slug }, query, header }) => {
      const { lang, width = 1200, v } = query;
      const row = await requireReadablePetition(ctx, null, slug, undefined);
      const petition = { ...row, image_url: await shownAddress(ctx, row.image_url) };
      const { bytes, etag, isFinal } = await cardOf(ctx, petition, {
        language: isLanguage(lang) ? lang : 'en',
        width,
        format,
      });
      const isCurrent = v === cardVersion(petition, ctx.site.current) && isFinal;
      header('cache-control', `public, max-age=${isCurrent ? 2_592_000 : 300}`);
      return { mediaType: `image/${format}`, body: bytes, etag };
    },
  });

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
  cardRoute('/p/{slug}/card.jpg', 'showPetitionCard', 'jpeg'),
  // The address of cards in links that were shared before.
  cardRoute('/p/{slug}/card.png', 'showPetitionCardAsPng', 'png'),
];
