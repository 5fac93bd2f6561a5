/** The address that was probably meant; undefined if this one looks right. */
export function suggestAddress(address: string): string | undefined;
