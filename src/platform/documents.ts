import MarkdownIt from 'markdown-it';
import { Html } from './html.ts';

/** Renders a document of this software: headings have anchors, and links lead where `addressOf` says. */
export function documentHtml(source: string, addressOf: (href: string) => string): Html {
  const markdown = new MarkdownIt({ html: false });
  markdown.core.ruler.push('links', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null) token.attrSet('href', addressOf(String(href)));
    }
  });
  markdown.core.ruler.push('anchors', ({ tokens }) => {
    for (const [n, token] of tokens.entries()) {
      if (token.type !== 'heading_open') continue;
      token.attrSet('id', anchorOf(tokens[n + 1]!.content));
    }
  });
  // Long lines of commands scroll, for the keyboard too.
  return new Html(markdown.render(source).replaceAll('<pre>', '<pre tabindex="0">'));
}

/** The anchor of a heading, as the links between the files have it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');
