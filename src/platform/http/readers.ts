import type { IncomingHttpHeaders } from 'node:http';
import { createIsbotFromList, isbotPatterns, list } from 'isbot';
import { LRUCache } from 'lru-cache';

/** What programs send that read on somebody's behalf, an application on a phone for one. */
const clients = [
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
/** By which `isbot` takes those for robots, and any short name that it does not know. */
const ofClients = new Set(clients.flatMap(isbotPatterns));
/** Where a robot tells about itself; libraries name their repositories. */
const ownPage = String.raw`\+https?://(?!github\.com/)`;

/** Crawlers, previews of links, monitoring: what says of itself that nobody is looking. */
const isRobot = createIsbotFromList([...list.filter((one) => !ofClients.has(one)), ownPage]);

const longest = 500;
/** It takes 8 microseconds, and what busy readers send is the same again and again. */
const robots = new LRUCache<string, boolean>({ max: 1000, memoMethod: isRobot });

/** Whether somebody reads, by whatever program: no robot that says so, and no browser that reads ahead. */
export const isReader = ({
  'user-agent': userAgent = '',
  'sec-purpose': purpose = '',
}: IncomingHttpHeaders): boolean =>
  !/prefetch|prerender/.test(String(purpose)) && !robots.memo(userAgent.slice(0, longest));
