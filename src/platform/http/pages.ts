import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { withDeadline } from '../db.ts';
import { asPage } from '../pages/problem-pages.ts';
import type { Problem } from '../problems.ts';
import { formType } from './headers.ts';
import type { Call, Pages, RawAnswer } from './route.ts';

/**
 * Returns the pages of a call if the request wants a page instead of JSON: it does not prefer JSON, and reads or sends
 * a form.
 */
export function pagesFor({ method, headers, routeOptions }: FastifyRequest): Pages | undefined {
  const pages = routeOptions.config.route?.pages;
  if (!pages) return undefined;
  if (prefersJson(headers)) return undefined;
  const reads = method === 'GET' || method === 'HEAD';
  const { 'content-type': type = '' } = headers;
  return reads || type.toLowerCase().startsWith(formType) ? pages : undefined;
}

/** Whether a request asks for JSON, and not rather for a page. */
export function prefersJson({ accept = '' }: IncomingHttpHeaders): boolean {
  const json = qualityOf('application/json', accept);
  return json > 0 && json >= qualityOf('text/html', accept);
}

/** Whether a path is the API's or for other programs: browsers get no pages there. */
export const isProgramPath = (url: string): boolean =>
  /^\/(?:v1|oauth|health|metrics|openapi\.json|openapi\.yaml|\.well-known)(?![^/?])/.test(url);

/** Whether a failure is shown as a page where no route shows it: a browser asks for one. */
export const wantsPage = ({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): boolean =>
  !isProgramPath(url) && qualityOf('text/html', headers.accept ?? '') > 0 && !prefersJson(headers);

/** Shows failures as pages. */
export type FailurePages = Pick<Pages, 'showFailure'>;

/**
 * The quality of a type that an Accept header names, from 0 to 1 (RFC 9110 section 12.5.1). Wildcards do not count, and
 * equal qualities mean JSON: `negotiator` would take wildcards for JSON, or the first of equals.
 */
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

/** Shows a failure by the pages of the call; if that fails too, by a page that does not depend on the viewer. */
export async function failurePage(
  pages: FailurePages,
  call: Call,
  problem: Problem,
): Promise<RawAnswer> {
  try {
    // Pages look up the viewer, which hangs while the database is unavailable.
    return await withDeadline(failurePageTimeoutMs, () => pages.showFailure(call, problem));
  } catch (error) {
    call.ctx.log.error({ err: error }, 'a failure could not be shown');
    const body = asPage.write(problem, call);
    return { mediaType: asPage.mediaType, body };
  }
}
