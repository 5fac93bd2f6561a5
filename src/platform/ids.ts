import { v7, validate } from 'uuid';

/** A new UUIDv7 (RFC 9562): ids made by one process sort by the order in which they were made. */
export const newId = (): string => v7();

/** The least UUIDv7 of a moment, so that what has such ids can be read from a moment on by its key. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

export const isUuid = (text: string): boolean => validate(text);
