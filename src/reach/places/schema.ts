import { Type, type Static } from 'typebox';
import { named } from '../../platform/http/schema.ts';

export const PlacesQuery = Type.Object({
  q: Type.String({
    minLength: 2,
    maxLength: 100,
    description:
      'The beginning of a name, in any language or script. After a comma, the beginning of the region or country. Below 3 letters nothing is suggested; 2 characters suffice in Chinese, Japanese and Korean.',
  }),
  country: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{2}$',
      description:
        'ISO 3166-1 alpha-2. Its places are preferred. Default: the country of your address.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10, default: 5, description: 'Suggestions, at most.' }),
  ),
  language: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$',
      maxLength: 35,
      description:
        'In which countries are named (BCP 47). Default: Accept-Language. With it and the country, caches keep the answer for a day.',
    }),
  ),
});
export type PlacesQuery = Static<typeof PlacesQuery>;

export const SuggestedPlace = named(
  'SuggestedPlace',
  Type.Object({
    place: Type.String({
      description: 'The path of country, region and city, by codes and ids of GeoNames.',
    }),
    label: Type.String({
      description: 'Names exactly this place as `display_location` of a signature.',
    }),
    city: Type.String({ description: 'Empty where the place is a region or country.' }),
    region: Type.String({ description: 'Empty where the place is a country.' }),
    country: Type.String({ description: 'ISO 3166-1 alpha-2' }),
    country_name: Type.String({ description: 'In English.' }),
  }),
);
export type SuggestedPlace = Static<typeof SuggestedPlace>;
