import { v5, v7, validate } from 'uuid';

/** Creates a UUIDv7 (RFC 9562). Ids of one process sort by creation. */
export const newId = (): string => v7();

/** The lowest id of that time or later. For times before 1970, which ids cannot express, the lowest of all. */
export const firstIdOf = (time: Date): string =>
  v7({ msecs: Math.max(0, time.getTime()), seq: 0, random: new Uint8Array(16) });

/**
 * Maximum difference between the time in an id and `created_at` of its row, by waiting for the transaction and by clocks
 * that differ.
 */
export const idToleranceMs = 60_000;

/** Returns the id that belongs to another one under a name: a UUIDv5 (RFC 9562). */
export const derivedId = (id: string, name: string): string => v5(name, id);

export const isUuid = (text: string): boolean => validate(text);
