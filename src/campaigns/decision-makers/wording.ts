/** 21 November 2026, in UTC. */
export const dateOf = (time: Date | string): string =>
  new Date(time).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** 12,345 */
export const numberOf = (count: number): string => count.toLocaleString('en-GB');

/** 1 signature, 12,345 signatures */
export const signaturesOf = (count: number): string =>
  `${numberOf(count)} ${count === 1 ? 'signature' : 'signatures'}`;

/** Ada Lovelace, City Council */
export const addressed = ({ name, title }: { name: string; title: string | null }): string =>
  title ? `${name}, ${title}` : name;
