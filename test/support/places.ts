import assert from 'node:assert/strict';
import { placeBackfills } from '../../src/campaigns/signatures/place-backfill.ts';
import { canonicalPlace } from '../../src/platform/places.ts';
import type { Person, TestUser } from './people.ts';
import type { Service } from './service.ts';
import { assertSums, untilSumsSettled } from './sums.ts';

/** Texts of places that `changePlaceTexts` replaces by each other. */
export const placeTexts = ['Leeds, GB', 'Lyon, FR', 'Texas, US', 'Nowhere at all'] as const;
/** In the network of `holdSignatures`. */
export const heldAddress = '198.51.100.7';

export interface HowToSign {
  text?: string;
  ip?: string;
}

/** Has signatures from `heldAddress` wait for moderators. */
export async function holdSignatures(admin: Person): Promise<void> {
  const hold = { kind: 'network', value: '198.51.100.0/24', action: 'hold', reason: 'Bots' };
  assert.equal((await admin.api.post('/v1/admin/signing-blocks', hold)).status, 201);
}

/** Signs with a text of a place, by default from Britain. The service must trust 127.0.0.1 as a proxy. */
export async function signWithText(
  service: Service,
  { token }: TestUser,
  petition: { id: string },
  { text = placeTexts[0], ip = '81.2.69.1' }: HowToSign,
): Promise<{ id: string; state: string }> {
  const api = service.api.as(token).with({ 'x-forwarded-for': ip });
  const path = `/v1/petitions/${petition.id}/signatures`;
  const { status, body } = await api.post(path, { display_location: text });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
}

/** Replaces each text by the next one, so that stored places are no longer what their texts say. */
export async function changePlaceTexts({ ctx }: Service): Promise<void> {
  const texts = [...placeTexts];
  await ctx.db`
    update signatures set display_location =
      (${texts}::text[])[array_position(${texts}::text[], display_location) % ${texts.length} + 1]`;
}

/** Runs all steps of the backfill of places in this process. Returns how many there were. */
export async function rereadPlaces({ ctx }: Service, batchSize = 10): Promise<number> {
  const backfill = placeBackfills({ batchSize }).at(-1)!;
  let steps = 0;
  let cursor: string | null = null;
  for (;;) {
    const done = await backfill.step(ctx.db, cursor);
    if (!done) return steps;
    ({ cursor } = done);
    steps += 1;
  }
}

/** Checks that each place is what its text says, and that sums by region and country are a recount. */
export async function assertPlacesAndSums(service: Service): Promise<void> {
  const { db } = service.ctx;
  type Row = Record<'text' | 'country' | 'language' | 'place', string | null>;
  const rows = await db<Row[]>`
    select s.display_location as text, s.country, p.language, s.place
    from signatures s join petitions p on p.id = s.petition_id`;
  for (const { text, country, language, place } of rows) {
    assert.equal(place, canonicalPlace(text, { country, language }));
  }
  await untilSumsSettled(service);
  const regions = await db`
    select petition_id, coalesce(substring(place from '^[^.]+(?:[.][^.]+)?'), '') as region,
      count(*)::integer as count
    from signatures where state = 'counted' group by 1, 2 order by 1, 2`;
  const regionSums = await db`
    select petition_id, region, sum(count)::integer as count
    from signature_region_days group by 1, 2 order by 1, 2`;
  assert.deepEqual([...regionSums], [...regions]);
  const countries = await db`
    select coalesce(split_part(place, '.', 1), '') as country, count(*)::integer as count
    from signatures where state = 'counted' group by 1 order by 1`;
  const countrySums = await db`
    select country, sum(count)::integer as count from all_country_days group by 1 order by 1`;
  assert.deepEqual([...countrySums], [...countries]);
  await assertSums(service);
}
