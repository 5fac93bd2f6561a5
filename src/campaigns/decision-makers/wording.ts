/** Formats as "21 November 2026", in UTC. */
export const formatDate = (time: Date | string): string =>
  new Date(time).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Formats as "12,345". */
export const formatNumber = (count: number): string => count.toLocaleString('en-GB');

/** Formats as "1 signature" or "12,345 signatures". */
export const formatSignatures = (count: number): string =>
  `${formatNumber(count)} ${count === 1 ? 'signature' : 'signatures'}`;

/** Formats as "Ada Lovelace, City Council". */
export const formatNameAndTitle = ({
  name,
  title,
}: {
  name: string;
  title: string | null;
}): string => (title ? `${name}, ${title}` : name);
