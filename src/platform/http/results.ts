import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Static, TSchema } from 'typebox';
import type { Context } from '../context.ts';
import type { Page } from '../cursor.ts';
import type { Problem, ProblemKind } from '../problems.ts';
import type { RenderedPage } from './rendered-page.ts';

/** What a successful call answers, and its envelope. */
export type Returns =
  | { kind: 'one'; status: number; schema: TSchema }
  | {
      kind: 'many';
      status: number;
      schema: TSchema;
      pagination?: Record<string, TSchema>;
      beside?: Record<string, TSchema>;
    }
  | { kind: 'bare'; status: number; schema: TSchema }
  | { kind: 'nothing'; status: number }
  | { kind: 'raw'; status: number; mediaTypes: string[]; pending?: TSchema }
  | { kind: 'streamed'; status: number; schema: TSchema; mediaTypes: string[]; isBare?: true };

/** `{data, meta}` */
export const one = <T extends TSchema>(schema: T, status = 200) =>
  ({ kind: 'one', status, schema }) as const;
/** `{data: [], pagination, meta}`, with more members of pagination, and others beside it (`beside` of the page). */
export const many = <
  T extends TSchema,
  P extends Record<string, TSchema> = {},
  B extends Record<string, TSchema> = {},
>(
  schema: T,
  pagination: P = {} as P,
  beside: B = {} as B,
) => ({ kind: 'many', status: 200, schema, pagination, beside }) as const;
/** An object without an envelope. */
export const bare = <T extends TSchema>(schema: T, status = 200) =>
  ({ kind: 'bare', status, schema }) as const;
/** No body. */
export const nothing = (status: 202 | 204 = 204) => ({ kind: 'nothing', status }) as const;
/** A list that is sent while it is read: as `many`, or in another of these media types. */
export const streamed = <T extends TSchema>(schema: T, ...mediaTypes: string[]) =>
  ({ kind: 'streamed', status: 200, schema, mediaTypes }) as const;
/** An object without an envelope that is sent while it is read. */
export const streamedObject = <T extends TSchema>(schema: T) =>
  ({ kind: 'streamed', status: 200, schema, mediaTypes: [] as string[], isBare: true }) as const;
/** Something that is not JSON, or JSON that streams without an envelope. */
export const raw = (...mediaTypes: string[]) => ({ kind: 'raw', status: 200, mediaTypes }) as const;

/** As `raw`, or 202 with `{data, meta}` while it is not there yet: the handler returns `Pending` then. */
export const rawWhenReady = <T extends TSchema>(pending: T, ...mediaTypes: string[]) =>
  ({ kind: 'raw', status: 200, mediaTypes, pending }) as const;

/** Says that what is asked for is not there yet, and why. */
export class Pending<T> {
  readonly data: T;
  readonly retryAfterSeconds: number;
  constructor(data: T, retryAfterSeconds: number) {
    this.data = data;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** An empty answer that redirects; the handler returns it by `redirectTo`. */
export const redirect = (status: 302 | 303) => ({ kind: 'raw' as const, status, mediaTypes: [] });

/** An answer that is serialized up to its `meta`, so that hot answers are serialized once. */
export class Rendered {
  /**
   * The answer up to the request id, one character per UTF-8 byte: Node then sends headers and body in one write and
   * does not encode the text for each answer.
   */
  readonly head: string;
  /** Weak, since request id and time differ from answer to answer; quoted. */
  readonly etag: string;
  /** With which the tag begins, for changes on the condition that nothing else changed it. */
  readonly revision: string | undefined;
  /** Of a page of a list: the cursor of the next one. */
  readonly nextCursor: string | null;
  constructor(head: string, etag: string, { revision, nextCursor }: RenderOptions = {}) {
    this.head = head;
    this.etag = etag;
    this.revision = revision;
    this.nextCursor = nextCursor ?? null;
  }
}

export interface RenderOptions {
  revision?: string | undefined;
  nextCursor?: string | null | undefined;
}

/** Sets a header of the answer. */
export type SetHeader = (name: string, value: string) => void;

export interface RawAnswer {
  status?: number;
  mediaType: string;
  body: string | Buffer | Readable;
  /** Quoted. */
  etag?: string;
}

/** The source of a streamed answer. */
export interface StreamedAnswer {
  /** The text in pieces; for a list in JSON, the text between the brackets of `data`. */
  chunks: AsyncIterable<string>;
  /** JSON by default. */
  mediaType?: string;
  /** For a list. */
  nextCursor?: string | null;
}

/** Redirects a browser; nothing stores the target, or sends the source as a referrer. */
export function redirectTo(
  header: SetHeader,
  location: string,
  status: 301 | 302 | 303 = 302,
): RawAnswer {
  header('location', location);
  header('cache-control', 'no-store');
  header('referrer-policy', 'no-referrer');
  return { status, mediaType: 'text/plain', body: '' };
}

/** What is known of a request that failed, however early. */
export interface FailedCall {
  ctx: Context;
  header: SetHeader;
  /** Of the request. */
  headers: IncomingHttpHeaders;
}

/** The format of a route's failures, if its clients do not expect problem details. */
export interface FailureFormat {
  mediaType: string;
  /** Of a JSON body. */
  schema?: TSchema;
  /** The status of such a failure in this format. */
  statusOf(kind: ProblemKind): number;
  write(problem: Problem, call: FailedCall): string;
}

type Listed<R extends Returns> = R extends {
  kind: 'many';
  schema: infer T;
  pagination?: infer P;
  beside?: infer B;
}
  ? Page<Static<T & TSchema>> &
      Members<P> &
      (keyof B extends never ? unknown : { beside: Members<B> })
  : never;

type Members<P> = { [K in keyof P]: Static<P[K] & TSchema> };

export type Result<R extends Returns> = R extends { kind: 'one'; schema: infer T }
  ? Static<T & TSchema> | Rendered
  : R extends { kind: 'many' }
    ? Listed<R> | Rendered
    : R extends { kind: 'bare'; schema: infer T }
      ? Static<T & TSchema>
      : R extends { kind: 'raw'; pending: infer T }
        ? RawAnswer | Pending<Static<T & TSchema>>
        : R extends { kind: 'raw' }
          ? RawAnswer | RenderedPage
          : R extends { kind: 'streamed' }
            ? StreamedAnswer
            : void;

/** Marks an answer as deprecated since a date (RFC 9745), and names the successor. */
export function deprecate(
  header: SetHeader,
  { since, successor }: { since: string; successor: string },
): void {
  header('deprecation', `@${Date.parse(since) / 1000}`);
  header('link', `<${successor}>; rel="successor-version"`);
}
