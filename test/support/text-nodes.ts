/** A text of an HTML document, with what its ancestors say of it. */
export interface TextNode {
  text: string;
  /** Names of the elements around it, the innermost last. */
  path: string[];
  /** The attributes of the nearest element that has them. */
  lang: string | undefined;
  dir: string | undefined;
}

interface OpenElement {
  name: string;
  lang: string | undefined;
  dir: string | undefined;
}

const voidElements = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source']);
/** Elements whose content has no tags. */
const rawElements = /<(script|style|textarea|title)\b([^>]*)>([^]*?)<\/\1>/g;
const tokens = /<!--[^]*?-->|<!doctype[^>]*>|<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^">])*)>|[^<]+/gi;

/** The texts of an HTML document as the service writes it: with every end tag. */
export function textNodesOf(document: string): TextNode[] {
  const html = document.replaceAll(rawElements, (_, name, attributes, text: string) =>
    [`<${name}${attributes}>`, text.replaceAll('<', '&lt;'), `</${name}>`].join(''),
  );
  const open: OpenElement[] = [];
  const nodes: TextNode[] = [];
  for (const [token, slash, name, attributes = ''] of html.matchAll(tokens)) {
    if (name === undefined) {
      if (!token.startsWith('<')) nodes.push({ text: token, ...inside(open) });
    } else if (slash) {
      const index = open.findLastIndex((one) => one.name === name);
      if (index >= 0) open.length = index;
    } else if (!voidElements.has(name) && !attributes.endsWith('/')) {
      open.push({ name, lang: valueOf(attributes, 'lang'), dir: valueOf(attributes, 'dir') });
    }
  }
  return nodes;
}

const valueOf = (attributes: string, name: string): string | undefined =>
  new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1];

const inside = (open: OpenElement[]) => ({
  path: open.map(({ name }) => name),
  lang: open.findLast(({ lang }) => lang !== undefined)?.lang,
  dir: open.findLast(({ dir }) => dir !== undefined)?.dir,
});
