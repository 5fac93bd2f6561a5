import { Type } from 'typebox';
import type { Context } from '../../platform/context.ts';
import { closedPatterns } from '../../platform/http/robots.ts';
import {
  raw,
  routes as routesOf,
  type Call,
  type RawAnswer,
  type Route,
} from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import type { Slice } from '../../platform/slice.ts';
import { pagesPart, petitionsPart, Sitemap, sitemapIndex } from './sitemap.ts';

const api = routesOf('Pages');
const common = {
  page: true,
  auth: { access: 'anyone', ignoresCredentials: true },
} as const;

/** robots.txt and the sitemap. `routes` are all of the service. */
export const sitemapSlice = (ctx: Context, routes: () => Route[]): Slice => {
  const sitemap = new Sitemap(ctx);
  return {
    routes: [
      api.get('/robots.txt', {
        ...common,
        id: 'getRobots',
        summary: 'What search engines may read',
        returns: raw('text/plain'),
        handle: ({ header }) => {
          cacheFor(header, 86_400);
          return { mediaType: 'text/plain; charset=utf-8', body: robotsOf(ctx, routes()) };
        },
      }),
      api.get('/sitemap.xml', {
        ...common,
        id: 'getSitemapIndex',
        summary: 'The parts of the sitemap',
        returns: raw('application/xml'),
        handle: ({ header }) => {
          cacheFor(header, 3600);
          return sitemapIndex(ctx, sitemap);
        },
      }),
      api.get('/sitemap/{file}', {
        ...common,
        id: 'getSitemapPart',
        summary: 'A part of the sitemap',
        params: Type.Object({ file: Type.String() }),
        returns: raw('application/xml'),
        problems: ['invalid-request', 'not-found'],
        handle: ({ params, header }): RawAnswer | Promise<RawAnswer> => {
          if (!params.file.endsWith('.xml')) throw notFound('part');
          const name = params.file.slice(0, -'.xml'.length);
          const part = name === 'pages' ? pagesPart(ctx) : petitionsPart(ctx, name);
          cacheFor(header, 3600);
          return part;
        },
      }),
    ],
  };
};

const cacheFor = (header: Call['header'], seconds: number) =>
  header('cache-control', `public, max-age=${seconds}`);

/** Of programs; what is closed of the pages, their routes say. */
const programPaths = ['/v1/', '/oauth/'];

/** RFC 9309. */
const robotsOf = ({ config }: Context, routes: readonly Route[]) => `User-agent: *
${[...programPaths, ...closedPatterns(routes)].map((pattern) => `Disallow: ${pattern}\n`).join('')}
Sitemap: ${config.baseUrl}/sitemap.xml
`;
