import {
  hasBackfillStartedSince,
  reopenBackfill,
  type Backfill,
} from '../../platform/backfills.ts';
import type { Context } from '../../platform/context.ts';
import { retryOnDeadlock, transaction, type Db } from '../../platform/db.ts';
import { canonicalPlace } from '../../platform/places.ts';
import { placesReading } from '../../platform/places/reading-version.ts';
import { estimateSignatures } from './mailbox-queries.ts';
import { nextPlaces, replacePlaces, type PlaceChange } from './place-queries.ts';
import { lockPetitions } from './signing-queries.ts';

const lowestId = '00000000-0000-0000-0000-000000000000';
const defaultBatchSize = 250;
/** The first version of the rules with a backfill. */
const firstReading = 2;
/** For how long after its start a backfill is done again each night. */
const repeatMs = 3 * 86_400_000;

const nameOf = (reading: number) => `places-${reading}`;

/** Reads the places of stored signatures again by the present rules. */
const rereadPlaces = (reading: number, batchSize: number): Backfill => ({
  name: nameOf(reading),
  total: estimateSignatures,
  async step(db, cursor) {
    const [petitionId = lowestId, id = lowestId] = cursor?.split(' ') ?? [];
    const rows = await nextPlaces(db, { petition_id: petitionId, id }, batchSize);
    const last = rows.at(-1);
    if (!last) return null;
    const changes = rows.flatMap(({ display_location: text, country, language, place, ...key }) => {
      // Without a text, the place is the country, whatever the rules.
      const newPlace = text === null ? place : canonicalPlace(text, { country, language });
      return newPlace === place ? [] : [{ ...key, old_place: place, new_place: newPlace }];
    });
    if (changes.length > 0) await storeChanges(db, changes);
    return { cursor: `${last.petition_id} ${last.id}`, rows: rows.length };
  },
});

/** Locks only petitions of signatures whose place changes, in the order in which signing locks them. */
const storeChanges = (db: Db, changes: PlaceChange[]) =>
  retryOnDeadlock(() =>
    transaction(db, async (tx) => {
      await lockPetitions(tx, [...new Set(changes.map(({ petition_id }) => petition_id))]);
      await replacePlaces(tx, changes);
    }),
  );

/** Completes a backfill of earlier rules, also where a process of an earlier version has begun it. */
const superseded = (reading: number): Backfill => ({
  name: nameOf(reading),
  step: async () => null,
});

/** The backfill of this version of the rules, and those of the versions before. */
export const placeBackfills = ({
  reading = placesReading,
  batchSize = defaultBatchSize,
} = {}): Backfill[] => [
  ...Array.from({ length: reading - firstReading }, (_, n) => superseded(firstReading + n)),
  rereadPlaces(reading, batchSize),
];

/**
 * Reads all places again in the nights after an upgrade: processes of the earlier version, which ran until they were
 * replaced, may have stored signatures behind the backfill.
 */
export async function rereadLatePlaces(ctx: Context): Promise<void> {
  const name = nameOf(placesReading);
  const since = new Date(ctx.now().getTime() - repeatMs);
  if (!(await hasBackfillStartedSince(ctx.db, name, since))) return;
  await transaction(ctx.db, (tx) => reopenBackfill(tx, name));
}
