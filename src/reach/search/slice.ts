import { Type } from 'typebox';
import { languageAsked, nameCategories } from '../../campaigns/categories/categories.ts';
import { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import type { Context } from '../../platform/context.ts';
import { many, one, routes, type Call } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { createIndexer, bucketsFollower, joinedWordsBackfill, linksBackfill } from './indexing.ts';
import { besideResults, SearchQuery, SimilarQuery, SuggestQuery, Suggestion } from './schema.ts';
import { searchPetitions, similarPetitions, suggestTitles } from './search.ts';

const api = routes('Search');

const withLanguage = <Q extends object>({
  query,
  headers,
}: { query: Q } & Pick<Call, 'headers'>) => ({
  ...query,
  acceptLanguage: headers['accept-language'],
});

/** Petitions with categories in the language of the query. */
const namedItems = (
  { ctx, query }: Pick<Call, 'ctx'> & { query: { lang?: string } },
  items: PetitionSummary[],
) => nameCategories(ctx, items, languageAsked(query.lang));

export const searchSlice = (ctx: Context): Slice => ({
  workers: [createIndexer(ctx)],
  followers: [bucketsFollower],
  backfills: [linksBackfill, joinedWordsBackfill],
  routes: [
    api.get('/v1/search/petitions', {
      id: 'searchPetitions',
      summary: 'Searches petitions',
      description:
        'Searches titles, tags and descriptions of petitions in public lists. Case, accents, apostrophes and hyphens do not count, other forms of a word match, and in Chinese, Japanese, Korean and Thai any piece of text matches. Words in titles count most, then how well known a petition is. In a large result, petitions with the words in their titles come first, ranked in parts from the best known down; then the others. A published or changed petition is found within seconds; a hidden one never. Pages show nothing twice and skip nothing while petitions are added; a petition whose text or count changes meanwhile may move, as in every list.',
      auth: { access: 'anyone', scope: 'read:petitions' },
      query: SearchQuery,
      returns: many(PetitionSummary, {}, besideResults),
      problems: ['unavailable'],
      handle: async (call) => {
        const results = await searchPetitions(call.ctx, withLanguage(call));
        return { ...results, items: await namedItems(call, results.items) };
      },
    }),
    api.get('/v1/search/suggest', {
      id: 'suggestTitles',
      summary: 'Suggests titles while somebody types',
      description:
        'Titles with all the words, the last one perhaps unfinished, the best known first. If there are none: titles with words one typing error away.',
      auth: { access: 'anyone', scope: 'read:petitions' },
      query: SuggestQuery,
      returns: one(Type.Array(Suggestion)),
      problems: ['unavailable'],
      handle: (call) => suggestTitles(call.ctx, withLanguage(call)),
    }),
    api.get('/v1/petitions/similar', {
      id: 'listSimilarPetitions',
      summary: 'Up to 5 active petitions with similar titles, the most similar first',
      description: 'For a check before a petition is created. There is one page only.',
      auth: { access: 'anyone', scope: 'read:petitions' },
      query: SimilarQuery,
      returns: many(PetitionSummary),
      problems: ['unavailable'],
      handle: async (call) => ({
        items: await namedItems(call, await similarPetitions(call.ctx, withLanguage(call))),
        nextCursor: null,
      }),
    }),
  ],
});
