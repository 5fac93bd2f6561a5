import { linksOf, robotsRules } from './robots.ts';

interface CrawlOptions {
  /** Whether to obey robots.txt and nofollow. */
  isObedient: boolean;
  /** Stops after this many pages. */
  maxPages: number;
}

interface Crawl {
  /** Status of each address that was read, by path and query, in the order of reading. */
  read: Map<string, number>;
  /** Addresses that were found and not read. */
  waiting: number;
  seconds: number;
}

const concurrency = 8;

/** Reads all that links lead to, from the home page and the sitemap on, each address once. */
export async function crawl(
  origin: string,
  { isObedient, maxPages }: CrawlOptions,
): Promise<Crawl> {
  const startedAt = performance.now();
  const isAllowed = robotsRules(await (await fetch(`${origin}/robots.txt`)).text());
  const read = new Map<string, number>();
  const found = new Set(['/', '/sitemap.xml']);
  const queue = [...found];
  const add = (path: string) => {
    if (found.has(path) || (isObedient && !isAllowed(path))) return;
    found.add(path);
    queue.push(path);
  };
  const readOne = async (path: string) => {
    read.set(path, 0);
    const address = new URL(path, origin);
    const answer = await fetch(address, { redirect: 'manual', headers: { accept: 'text/html' } });
    read.set(path, answer.status);
    const type = answer.headers.get('content-type') ?? '';
    const location = answer.headers.get('location');
    if (location !== null) addOwn(new URL(location, address));
    if (type.startsWith('text/html')) {
      for (const link of linksOf(await answer.text(), address)) {
        if (link.isFollowable || !isObedient) add(link.path);
      }
    } else if (type.startsWith('application/xml')) {
      const text = await answer.text();
      for (const [, entry] of text.matchAll(/<loc>([^<]*)<\/loc>/g)) addOwn(new URL(entry!));
    } else await answer.body?.cancel();
  };
  const addOwn = ({ origin: other, pathname, search }: URL) => {
    if (other === origin) add(pathname + search);
  };
  while (queue.length > 0 && read.size < maxPages) {
    const left = maxPages - read.size;
    await Promise.all(queue.splice(0, Math.min(concurrency, left)).map(readOne));
  }
  return { read, waiting: queue.length, seconds: (performance.now() - startedAt) / 1000 };
}
