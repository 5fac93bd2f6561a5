import { requireReadablePetition } from '../../campaigns/petitions/read.ts';
import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage } from '../../platform/cursor.ts';
import { renderPage } from '../../platform/http/answer.ts';
import type { Caller, Rendered } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { describePlace, parentPlace } from '../../platform/places.ts';
import * as queries from './queries.ts';
import type { PlaceCount } from './queries.ts';
import type { GeoCell, GeoQuery } from './schema.ts';

/** Fewer signatures at a place could identify their signers. */
export const minCount = 3;

/**
 * Adds counts below `minCount` to the region of the city, then to the country, and then drops them. Regions
 * without a name are added to their country. Sorts by place, an order that does not change while people sign.
 */
export function mergeSmallPlaces(counts: PlaceCount[]): PlaceCount[] {
  const merged = new Map<string, number>();
  for (const { place, count } of counts) merged.set(place, (merged.get(place) ?? 0) + count);
  for (const parts of [3, 2, 1]) {
    for (const [place, count] of merged) {
      if (place.split('.').length !== parts) continue;
      if (count >= minCount && !(parts === 2 && describePlace(place).region === '')) continue;
      merged.delete(place);
      const parent = parentPlace(place);
      if (parent) merged.set(parent, (merged.get(parent) ?? 0) + count);
    }
  }
  return [...merged]
    .map(([place, count]) => ({ place, count }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1));
}

/** Returns where a petition, or all of them (`global`), was signed in the last hours. */
export async function listGeo(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { hours = 24, limit = defaultLimit, cursor, access_code }: GeoQuery,
): Promise<Rendered> {
  const after = decodeCursor('geo', ['text'], cursor);
  const petitionId =
    ref === 'global' ? null : (await requireReadablePetition(ctx, caller, ref, access_code)).id;
  const cells = await ctx.cache.read('geo', `${petitionId} ${hours}`, () =>
    placesOf(ctx, petitionId, hours),
  );
  const rest = after ? cells.filter(({ place }) => place > String(after[0])) : cells;
  return renderPage(toPage(rest, limit, ({ place }) => encodeCursor('geo', [place]), present));
}

/** Returns where a petition was signed in the last seven days. Does not check access. */
export async function placesOfLastWeek(ctx: Context, petitionId: string): Promise<GeoCell[]> {
  const places = await placesOf(ctx, petitionId, 168);
  return places.map(present);
}

/** Returns where a petition, or all of them, was signed in the last hours, with the whole first hour. */
async function placesOf(
  ctx: Context,
  petitionId: string | null,
  hours: number,
): Promise<PlaceCount[]> {
  const since = new Date(ctx.now().getTime() - hours * 3_600_000);
  return mergeSmallPlaces(await queries.placesSince(ctx.pools.replica, petitionId, since));
}

function present({ place, count }: PlaceCount): GeoCell {
  const { lat, lng, city, region, countryCode, country } = describePlace(place);
  return { lat, lng, city, region, country: countryCode, country_name: country, count };
}
