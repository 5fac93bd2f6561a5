import { Type } from 'typebox';
import Negotiator from 'negotiator';
import { one, routes, type Call } from '../../platform/http/route.ts';
import { countryOfAddress } from '../../platform/ip-country.ts';
import { describePlace, suggestPlaces } from '../../platform/places.ts';
import type { Slice } from '../../platform/slice.ts';
import { PlacesQuery, SuggestedPlace } from './schema.ts';

const api = routes('Search');

const defaultSuggestions = 5;
/** The data change with releases only. */
const maxAgeSeconds = 24 * 3600;

/** Suggestions of places for forms. */
export const placesSlice = (): Slice => ({
  routes: [
    api.get('/v1/places', {
      id: 'suggestPlaces',
      summary: 'Suggests places while somebody types',
      description:
        'Cities, regions and countries whose names begin with the text, the largest first. A `label` that is sent as `display_location` of a signature counts for exactly its place. The service looks them up in its own tables (GeoNames, CC BY 4.0) and asks no other service.',
      auth: { access: 'anyone', ignoresCredentials: true },
      worksWithoutDatabase: true,
      query: PlacesQuery,
      returns: one(Type.Array(SuggestedPlace)),
      handle: suggestedPlaces,
    }),
  ],
});

async function suggestedPlaces({
  query,
  headers,
  header,
  ip,
}: { query: PlacesQuery } & Pick<Call, 'headers' | 'header' | 'ip'>): Promise<SuggestedPlace[]> {
  const { q, limit = defaultSuggestions } = query;
  if (query.language && query.country) header('cache-control', `public, max-age=${maxAgeSeconds}`);
  const language = query.language ?? new Negotiator({ headers }).languages()[0] ?? 'en';
  const country = query.country?.toUpperCase() ?? countryOfAddress(ip);
  const suggestions = await suggestPlaces(q, { country, language, limit });
  return suggestions.map(({ path: place, label }) => {
    const { city, region, countryCode, country: countryName } = describePlace(place);
    return { place, label, city, region, country: countryCode, country_name: countryName };
  });
}
