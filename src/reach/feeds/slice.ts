import { Type } from 'typebox';
import { categoryFilter, categoryLanguage } from '../../campaigns/categories/schema.ts';
import { raw, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { changelogFeed } from './changelog.ts';
import { readFeed, type FeedName } from './feeds.ts';

const api = routes('Feeds');

const maxAgeSeconds = 60;

const feed = (name: FeedName, id: string, summary: string) =>
  api.get(`/feeds/${name}.atom`, {
    id,
    summary,
    description: 'The first 50 petitions as Atom (RFC 4287).',
    auth: { access: 'anyone', ignoresCredentials: true },
    query: Type.Object({
      ...categoryFilter,
      ...categoryLanguage,
    }),
    returns: raw('application/atom+xml'),
    problems: ['not-found'],
    cache: { etag: true },
    async handle({ ctx, query, header }) {
      const { text, etag } = await readFeed(ctx, name, query);
      header('cache-control', `public, max-age=${maxAgeSeconds}`);
      return { mediaType: 'application/atom+xml; charset=utf-8', body: text, etag };
    },
  });

export const feedsSlice = (): Slice => ({
  routes: [
    feed('new', 'getNewFeed', 'New petitions, as a feed'),
    api.get('/changelog.atom', {
      id: 'getChangelogFeed',
      module: 'developers',
      summary: 'Releases of the software, as a feed',
      description: 'An entry for each release as Atom (RFC 4287), with its changes in Markdown.',
      auth: { access: 'anyone', ignoresCredentials: true },
      worksWithoutDatabase: true,
      returns: raw('application/atom+xml'),
      handle({ ctx, header }) {
        header('cache-control', 'public, max-age=3600');
        const body = changelogFeed(ctx.config.baseUrl, ctx.site.current.name);
        return { mediaType: 'application/atom+xml; charset=utf-8', body };
      },
    }),
    feed('trending', 'getTrendingFeed', 'Trending petitions, as a feed'),
  ],
});
