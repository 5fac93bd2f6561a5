import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { networkOf, type Rate } from '../limits.ts';
import { widerNetwork } from '../networks.ts';
import { rateLimited, type Problem } from '../problems.ts';
import { isPage } from './page-addresses.ts';
import { isDeclaredBot } from './readers.ts';
import { isClosedToCrawlers } from './robots.ts';
import type { Route } from './route.ts';

/** What the people of one network read at most of searches, filters and further pages, without a cookie. */
const closedPageRate: Rate = { perSecond: 5, burst: 100 };
/** What the declared bots of one network read at most of all pages. */
const botRate: Rate = { perSecond: 10, burst: 100 };

/**
 * Limits crawlers that ignore robots.txt, by /24 or /48, since they read from many addresses. Two kinds of requests are
 * counted: those of declared bots, except verified search engines, and those for addresses with parameters that are
 * closed to crawlers. Other pages are not, so that all who share a network can read and sign a petition.
 *
 * Browsers have a cookie once they have sent a form, so that they are not counted. Hot reads are not either, since they
 * cost next to nothing. Each process counts on its own.
 */
export function crawlerRefusal(
  ctx: Context,
  route: Route,
  { headers, ip, query }: Pick<FastifyRequest, 'headers' | 'ip' | 'query'>,
): Problem | undefined {
  if (route.method !== 'GET' || !ctx.config.rateLimits || !isPage(route)) return undefined;
  if (headers.cookie !== undefined) return undefined;
  if (isDeclaredBot(headers)) {
    if (ctx.searchEngines.isVerified(headers['user-agent'], ip)) return undefined;
    const refusal = take(ctx, 'bots', ip, botRate);
    if (refusal) return refusal;
  }
  const { closedToCrawlers: rule } = route;
  if (rule === undefined || rule === true) return undefined;
  return isClosedToCrawlers(rule, query as object)
    ? take(ctx, 'closed-pages', ip, closedPageRate)
    : undefined;
}

function take(ctx: Context, budget: string, ip: string, rate: Rate): Problem | undefined {
  const network = isIP(ip) ? widerNetwork(networkOf(ip)) : ip;
  const { allowed, retryAfterSeconds } = ctx.limits.requestOfProcess(
    `${budget}:${network}`,
    ctx.sharedNetworks.raiseRate(rate, ip),
  );
  return allowed ? undefined : rateLimited(retryAfterSeconds, message, 'busy_network');
}

const message =
  'Many searches and lists are being read from your network, so this one has to wait. Petitions can be read and signed meanwhile.';
