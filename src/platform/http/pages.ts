import type { FastifyRequest } from 'fastify';
import { withDeadline } from '../db.ts';
import { asPage } from '../pages/failures.ts';
import type { Problem } from '../problems.ts';
import { formType } from './headers.ts';
import type { Call, Pages, RawAnswer } from './route.ts';

/**
 * How the request is answered by a page, where the call has pages and this is what is wanted: by a
 * form, and by whoever does not prefer JSON, as browsers do not.
 */
export function pagesFor({ method, headers, routeOptions }: FastifyRequest): Pages | undefined {
  const pages = routeOptions.config.route?.pages;
  if (!pages) return undefined;
  const { accept = '', 'content-type': type = '' } = headers;
  const json = qualityOf('application/json', accept);
  if (json > 0 && json >= qualityOf('text/html', accept)) return undefined;
  const reads = method === 'GET' || method === 'HEAD';
  return reads || type.toLowerCase().startsWith(formType) ? pages : undefined;
}

/** Whether somebody looks for a page at a path that there is not: a browser, and not within the API. */
export function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  const reads = method === 'GET' || method === 'HEAD';
  return reads && !url.startsWith('/v1/') && qualityOf('text/html', headers.accept ?? '') > 0;
}

/** How failures are told where there is a page for them. */
export type FailurePages = Pick<Pages, 'showFailure'>;

/** How much an Accept header wants a type that it names, from 0 to 1: RFC 9110 section 12.5.1. */
function qualityOf(type: string, accept: string): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== type) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return quality ? Number(quality.slice(2)) || 0 : 1;
  }
  return 0;
}

const failurePageTimeoutMs = 500;

/** A failure as the call's own pages tell it; where that fails too, without who asks. */
export async function failurePage(
  pages: FailurePages,
  call: Call,
  problem: Problem,
): Promise<RawAnswer> {
  try {
    // It looks up who asks, which a database that is away would not answer.
    return await withDeadline(failurePageTimeoutMs, () => pages.showFailure(call, problem));
  } catch (error) {
    call.ctx.log.error({ err: error }, 'a failure could not be shown');
    const body = asPage.write(problem, call.header, call.headers);
    return { mediaType: asPage.mediaType, body };
  }
}
