import { hash } from 'node:crypto';
import type { Page } from '../cursor.ts';
import { completeCompressed, type CompressedHead } from './compressed-json.ts';
import { pickFields, selectsFields } from './fields.ts';
import { nextCursorOf } from './links.ts';
import { Rendered, type RenderOptions, type Returns } from './results.ts';
import type { Route } from './route.ts';
import type { RequestWarning } from './schema.ts';

/** Serializes the data of an answer once, with its entity tag, which begins with the revision if one is given. */
export const render = (data: unknown, revision?: string): Rendered =>
  rendered({ data }, { revision });

/** Serializes a page of a list once. */
export const renderPage = (page: Page<unknown>): Rendered =>
  rendered(pageMembers(page), { nextCursor: page.nextCursor });

/** Serializes a result of a route once, in the envelope and with the revision that it declares. */
export const renderResult = (
  { returns, revision }: Pick<Route, 'returns' | 'revision'>,
  result: unknown,
): Rendered =>
  result instanceof Rendered
    ? result
    : rendered(members(returns, result), {
        revision: revision?.(result as never),
        nextCursor: nextCursorOf(returns, result),
      });

/**
 * Returns a result with the fields of `data`, or of its items, that the query selects. Of a rendered result, the selected
 * fields are rendered once.
 */
export function selectFields(
  route: Pick<Route, 'query' | 'returns' | 'revision'>,
  query: unknown,
  result: unknown,
): unknown {
  const { fields } = query as { fields?: string };
  if (fields === undefined || !selectsFields(route.query)) return result;
  if (result instanceof Rendered) return selectRendered(result, fields);
  // The revision is that of the whole object.
  if (route.revision) return selectRendered(renderResult(route, result), fields);
  if (route.returns.kind !== 'many') return pickFields(result, fields);
  const page = result as AnyPage;
  return { ...page, items: pickFields(page.items, fields) };
}

/** Selections that are kept for each rendered answer. */
const maxSelections = 10;
const selectionsOf = new WeakMap<Rendered, Map<string, Rendered>>();

function selectRendered(whole: Rendered, fields: string): Rendered {
  const selections = selectionsOf.getOrInsertComputed(whole, () => new Map());
  const known = selections.get(fields);
  if (known) return known;
  const text = `${whole.head.slice(0, -beforeId.length)}}`;
  const envelopeMembers = JSON.parse(Buffer.from(text, 'latin1').toString()) as { data: unknown };
  const data = pickFields(envelopeMembers.data, fields);
  const { revision, nextCursor } = whole;
  const selected = rendered({ ...envelopeMembers, data }, { revision, nextCursor });
  if (selections.size < maxSelections) selections.set(fields, selected);
  return selected;
}

/** What `meta` says of a request and its answer. */
export interface AnswerMeta {
  requestId: string;
  now: Date;
  /** What was ignored in the request; none in most. */
  warnings: readonly RequestWarning[];
}

/** The body of a successful answer, in the envelope that its route declares. */
export const envelope = (returns: Returns, result: unknown, meta: AnswerMeta) =>
  returns.kind === 'bare' ? result : { ...members(returns, result), meta: metaMembers(meta) };

const metaMembers = ({ requestId, now, warnings }: AnswerMeta) => ({
  request_id: requestId,
  timestamp: now,
  ...(warnings.length > 0 && { warnings }),
});

/** The JSON before and after the items of a list that is sent while it is read. */
export function listFrame(nextCursor: string | null, meta: AnswerMeta) {
  const empty = withoutEnd(pageMembers({ items: [], nextCursor }));
  const [opening, closing] = empty.split('[]', 2) as [string, string];
  return { before: `${opening}[`, after: `]${closing}${beforeId}${afterId(meta)}` };
}

/** A whole answer, one character per byte: send it as latin1. `compressed` is its head in a coding. */
export const complete = (
  { head }: Rendered,
  meta: AnswerMeta,
  compressed?: CompressedHead,
): string => (compressed ? completeCompressed(compressed, afterId(meta)) : head + afterId(meta));

function rendered(envelopeMembers: object, { revision, nextCursor }: RenderOptions = {}): Rendered {
  const text = JSON.stringify(envelopeMembers);
  const bytes = Buffer.from(text);
  const digest = hash('sha256', bytes, 'base64url').slice(0, 22);
  // Of ASCII alone, the text is its bytes. The text is not copied to append to it: a list of long
  // texts has megabytes, and takes 40 % less time so.
  const isAscii = bytes.length === text.length;
  const open = isAscii ? text.slice(0, -1) : bytes.toString('latin1', 0, bytes.length - 1);
  const head = open + beforeId;
  const etag = `W/"${revision === undefined ? '' : `${revision}-`}${digest}"`;
  return new Rendered(head, etag, { revision, nextCursor });
}

/** JSON without the closing brace, so that `meta` can follow. */
const withoutEnd = (envelopeMembers: object) => JSON.stringify(envelopeMembers).slice(0, -1);

const beforeId = ',"meta":{"request_id":"';
function afterId({ requestId, now, warnings }: AnswerMeta): string {
  const milliseconds = now.getTime();
  if (milliseconds !== written.milliseconds) written = { milliseconds, text: now.toISOString() };
  const more = warnings.length > 0 ? `,"warnings":${asciiJson(warnings)}` : '';
  return `${requestId}","timestamp":"${written.text}"${more}}}`;
}

/** JSON in which other characters are escaped. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The last time that was formatted: under load, many answers are sent in one millisecond. */
let written = { milliseconds: Number.NaN, text: '' };

/** The members of the envelope before `meta`. */
const members = (returns: Returns, result: unknown) =>
  returns.kind === 'many' ? pageMembers(result as AnyPage) : { data: result };

const pageMembers = ({ items, nextCursor, beside, ...extras }: AnyPage) => ({
  data: items,
  pagination: { next_cursor: nextCursor, has_more: nextCursor !== null, ...extras },
  ...beside,
});

type AnyPage = Page<unknown> & { beside?: object };

const opaque = (tag: string) => tag.trim().replace(/^W\//, '');

/** Whether If-None-Match names this entity tag, by the weak comparison of RFC 9110 section 13.1.2. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (!header) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => opaque(tag) === opaque(etag));
}
