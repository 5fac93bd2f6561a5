import { readablePetition } from '../../campaigns/petitions/read.ts';
import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage } from '../../platform/cursor.ts';
import { renderPage } from '../../platform/http/answer.ts';
import type { Caller, Rendered } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { describePlace, placeAround } from '../../platform/places.ts';
import * as queries from './queries.ts';
import type { PlaceCount } from './queries.ts';
import type { GeoCell, GeoQuery } from './schema.ts';

/** Fewer signatures might tell who gave them. */
export const fewest = 3;

/**
 * Counts fewer than `fewest` go to the region around the city, then to the country, and what is still too
 * few is dropped; so do regions without a name, to their country. In the order of places, which does not change while people sign.
 */
export function foldPlaces(counts: PlaceCount[]): PlaceCount[] {
  const folded = new Map<string, number>();
  for (const { place, count } of counts) folded.set(place, (folded.get(place) ?? 0) + count);
  for (const parts of [3, 2, 1]) {
    for (const [place, count] of folded) {
      if (place.split('.').length !== parts) continue;
      if (count >= fewest && !(parts === 2 && describePlace(place).region === '')) continue;
      folded.delete(place);
      const around = placeAround(place);
      if (around) folded.set(around, (folded.get(around) ?? 0) + count);
    }
  }
  return [...folded]
    .map(([place, count]) => ({ place, count }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1));
}

/** Where a petition, or all of them, was signed in the last hours. */
export async function listGeo(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { hours = 24, limit = defaultLimit, cursor, access_code }: GeoQuery,
): Promise<Rendered> {
  const after = decodeCursor('geo', ['text'], cursor);
  const petitionId =
    ref === 'global' ? null : (await readablePetition(ctx, caller, ref, access_code)).id;
  const cells = await ctx.cache.read('geo', `${petitionId} ${hours}`, async () =>
    foldPlaces(await queries.placesSince(ctx.pools.replica, petitionId, since(ctx.now(), hours))),
  );
  const from = after ? firstAfter(cells, String(after[0])) : 0;
  const page = cells.slice(from, from + limit + 1);
  return renderPage(toPage(page, limit, ({ place }) => encodeCursor('geo', [place]), present));
}

/** Where a petition was signed in the last seven days, for pages of those who can read it. */
export async function placesOfWeek(ctx: Context, petitionId: string): Promise<GeoCell[]> {
  const hours = 168;
  const counts = await queries.placesSince(ctx.pools.replica, petitionId, since(ctx.now(), hours));
  return foldPlaces(counts).map(present);
}

/** So long ago. It is counted by the hour, so the one in which that was is told with it. */
const since = (now: Date, hours: number) => new Date(now.getTime() - hours * 3_600_000);

function firstAfter(cells: PlaceCount[], place: string): number {
  const index = cells.findIndex((cell) => cell.place > place);
  return index < 0 ? cells.length : index;
}

function present({ place, count }: PlaceCount): GeoCell {
  const { lat, lng, city, region, countryCode, country } = describePlace(place);
  return { lat, lng, city, region, country: countryCode, country_name: country, count };
}
