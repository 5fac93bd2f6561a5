import proxyAddress from '@fastify/proxy-addr';
import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../context.ts';
import { countRequest } from './admission.ts';
import { complete, matchesEtag, selectFields, type AnswerMeta } from './answer.ts';
import { compressedHead, type CompressedHead } from './compressed-json.ts';
import { codingFor } from './compression.ts';
import type { Connections } from './connection-answers.ts';
import {
  isPersonal,
  requestHeaders,
  sharedAnswerHeaders,
  hasCredentials,
  type TrustProxy,
} from './headers.ts';
import { nextLink, withLink } from './links.ts';
import type { Observe } from './request-metrics.ts';
import { Rendered, type Call, type Route } from './route.ts';
import type { RequestWarning } from './schema.ts';
import { RenderedPage, type Representation } from './rendered-page.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface HotRead {
  route: Route;
  params: Call['params'];
  query: unknown;
  warnings: readonly RequestWarning[];
  /** The Link header to the page after the last that was answered. */
  next?: { cursor: string; link: string };
}

/** Arrival times, by performance.now(), of requests that failed here and went on to the framework. */
export const arrivalTimes = new WeakMap<IncomingMessage, number>();

/** Longer URLs are not remembered. */
const maxUrlLength = 300;

/**
 * Answers repeated anonymous reads of a URL before the framework handles them.
 *
 * A URL is remembered once an anonymous caller has read something public there. Later requests for it skip routing and
 * validation: they count towards the rate limit, and the route's own handler answers from its cache. All other
 * requests go to the framework. Pages are remembered too, for browsers without cookies; the handler chooses the
 * language.
 *
 * On the day a petition goes viral, nearly all requests are such reads: see docs/benchmarks.md.
 */
export class HotReadCache {
  #ctx: Context;
  #fixed: Record<string, string>;
  /** Alternating names and values, as Node takes them: of API answers, and of each page. */
  #answerHeaders: string[];
  #pageHeaders = new WeakMap<Representation, string[]>();
  #isTrusted: Exclude<TrustProxy, false>;
  #observe: Observe;
  #known = new LRUCache<string, HotRead>({ max: 5_000 });

  constructor({ ctx, fixed, trustProxy, observe }: Connections) {
    this.#ctx = ctx;
    this.#fixed = fixed;
    this.#answerHeaders = Object.entries({ ...fixed, ...sharedAnswerHeaders }).flat();
    this.#isTrusted = trustProxy || (() => false);
    this.#observe = observe;
    // Modules may be off now, which is judged where the framework handles a read.
    ctx.site.onChange(() => this.#known.clear());
  }

  /** Remembers that this URL gives all anonymous callers the same answer. */
  remember(url: string, read: HotRead): void {
    if (url.length <= maxUrlLength) this.#known.set(url, read);
  }

  /** Returns a request listener that answers hot reads and passes other requests to the framework. */
  wrap(framework: Handler): Handler {
    return (request, response) => {
      const known = request.method === 'GET' ? this.#known.get(request.url!) : undefined;
      if (!known || isKnownCaller(known, request)) return framework(request, response);
      const arrivedAt = performance.now();
      this.#answer(known, request, response).then(
        (answered) => answered || framework(request, response),
        () => {
          if (response.headersSent) {
            response.destroy();
            return;
          }
          // The read failed; the framework's answer says why.
          this.#known.delete(request.url!);
          arrivalTimes.set(request, arrivedAt);
          framework(request, response);
        },
      );
    };
  }

  async #answer(
    read: HotRead,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> {
    const { route, params, query, warnings } = read;
    const startedAt = performance.now();
    const ip = proxyAddress(request, this.#isTrusted);
    const counted = countRequest(this.#ctx, { caller: null, ip });
    const limit = counted instanceof Promise ? await counted : counted;
    if (!limit.verdict.allowed) return false;
    const headers: Record<string, string> = {};
    const call: Call = {
      ctx: this.#ctx,
      method: 'GET',
      url: request.url!,
      caller: null,
      params,
      query,
      body: undefined,
      headers: request.headers,
      ip,
      header: (name, value) => {
        headers[name] = value;
      },
    };
    const result = selectFields(route, query, await route.handle(call));
    const id = randomUUID();
    const found = this.#answerOf(result, { requestId: id, warnings }, request);
    const answer = found instanceof Promise ? await found : found;
    if (!answer) {
      this.#known.delete(request.url!);
      return false;
    }
    if (result instanceof Rendered && result.nextCursor !== null) {
      headers.link = withLink(headers.link, this.#nextLink(read, request.url!, result.nextCursor));
    }
    const { pairs } = answer;
    for (const more of [requestHeaders(id, limit), headers]) {
      for (const name in more) pairs.push(name, more[name]!);
    }
    if (matchesEtag(request.headers['if-none-match'], answer.etag)) {
      response.writeHead(304, pairs).end();
    } else {
      const body = answer.body();
      if (answer.coding) pairs.push('content-encoding', answer.coding);
      pairs.push('content-length', String(body.length));
      response.writeHead(200, pairs).end(body, 'latin1');
    }
    this.#observe({ id, method: 'GET', startedAt, route }, response.statusCode);
    return true;
  }

  #nextLink(read: HotRead, url: string, cursor: string): string {
    if (read.next?.cursor !== cursor) {
      read.next = { cursor, link: nextLink(this.#ctx.config.baseUrl, url, cursor) };
    }
    return read.next.link;
  }

  /** How a serialized result is sent; undefined where it is not serialized. */
  #answerOf(
    result: unknown,
    meta: Omit<AnswerMeta, 'now'>,
    request: IncomingMessage,
  ): Answer | undefined | Promise<Answer> {
    if (result instanceof Rendered) {
      const compressed = compressedHead(result, codingFor(request.headers));
      return compressed instanceof Promise
        ? compressed.then((head) => this.#renderedAnswer(result, meta, head))
        : this.#renderedAnswer(result, meta, compressed);
    }
    if (!(result instanceof RenderedPage)) return undefined;
    const page = result.for(request.headers);
    return page instanceof Promise
      ? page.then((one) => this.#pageAnswer(one))
      : this.#pageAnswer(page);
  }

  #renderedAnswer(
    rendered: Rendered,
    meta: Omit<AnswerMeta, 'now'>,
    compressed: CompressedHead | undefined,
  ): Answer {
    const { etag } = rendered;
    return {
      etag,
      coding: compressed?.coding,
      pairs: [...this.#answerHeaders, 'etag', etag],
      body: () => complete(rendered, { ...meta, now: this.#ctx.now() }, compressed),
    };
  }

  #pageAnswer(page: Representation): Answer {
    let pairs = this.#pageHeaders.get(page);
    if (!pairs) {
      pairs = Object.entries({ ...this.#fixed, ...page.headers }).flat();
      this.#pageHeaders.set(page, pairs);
    }
    return { etag: page.headers.etag!, pairs: [...pairs], body: () => page.body };
  }
}

interface Answer {
  etag: string;
  /** Unless `pairs` name it. */
  coding?: string | undefined;
  /** Headers that are the same each time; more may be added. */
  pairs: string[];
  body: () => string;
}

/** Cookies identify readers of pages; the API ignores them. */
const isKnownCaller = ({ route }: HotRead, { headers }: IncomingMessage) =>
  route.page ? isPersonal(headers) : hasCredentials(headers);
