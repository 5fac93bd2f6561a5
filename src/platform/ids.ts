import { v7, validate } from 'uuid';

/** A new UUIDv7 (RFC 9562): ids made by one process sort by the order in which they were made. */
export const newId = (): string => v7();

export const isUuid = (text: string): boolean => validate(text);
