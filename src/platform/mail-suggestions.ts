import { suggestAddress as suggest } from './mail-domains.js';

/** The file that the service and pages share. */
export const mailDomainsScript = new URL('mail-domains.js', import.meta.url);

/**
 * Returns the address that was probably meant, with another domain; undefined if this one looks right. It is a guess: the
 * typed one can be right, so forms ask, and the API takes what it gets.
 */
export const suggestAddress = (address: string): string | undefined => suggest(address);
