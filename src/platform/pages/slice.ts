import { Type } from 'typebox';
import { raw, route } from '../http/route.ts';
import { notFound } from '../problems.ts';
import type { Slice } from '../slice.ts';
import { assetNamed, assetTypes } from './assets.ts';

/** Serves the style and the scripts of pages. */
export const assetsSlice = (): Slice => ({
  routes: [
    route({
      id: 'getAsset',
      method: 'GET',
      path: '/assets/{file}',
      summary: 'Style and scripts of the pages',
      tag: 'Pages',
      page: true,
      auth: { access: 'anyone', ignoresCredentials: true },
      params: Type.Object({ file: Type.String() }),
      returns: raw(...Object.values(assetTypes).map((type) => type.split(';')[0]!)),
      problems: ['not-found'],
      handle: ({ params, header }) => {
        const asset = assetNamed(params.file);
        if (!asset) throw notFound('file');
        header('cache-control', 'public, max-age=31536000, immutable');
        return { mediaType: asset.mediaType, body: asset.body };
      },
    }),
  ],
});
