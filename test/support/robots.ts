import robotsParser from 'robots-parser';

// The package exports the function itself, and its types say `default`.
const parse = robotsParser as unknown as typeof robotsParser.default;

/** Returns whether a robots.txt (RFC 9309) lets crawlers read a path with its query. */
export function robotsRules(text: string): (path: string) => boolean {
  const origin = 'http://petitions.test';
  const rules = parse(`${origin}/robots.txt`, text);
  return (path) => rules.isAllowed(origin + path, 'SomeBot') !== false;
}

/** A link of a page. */
export interface PageLink {
  /** Path and query. */
  path: string;
  isFollowable: boolean;
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The links of a page that lead to its own origin, `link` elements included. */
export function linksOf(page: string, address: URL): PageLink[] {
  return [...page.matchAll(/<(?:a|area|link)\s([^>]*)>/g)].flatMap(([, attributes]) => {
    const valueOf = (name: string) =>
      new RegExp(`(?:^|\\s)${name}="([^"]*)"`)
        .exec(attributes!)?.[1]
        ?.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, entity: string) => entities[entity]!);
    const href = valueOf('href');
    if (href === undefined) return [];
    const target = URL.parse(href, address);
    if (target?.origin !== address.origin) return [];
    const isFollowable = !(valueOf('rel') ?? '').split(' ').includes('nofollow');
    return [{ path: target.pathname + target.search, isFollowable }];
  });
}
