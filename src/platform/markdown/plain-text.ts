import { linkAddress, parseMarkdown, type Token } from './parser.ts';

export interface PlainTextOptions {
  /** Writes the address of a link behind its text, in parentheses. */
  hasAddresses?: boolean;
}

/**
 * Returns a text in Markdown without its marks. Paragraphs are separated by an empty line. Items of lists are lines of
 * their own that keep their marker.
 */
export function plainTextOf(source: string, options: PlainTextOptions = {}): string {
  let text = '';
  let gap = '';
  let marker = '';
  /** The number of the next item of each open list; undefined in lists without numbers. */
  const lists: { next: number | undefined }[] = [];
  for (const token of parseMarkdown(source)) {
    switch (token.type) {
      case 'bullet_list_open':
      case 'ordered_list_open': {
        const isOrdered = token.type === 'ordered_list_open';
        lists.push({ next: isOrdered ? Number(token.attrGet('start') ?? 1) : undefined });
        if (lists.length > 1) gap = '\n';
        break;
      }
      case 'list_item_open': {
        const list = lists.at(-1)!;
        marker = list.next === undefined ? '- ' : `${list.next++}. `;
        break;
      }
      case 'list_item_close':
        marker = '';
        gap = '\n';
        break;
      case 'bullet_list_close':
      case 'ordered_list_close':
        lists.pop();
        gap = lists.length > 0 ? '\n' : '\n\n';
        break;
      case 'inline': {
        const lines = textOfLines(token.children ?? [], options);
        const indent = '  '.repeat(Math.max(lists.length - 1, 0));
        const first = indent + (marker || (lists.length > 0 ? '  ' : ''));
        const rest = `\n${' '.repeat(first.length)}`;
        text += (text && gap) + first + lines.replaceAll('\n', rest);
        marker = '';
        gap = '\n\n';
        break;
      }
    }
  }
  return text.toWellFormed();
}

/** Characters that are read beyond the wanted ones, for marks and addresses. */
const maxMarks = 1000;

/** Returns the first characters of `plainTextOf`, for previews. Does not read the whole of a long text. */
export const plainStartOf = (source: string, maxCharacters: number): string =>
  plainTextOf(source.slice(0, maxCharacters + maxMarks))
    .slice(0, maxCharacters)
    .toWellFormed();

function textOfLines(tokens: Token[], { hasAddresses = false }: PlainTextOptions): string {
  let text = '';
  /** The open link. Links are not nested. */
  let link: { address: string; start: number } | undefined;
  for (const token of tokens) {
    switch (token.type) {
      case 'softbreak':
      case 'hardbreak':
        text += '\n';
        break;
      case 'link_open': {
        const address = linkAddress(String(token.attrGet('href') ?? ''));
        link = address === undefined ? undefined : { address, start: text.length };
        break;
      }
      case 'link_close':
        if (hasAddresses && link && token.info !== 'auto') text += ` (${link.address})`;
        link = undefined;
        break;
      default:
        text += token.content;
    }
  }
  return text;
}
