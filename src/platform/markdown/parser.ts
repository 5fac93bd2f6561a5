import MarkdownIt, { type StateBlock, type StateInline, type Token } from 'markdown-it';

export type { Token } from 'markdown-it';

/** Levels of blocks in each other: a quote is one, a list is two with its item. Deeper marks stay text. */
const maxBlockLevel = 12;
/** Links and pictures in each other that the parser looks for. It must be larger than the level of blocks. */
const maxNesting = 20;
/** The longest address without marks that becomes a link. */
const maxAddressLength = 2000;

const schemes = new Set(['http:', 'https:', 'mailto:']);

/** Returns the address of a link as browsers read it; undefined for addresses that no link may have. */
export function linkAddress(href: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return undefined;
  const url = URL.parse(href);
  // A name before the host (https://bank.example@other.example) is for deceiving.
  if (!url || !schemes.has(url.protocol) || url.username || url.password) return undefined;
  return url.href;
}

/** Parses the supported part of Markdown into tokens of blocks, in which tokens of lines are. */
export const parseMarkdown = (source: string): Token[] => markdown.parse(source, {});

const markdown = createParser();

function createParser() {
  const md = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting });
  md.disable(['table', 'code', 'fence', 'html_block', 'html_inline']);
  md.disable(['backticks', 'strikethrough', 'entity']);
  md.validateLink = (href) => linkAddress(href) !== undefined;
  md.block.ruler.before('blockquote', 'nesting_limit', paragraphAtLimit);
  md.inline.ruler.at('image', picture);
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: true, fuzzyIP: false });
  md.linkify.add('//', null).add('ftp:', null);
  md.linkify.add('www.', {
    validate(text, pos, { re }) {
      const rest = text.slice(pos, pos + maxAddressLength);
      if (!/^[^\s./]+\.\p{L}{2}/u.test(rest)) return 0;
      const validator = re.get_http_validator();
      validator.lastIndex = 0;
      const found = validator.exec(`//www.${rest}`);
      return found ? found[0].length - '//www.'.length : 0;
    },
    normalize: (match) => {
      match.url = `https://${match.url}`;
    },
  });
  return md;
}

/** A rule for blocks: below the limit, lines up to an empty one are a paragraph. The parser would drop them. */
function paragraphAtLimit(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
): boolean {
  if (silent || state.level < maxBlockLevel) return false;
  const isInBlock = (line: number) => {
    const indent = state.sCount[line]!;
    // Negative: the line continues a paragraph without the marks of its block.
    return !state.isEmpty(line) && (indent < 0 || indent >= state.blkIndent);
  };
  let line = startLine + 1;
  while (line < endLine && isInBlock(line)) line += 1;
  state.line = line;
  state.push('paragraph_open', 'p', 1);
  const inline = state.push('inline', '', 0);
  inline.content = state.getLines(startLine, line, state.blkIndent, false).trim();
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  return true;
}

/**
 * A rule for `![text](address "title")`. Unlike the parser's own, it takes any address, since others than those of this
 * service become their text, and does not parse that text, which nested pictures make slow.
 */
function picture(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax, md } = state;
  if (!src.startsWith('![', pos)) return false;
  const { parseLinkLabel, parseLinkDestination, parseLinkTitle } = md.helpers;
  const labelEnd = parseLinkLabel(state, pos + 1, false);
  state.pos = pos;
  if (labelEnd < 0 || src[labelEnd + 1] !== '(') return false;
  const address = parseLinkDestination(src, skipSpaces(src, labelEnd + 2), posMax);
  if (!address.ok) return false;
  let end = skipSpaces(src, address.pos);
  if (end > address.pos) {
    const title = parseLinkTitle(src, end, posMax);
    if (title.ok) end = skipSpaces(src, title.pos);
  }
  if (end >= posMax || src[end] !== ')') return false;
  if (!silent) {
    const token = state.push('image', 'img', 0);
    token.attrs = [['src', md.normalizeLink(address.str)]];
    token.content = md.utils.unescapeMd(src.slice(pos + 2, labelEnd));
  }
  state.pos = end + 1;
  return true;
}

function skipSpaces(text: string, from: number): number {
  let pos = from;
  while (text[pos] === ' ' || text[pos] === '\t' || text[pos] === '\n') pos += 1;
  return pos;
}
