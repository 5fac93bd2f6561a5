import { Type } from 'typebox';
import { RenderedPage } from '../../platform/http/rendered-page.ts';
import { raw, routes } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import type { Slice } from '../../platform/slice.ts';
import { worldMap } from './world.ts';

const api = routes('Pages');

/** The background image of maps. */
export const chartsSlice = (): Slice => ({
  routes: [
    api.get('/drawings/{file}', {
      id: 'getWorldMap',
      summary: 'The map of the world',
      page: true,
      auth: { access: 'anyone', ignoresCredentials: true },
      params: Type.Object({ file: Type.String() }),
      returns: raw('image/svg+xml'),
      problems: ['not-found'],
      handle: ({ params }) => {
        const { address } = worldMap();
        if (!address.endsWith(`/${params.file}`)) throw notFound('drawing');
        return (renderedMap ??= renderMap());
      },
    }),
  ],
});

let renderedMap: RenderedPage | undefined;

const renderMap = (): RenderedPage =>
  new RenderedPage(
    { mediaType: 'image/svg+xml', body: worldMap().svg },
    {
      headers: {
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      },
      effort: 'once',
    },
  );
