import type { IncomingHttpHeaders } from 'node:http';
import { createIsbotFromList, isbotPatterns, list } from 'isbot';
import { LRUCache } from 'lru-cache';

/** User agents of HTTP clients, which applications use to read for a person. */
const clientUserAgents = [
  'node',
  'curl/8.5.0',
  'Wget/1.21.4',
  'okhttp/4.12.0',
  'axios/1.7.2',
  'got (https://github.com/sindresorhus/got)',
  'Go-http-client/2.0',
  'python-requests/2.32.3',
  'Java-http-client/21.0.1',
  'libwww-perl/6.76',
  'GuzzleHttp/7',
  'PHP/8.3',
  'RestSharp/112.0.0.0',
  'PostmanRuntime/7.39.0',
];
/** The patterns by which `isbot` counts them, and any unknown short name, as bots. */
const clientPatterns = new Set(clientUserAgents.flatMap(isbotPatterns));
/** The address of a page about a bot; HTTP clients name their repositories. */
const botPage = String.raw`\+https?://(?!github\.com/)`;

/** Matches crawlers, link previews and monitoring. */
const isBot = createIsbotFromList([
  ...list.filter((pattern) => !clientPatterns.has(pattern)),
  botPage,
]);

const maxUserAgentLength = 500;
/** A match takes 8 µs, and most requests have one of few user agents. */
const bots = new LRUCache<string, boolean>({ max: 1000, memoMethod: isBot });

/** Whether the user agent declares a crawler, a link preview or monitoring. */
export const isDeclaredBot = ({ 'user-agent': userAgent = '' }: IncomingHttpHeaders): boolean =>
  bots.memo(userAgent.slice(0, maxUserAgentLength));

/** Whether a person reads, with any program: not a declared bot, and not a prefetching browser. */
export const isReader = (headers: IncomingHttpHeaders): boolean =>
  !/prefetch|prerender/.test(String(headers['sec-purpose'])) && !isDeclaredBot(headers);
