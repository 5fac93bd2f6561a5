import { Type } from 'typebox';
import { RenderedPage } from '../http/rendered-page.ts';
import { raw, routes } from '../http/route.ts';
import { notFound } from '../problems.ts';
import { accentOfAddress, themeStyles } from '../site/theme.ts';
import type { Slice } from '../slice.ts';
import { assetTypes, type Asset } from './assets.ts';
import { pageAssets } from './page.ts';

const api = routes('Pages');

/** Serves the styles and scripts of all slices. */
export const assetsSlice = (slices: readonly Slice[]): Slice => {
  const assets = new Map(
    [...pageAssets, ...slices.flatMap((slice) => slice.assets ?? [])].map((one) => [
      one.address,
      rendered(one),
    ]),
  );
  return {
    routes: [
      api.get('/assets/{file}', {
        id: 'getAsset',
        summary: 'Style and scripts of the pages',
        page: true,
        auth: { access: 'anyone', ignoresCredentials: true },
        params: Type.Object({ file: Type.String() }),
        returns: raw(...Object.values(assetTypes).map((type) => type.split(';')[0]!)),
        problems: ['not-found'],
        handle: ({ params }) => {
          const found = assets.get(`/assets/${params.file}`);
          if (found) return found;
          const accent = accentOfAddress(params.file);
          if (accent === undefined) throw notFound('file');
          return rendered({ body: themeStyles(accent), mediaType: assetTypes['.css']! });
        },
      }),
    ],
  };
};

const rendered = (asset: Pick<Asset, 'body' | 'mediaType'>): RenderedPage =>
  new RenderedPage(asset, {
    headers: { 'cache-control': 'public, max-age=31536000, immutable' },
    effort: 'once',
  });
