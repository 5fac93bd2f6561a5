import type { SignatureReceipt } from '../../campaigns/signatures/schema.ts';
import { Type, type Static } from 'typebox';
import { Uuid } from '../../platform/http/schema.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import { textOf, type Fields } from '../site/site.ts';

/** The petition that a path names. */
export const SlugRef = Type.Object({ slug: PetitionRef.properties.id });
export type SlugRef = Static<typeof SlugRef>;

/** The comment on a petition that a path names. */
export const CommentRef = Type.Object({ ...SlugRef.properties, id: Uuid });
export type CommentRef = Static<typeof CommentRef>;

/** What may follow the path of a petition's page. */
interface PathOptions {
  /** Page or form below the petition's own. */
  below?: string | undefined;
  /** Access code of a private petition, which every link to it carries. */
  code?: string | undefined;
  /** The action that the page reports as done. */
  done?: Done;
  more?: Record<string, string>;
  hash?: string;
}

/** Actions that the page reports as done; each has a text of this name. */
const doneTexts = [
  'signed',
  'held',
  'not_counted',
  'withdrawn',
  'reason_saved',
  'comment_sent',
  'comment_changed',
  'comment_deleted',
] as const;
export type Done = (typeof doneTexts)[number];

/** The action that the query of a page's address reports. */
export const doneIn = ({ done }: Record<string, string>) => doneTexts.find((one) => one === done);

/** What a page reports after a signature was stored: a counted one with its number. */
export const doneSigning = ({
  state,
  signature_count: count,
}: SignatureReceipt): Pick<PathOptions, 'done' | 'more'> =>
  state === 'counted'
    ? { done: 'signed', more: { number: String(count) } }
    : { done: state === 'held' ? 'held' : 'not_counted' };

/** The path of a petition's page, or of one below it. */
export function pathTo(slug: string, { below, code, done, more, hash }: PathOptions = {}): string {
  const query = new URLSearchParams({
    ...(code !== undefined && { access_code: code }),
    ...(done && { done }),
    ...more,
  }).toString();
  return `${pathOf`/p/${slug}`}${below ? `/${below}` : ''}${query && `?${query}`}${hash ? `#${hash}` : ''}`;
}

/** The access code that a form carries. */
export const codeIn = (fields: Fields): string | undefined =>
  textOf(fields, 'access_code') || undefined;

/** Where a visitor came from; stored with the signature. */
export interface Arrival {
  ref?: string;
  source?: string;
}

/** The query parameters that `arrivalOf` reads. */
export const queryOf = ({ ref, source }: Arrival): Record<string, string> => ({
  ...(ref !== undefined && { ref }),
  ...(source !== undefined && { utm_source: source }),
});

/** Reads where a visitor came from; ignores values of more than 100 characters. */
export function referralOf({ ref, utm_source: source }: Record<string, string>): Arrival {
  const isShort = (text: string | undefined) => text && text.length <= 100;
  return { ...(isShort(ref) && { ref: ref! }), ...(isShort(source) && { source: source! }) };
}
