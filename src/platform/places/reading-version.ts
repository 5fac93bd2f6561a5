/**
 * Version of the rules by which `canonicalPlace` reads texts. Raise it when they change: the places of stored signatures
 * are then read again (src/campaigns/signatures/place-backfill.ts).
 */
export const placesReading = 2;
