import { randomInt } from 'node:crypto';

/** Letters and digits only: programs that detect links in texts cut off others, or read them as markup. */
const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Ten characters are nearly 60 bits, which makes refs unguessable and unique. */
const length = 10;
const pattern = new RegExp(`^[${characters}]{${length}}$`);

export const newRef = (): string =>
  Array.from({ length }, () => characters[randomInt(characters.length)]).join('');

/** Whether the text has the format of a ref. Many sites append a `ref` of their own to links. */
export const isRef = (text: string): boolean => pattern.test(text);
