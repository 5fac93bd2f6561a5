import { v7, validate } from 'uuid';

/** A new UUIDv7 (RFC 9562): ids made by one process sort by the order in which they were made. */
export const newId = (): string => v7();

/** Before all ids that are made from then on; of times before 1970, which ids cannot tell, before all. */
export const firstIdOf = (time: Date): string =>
  v7({ msecs: Math.max(0, time.getTime()), seq: 0, random: new Uint8Array(16) });

export const isUuid = (text: string): boolean => validate(text);
