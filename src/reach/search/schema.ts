import { Type, type Static } from 'typebox';
import { categoryFilter, categoryLanguage } from '../../campaigns/categories/schema.ts';
import { publishedStatuses, tagFilter } from '../../campaigns/petitions/schema.ts';
import { named, nullable, oneOf, pageQuery, someOf } from '../../platform/http/schema.ts';

export const searchSorts = ['relevance', 'recent', 'signatures', 'trending'] as const;
export type SearchSort = (typeof searchSorts)[number];

/** The language of the words; default: Accept-Language. */
const Language = Type.String({
  pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$',
  maxLength: 35,
  description: 'Language of the words (BCP 47). Default: Accept-Language.',
});

export const SearchQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Words that title, tags or description must have, the last one perhaps unfinished; "words in this order"; -without. Default: all petitions.',
    }),
  ),
  ...categoryFilter,
  country: Type.Optional(
    Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166-1 alpha-2' }),
  ),
  status: Type.Optional(someOf(publishedStatuses)),
  ...tagFilter,
  sort: Type.Optional(
    oneOf(searchSorts, {
      default: 'relevance',
      description: 'relevance: how well title, tags and text match, and how many signed.',
    }),
  ),
  language: Type.Optional(Language),
  ...categoryLanguage,
  ...pageQuery,
});
export type SearchQuery = Static<typeof SearchQuery>;

const Counts = Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() }));

export const Facets = named(
  'SearchFacets',
  Type.Object(
    { status: Counts, category: Counts, country: Counts, tag: Counts },
    {
      description:
        'Numbers of petitions in the whole result by value, the most frequent first: categories by id (`GET /v1/categories?lang=` names them), tags in lower case; at most 50 countries and 20 tags.',
    },
  ),
);

export type Facets = Static<typeof Facets>;

/** Fields of a search response besides its petitions. */
export const besideResults = {
  facets: Facets,
  facets_estimated: Type.Boolean({
    description:
      'Whether total and facets are estimates from a random sample, because the result is large.',
  }),
  total: Type.Integer({ description: 'Petitions in the whole result.' }),
  corrected: Type.Boolean({
    description:
      'Whether the result is of words one typing error away, because no petition has the typed words.',
  }),
};

export const SuggestQuery = Type.Object({
  q: Type.String({ minLength: 2, maxLength: 200, description: 'What was typed so far.' }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10, default: 5, description: 'Suggestions, at most.' }),
  ),
  language: Type.Optional(Language),
});
export type SuggestQuery = Static<typeof SuggestQuery>;

export const Suggestion = named(
  'Suggestion',
  Type.Object({
    title: Type.String(),
    language: nullable(Type.String({ description: 'Of the title, as its creator named it' })),
    slug: Type.String(),
    signature_count: Type.Integer(),
  }),
);
export type Suggestion = Static<typeof Suggestion>;

export const SimilarQuery = Type.Object({
  title: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Title that a petition is to have.',
  }),
  language: Type.Optional(Language),
  ...categoryLanguage,
});
export type SimilarQuery = Static<typeof SimilarQuery>;
