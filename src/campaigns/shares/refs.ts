import { randomInt } from 'node:crypto';

/** Letters and digits alone: programs that find links in texts cut others off, or take them for markup. */
const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Ten of them are nearly 60 bits: nobody guesses one, and none comes twice. */
const length = 10;
const pattern = new RegExp(`^[${characters}]{${length}}$`);

/** What a new link says of the share that it belongs to. */
export const newRef = (): string =>
  Array.from({ length }, () => characters[randomInt(characters.length)]).join('');

/** Whether it may be one of ours: many sites put a `ref` of their own into links. */
export const isRef = (text: string): boolean => pattern.test(text);
