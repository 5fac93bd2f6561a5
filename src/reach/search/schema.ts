import { Type, type Static } from 'typebox';
import { named, oneOf, pageQuery, Uuid } from '../../platform/http/schema.ts';

export const searchSorts = ['relevance', 'recent', 'signatures', 'trending'] as const;
export type SearchSort = (typeof searchSorts)[number];

/** Of the words, where it is not that of the documents: Accept-Language counts without it. */
const Language = Type.String({
  pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$',
  maxLength: 35,
  description: 'Of what is typed, as in Accept-Language, which counts without it (BCP 47).',
});

export const SearchQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Words that must all be there, in title, tags or description, the last of them perhaps unfinished; "words in this order"; -without. Without it: all petitions.',
    }),
  ),
  category: Type.Optional(Uuid),
  country: Type.Optional(
    Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166-1 alpha-2' }),
  ),
  status: Type.Optional(oneOf(['active', 'closed', 'victory'])),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 50 })),
  sort: Type.Optional(oneOf(searchSorts, { default: 'relevance' })),
  language: Type.Optional(Language),
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
        'How many petitions of the whole result there are of each kind, most first: categories by id, tags in lower case, and of countries 50 and of tags 20 at most.',
    },
  ),
);

/** What the answer of a search has beside its petitions. */
export const besideResults = {
  facets: Facets,
  facets_estimated: Type.Boolean({
    description:
      'The result is so large that total and facets were counted in a sample of it, drawn by chance.',
  }),
  total: Type.Integer({ description: 'Petitions in the whole result.' }),
  corrected: Type.Boolean({
    description: 'Nothing has these words: the result is that of words one typing error away.',
  }),
};

export const SuggestQuery = Type.Object({
  q: Type.String({ minLength: 2, maxLength: 200 }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 5 })),
  language: Type.Optional(Language),
});
export type SuggestQuery = Static<typeof SuggestQuery>;

export const Suggestion = named(
  'Suggestion',
  Type.Object({
    title: Type.String(),
    slug: Type.String(),
    signature_count: Type.Integer(),
  }),
);
export type Suggestion = Static<typeof Suggestion>;

export const SimilarQuery = Type.Object({
  title: Type.String({ minLength: 1, maxLength: 200 }),
  language: Type.Optional(Language),
});
export type SimilarQuery = Static<typeof SimilarQuery>;
