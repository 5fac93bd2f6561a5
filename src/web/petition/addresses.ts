import { pathOf } from '../../platform/pages/path.ts';

/** What may follow the address of a petition's page. */
interface Place {
  /** Page or form below the petition's own. */
  below?: string;
  /** Access code of a private petition, which goes with every link to it. */
  code?: string | undefined;
  /** What was done, to be said on the page. */
  done?: Done;
  more?: Record<string, string>;
  hash?: string;
}

/** What forms lead back with, each said by its own text. */
export const doneTexts = [
  'signed',
  'withdrawn',
  'comment_sent',
  'comment_changed',
  'comment_deleted',
  'report_sent',
] as const;
export type Done = (typeof doneTexts)[number];

/** The path of a petition's page, or of one below it. */
export function pathTo(slug: string, { below, code, done, more, hash }: Place = {}): string {
  const query = new URLSearchParams({
    ...(code !== undefined && { access_code: code }),
    ...(done && { done }),
    ...more,
  }).toString();
  return `${pathOf`/p/${slug}`}${below ? `/${below}` : ''}${query && `?${query}`}${hash ? `#${hash}` : ''}`;
}

/** Whence a visitor came, as the address says: it goes with the signature. */
export interface Arrival {
  ref?: string;
  source?: string;
}

/** The same as members of an address. */
export const trailOf = ({ ref, source }: Arrival): Record<string, string> => ({
  ...(ref !== undefined && { ref }),
  ...(source !== undefined && { utm_source: source }),
});

/** Of an address, what goes with the signature; what is too long for a name is left out. */
export function arrivalOf({ ref, utm_source: source }: Record<string, string>): Arrival {
  const short = (text: string | undefined) => text && text.length <= 100;
  return { ...(short(ref) && { ref: ref! }), ...(short(source) && { source: source! }) };
}
