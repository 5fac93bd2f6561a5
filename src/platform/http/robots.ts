import type { Route } from './route.ts';

type Rule = Route['closedToCrawlers'];

/**
 * The path patterns (RFC 9309) of the pages, and of the addresses with query parameters, that crawlers are kept out of.
 */
export function closedPatterns(routes: readonly Route[]): string[] {
  const closed = routes.filter(({ method }) => method === 'GET');
  const paths = closed
    .filter(({ closedToCrawlers }) => closedToCrawlers === true)
    .map(({ path }) => path.replaceAll(/\{\w+\}/g, '*').replace(/\*$/, ''));
  const parameters = closed.flatMap(({ closedToCrawlers: rule }) =>
    rule === undefined || rule === true ? [] : rule,
  );
  return [
    // A pattern matches all that begins with it.
    ...sorted(paths).filter(
      (path, _, all) => !all.some((one) => one !== path && path.startsWith(one)),
    ),
    ...sorted(parameters).flatMap((name) => [`/*?${name}=`, `/*&${name}=`]),
  ];
}

const sorted = (names: readonly string[]): string[] => [...new Set(names)].toSorted();

/** Whether crawlers are kept out of the address of a page with this rule and query. */
export const isClosedToCrawlers = (rule: Rule, query: object): boolean =>
  rule === true || (rule !== undefined && rule.some((name) => name in query));
