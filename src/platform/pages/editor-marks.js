// Changes of a text in Markdown. Each returns which part of the text is replaced by which text, and what is selected then.

/** Marks at the beginning of a line, which bold and italics stand behind. */
const lineMarks = /^\s*(?:(?:[-+*]|\d+[.)]|>|#{1,6})\s+)*/;

/** Sets or removes bold (`**`) or italics (`*`) for the selection. */
export function toggleEmphasis(text, { start, end }, mark) {
  [start, end] = trimmed(text, start, end);
  if (start === end) {
    const isInside = isMarked(text, start, end, mark);
    const at = isInside ? mark.length : 0;
    const inserted = isInside ? '' : mark + mark;
    const caret = isInside ? start - at : start + mark.length;
    return { from: start - at, to: end + at, text: inserted, start: caret, end: caret };
  }
  if (isMarked(text, start, end, mark)) {
    const [from, to] = [start - mark.length, end + mark.length];
    return { from, to, text: text.slice(start, end), start: from, end: end - mark.length };
  }
  const lines = text.slice(start, end).split('\n');
  const parts = lines.map((line, index) => {
    // Marks of the line stand before the selection, if that begins inside the line.
    const isWhole = index > 0 || start === 0 || text[start - 1] === '\n';
    const before = isWhole ? lineMarks.exec(line)[0].length : 0;
    return [line.slice(0, before), line.slice(before).trimEnd()];
  });
  const filled = parts.filter(([, content]) => content !== '');
  const isSet = filled.length > 0 && filled.every(([, content]) => hasMark(content, mark));
  const replaced = parts.map(([before, content]) => {
    if (content === '') return before;
    const changed = isSet ? content.slice(mark.length, -mark.length) : mark + content + mark;
    return before + changed;
  });
  const result = replaced.join('\n');
  const isOneLine = lines.length === 1 && !isSet;
  const shift = isOneLine ? parts[0][0].length + mark.length : 0;
  return {
    from: start,
    to: end,
    text: result,
    start: start + shift,
    end: start + result.length - (isOneLine ? mark.length : 0),
  };
}

/** Without white space at the ends. */
function trimmed(text, start, end) {
  const selected = text.slice(start, end);
  const length = selected.trim().length;
  if (length === 0) return [start, start];
  const from = start + selected.length - selected.trimStart().length;
  return [from, from + length];
}

/** Whether this number of asterisks at both ends has the mark: one is italics, two are bold, three are both. */
const hasStars = (count, mark) => (mark.length === 1 ? count === 1 || count === 3 : count >= 2);

const starsBefore = (text, position) => /\**$/.exec(text.slice(0, position))[0].length;
const starsAfter = (text, position) => /^\**/.exec(text.slice(position))[0].length;

const isMarked = (text, start, end, mark) =>
  hasStars(Math.min(starsBefore(text, start), starsAfter(text, end)), mark);

function hasMark(content, mark) {
  const stars = Math.min(starsAfter(content, 0), starsBefore(content, content.length));
  return content.length > 2 * stars && hasStars(stars, mark);
}

const linePrefixes = { heading: '# ', list: '- ', quote: '> ' };
const prefixPatterns = { heading: /^#{1,6}\s+/, list: /^\s*[-+*]\s+/, quote: /^>\s?/ };

/** Makes the selected lines a heading, list or quote; plain lines if they are one. */
export function toggleLines(text, { start, end }, kind) {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf(
    '\n',
    Math.max(from, end > start && text[end - 1] === '\n' ? end - 1 : end),
  );
  const to = lineEnd === -1 ? text.length : lineEnd;
  const lines = text.slice(from, to).split('\n');
  const pattern = prefixPatterns[kind];
  const filled = lines.filter((line) => line.trim() !== '');
  const isSet = filled.length > 0 && filled.every((line) => pattern.test(line));
  const changed = lines.map((line) => {
    if (isSet) return line.replace(pattern, '');
    const isEmpty = line.trim() === '' && lines.length > 1;
    if (isEmpty) return kind === 'quote' ? '>' : line;
    return pattern.test(line) ? line : linePrefixes[kind] + line;
  });
  // A paragraph right before a list or quote would be part of it in other renderers; a quote continues after its last line.
  const previous = text.slice(0, from).split('\n').at(-2) ?? '';
  const gap = !isSet && previous.trim() !== '' && !pattern.test(previous) ? '\n' : '';
  const result = gap + changed.join('\n');
  const last = from + result.length;
  const isCaret = start === end;
  const caret = Math.max(from + gap.length, last - (to - end));
  return {
    from,
    to,
    text: result,
    start: isCaret ? caret : from + gap.length,
    end: isCaret ? caret : last,
  };
}

/** Makes the selection a link, or a link its text. */
export function toggleLink(text, { start, end }) {
  const selected = text.slice(start, end);
  const link = /^\[([^\]]*)\]\([^)\s]*\)$/.exec(selected);
  if (link) {
    return { from: start, to: end, text: link[1], start, end: start + link[1].length };
  }
  const isAddress = /^(?:https?:\/\/|mailto:)\S+$/i.test(selected);
  const address = isAddress ? selected : 'https://';
  const label = isAddress ? '' : selected;
  const result = `[${label}](${address})`;
  // What is missing is selected: the text, or else the address.
  const isTextMissing = label === '';
  const at = isTextMissing ? start + 1 : start + result.length - 1 - address.length;
  return {
    from: start,
    to: end,
    text: result,
    start: at,
    end: isTextMissing ? at : at + address.length,
  };
}

/** Inserts blocks of Markdown, with an empty line around them where they are not part of a line. */
export function insertBlocks(text, { start, end }, blocks) {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const isInLine = !/\n/.test(blocks) && !/^(?:[-+*>#]|!\[|\d+[.)])/.test(blocks);
  const gapBefore =
    isInLine || before.trim() === '' ? '' : '\n'.repeat(2 - newlines(/\n{0,2}$/, before));
  const gapAfter =
    isInLine || after.trim() === '' ? '' : '\n'.repeat(2 - newlines(/^\n{0,2}/, after));
  const result = gapBefore + blocks + gapAfter;
  const caret = start + gapBefore.length + blocks.length;
  return { from: start, to: end, text: result, start: caret, end: caret };
}

const newlines = (pattern, text) => pattern.exec(text)[0].length;
