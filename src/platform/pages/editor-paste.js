// Formatted text as Markdown. The HTML is parsed into a document of its own, from which only texts and addresses are read.

const blockTags = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CENTER DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR HTML LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL'.split(
    ' ',
  ),
);
const ignoredTags =
  'script, style, head, title, template, noscript, iframe, object, svg, math, select, textarea, button, audio, video, canvas, img';

/** Returns pasted HTML as Markdown; an empty text where it has nothing that Markdown can express. */
export function toMarkdown(source) {
  if (source === '') return '';
  const { body } = new DOMParser().parseFromString(withoutInlineCode(source), 'text/html');
  for (const one of body.querySelectorAll(ignoredTags)) one.remove();
  nestWordLists(body);
  const found = { hasMarks: false };
  const blocks = blocksOf(body, {}, found);
  return found.hasMarks
    ? blocks
        .map(({ text }) => text)
        .join('\n\n')
        .trim()
    : '';
}

/**
 * Renames styles and handlers. The policy of the page holds in the new document too, where the browser would report them
 * in the console.
 */
const withoutInlineCode = (source) =>
  source
    .replaceAll(/<(\/?)style(?=[\s>])/gi, '<$1script')
    .replaceAll(/<[a-z][^<>]*>/gi, (tag) =>
      tag.replaceAll(/(\s)(style|on\w+)(?=\s*=)/gi, '$1data-$2'),
    );

const styleOf = (element) => element.dataset.style?.toLowerCase() ?? '';

/** Word writes lists as paragraphs that begin with their marker. */
function nestWordLists(body) {
  const items = [...body.querySelectorAll('[data-style*="mso-list"]')].filter((one) =>
    /mso-list:\s*l\d+\s+level\d/.test(styleOf(one)),
  );
  /** The open lists, outermost first. */
  let open = [];
  let last;
  for (const item of items) {
    const level = Number(/level(\d)/.exec(styleOf(item))[1]);
    const marker = [...item.querySelectorAll('[data-style]')].find((one) =>
      /mso-list:\s*ignore/.test(styleOf(one)),
    );
    const isNumbered = /^\s*\(?[0-9a-z]{1,4}[.)]/i.test(marker?.textContent ?? '');
    marker?.remove();
    if (!last || nextElement(open[0]) !== item) open = [];
    open = open.slice(0, level);
    const name = isNumbered ? 'ol' : 'ul';
    if (open.length < level || open.at(-1).localName !== name) {
      if (open.length === level) open.pop();
      const list = body.ownerDocument.createElement(name);
      if (open.length > 0) open.at(-1).append(list);
      else item.before(list);
      open.push(list);
    }
    const entry = body.ownerDocument.createElement('li');
    entry.append(...item.childNodes);
    item.remove();
    open.at(-1).append(entry);
    last = entry;
  }
}

/** The element right behind, with nothing but white space and comments between. */
const nextElement = (element) => {
  let next = element.nextSibling;
  while (next && next.nodeType !== 1 && !(next.nodeType === 3 && next.data.trim() !== '')) {
    next = next.nextSibling;
  }
  return next;
};

/** The blocks in an element: `{ text, isList }`. Lines between blocks are paragraphs. */
function blocksOf(element, style, found) {
  const blocks = [];
  let runs = [];
  const flush = () => {
    const text = escapeLines(linesOf(runs, found));
    runs = [];
    if (text !== '') blocks.push({ text });
  };

  function visit(node, outer) {
    if (node.nodeType === 3) {
      runs.push({ ...outer, text: outer.isPre ? node.data : node.data.replaceAll(/\s+/g, ' ') });
      return;
    }
    if (node.nodeType !== 1) return;
    if (node.tagName === 'BR') {
      runs.push({ text: '\n' });
    } else if (!blockTags.has(node.tagName)) {
      for (const child of node.childNodes) visit(child, styledBy(node, outer));
    } else {
      flush();
      blocks.push(...blockOf(node, outer, found));
    }
  }

  for (const child of element.childNodes) visit(child, style);
  flush();
  return blocks;
}

function blockOf(element, outer, found) {
  const { tagName } = element;
  const style = styledBy(element, outer);
  if (tagName === 'UL' || tagName === 'OL') return listOf(element, style, found);
  if (/^H[1-6]$/.test(tagName)) {
    // A heading is one line, and bold anyway.
    const runs = blocksOf(element, { ...style, isHeading: true }, found);
    const text = runs.map((one) => one.text.replaceAll('\n', ' ')).join(' ');
    if (text === '') return [];
    found.hasMarks = true;
    return [{ text: `${'#'.repeat(Math.min(Number(tagName[1]), 3))} ${text}` }];
  }
  if (tagName === 'BLOCKQUOTE') {
    const text = blocksOf(element, style, found)
      .map((one) => one.text)
      .join('\n\n');
    if (text === '') return [];
    found.hasMarks = true;
    return [{ text: text.replaceAll(/^/gm, '> ').replaceAll(/^> $/gm, '>') }];
  }
  if (tagName === 'TR') {
    const cells = [...element.children].map((cell) =>
      blocksOf(cell, style, found)
        .map((one) => one.text.replaceAll('\n', ' '))
        .join(' '),
    );
    const text = cells.filter((one) => one !== '').join(' | ');
    return text === '' ? [] : [{ text }];
  }
  if (tagName === 'HR') return [{ text: '---' }];
  return blocksOf(element, style, found);
}

/** A list. Google Docs and old pages put lists right into lists: they belong to the item before. */
function listOf(list, style, found) {
  const items = [];
  let number = Number.parseInt(list.getAttribute('start') ?? '1', 10) || 1;
  for (const child of list.children) {
    const isList = child.tagName === 'UL' || child.tagName === 'OL';
    const blocks = isList
      ? listOf(child, style, found)
      : blocksOf(child, styledBy(child, style), found);
    if (blocks.length === 0) continue;
    if (isList && items.length > 0) items.at(-1).blocks.push(...blocks);
    else items.push({ marker: list.tagName === 'OL' ? `${number++}. ` : '- ', blocks });
  }
  if (items.length === 0) return [];
  found.hasMarks = true;
  const text = items.map(({ marker, blocks }) => {
    const content = blocks
      .map((one, index) => (index === 0 ? '' : one.isList ? '\n' : '\n\n') + one.text)
      .join('');
    return marker + content.replaceAll(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`);
  });
  return [{ text: text.join('\n'), isList: true }];
}

/** The style in an element, from its name and its own style: office programs write <b style="font-weight:normal">. */
function styledBy(element, outer) {
  const { tagName } = element;
  const own = styleOf(element);
  const weight = /(?:^|[;\s])font-weight:\s*([\w]+)/.exec(own)?.[1];
  const slant = /(?:^|[;\s])font-style:\s*(\w+)/.exec(own)?.[1];
  const style = { ...outer };
  if (tagName === 'B' || tagName === 'STRONG') style.isBold = true;
  if (weight) style.isBold = weight.startsWith('bold') || Number(weight) >= 600;
  if (tagName === 'I' || tagName === 'EM') style.isItalic = true;
  if (slant) style.isItalic = slant === 'italic' || slant === 'oblique';
  if (tagName === 'A') style.address = addressOf(element.getAttribute('href') ?? '');
  if (tagName === 'PRE') style.isPre = true;
  return style;
}

/** The address of a link that Markdown may have; undefined for others, for example those inside of a document. */
function addressOf(href) {
  let url;
  try {
    url = new URL(href.trim());
  } catch {
    return undefined;
  }
  // Outlook and Google wrap addresses, to see who follows them.
  const isWrapped =
    url.hostname.endsWith('.safelinks.protection.outlook.com') ||
    (/^www\.google\.[a-z.]+$/.test(url.hostname) && url.pathname === '/url');
  const inner = isWrapped && (url.searchParams.get('url') ?? url.searchParams.get('q'));
  if (inner) return addressOf(inner);
  if (!['http:', 'https:', 'mailto:'].includes(url.protocol)) return undefined;
  if (url.username || url.password) return undefined;
  return url.href.replaceAll('(', '%28').replaceAll(')', '%29');
}

/** Joins runs of text with their marks. A mark does not reach over the end of a line. */
function linesOf(runs, found) {
  const lines = [[]];
  for (const run of runs) {
    for (const [index, text] of run.text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (text !== '') lines.at(-1).push({ ...run, text: text.replaceAll(/\s+/g, ' ') });
    }
  }
  return lines
    .map((line) => lineOf(line, found))
    .join('\n')
    .trim();
}

const markedAlike = (a, b) =>
  a.address === b.address && !a.isBold === !b.isBold && !a.isItalic === !b.isItalic;

function lineOf(runs, found) {
  const merged = [];
  for (const run of runs) {
    const previous = merged.at(-1);
    const isSpaceBefore = !previous || previous.text.endsWith(' ');
    const text = isSpaceBefore ? run.text.replace(/^ /, '') : run.text;
    if (text === '') continue;
    // Space has no style of its own.
    if (previous && (markedAlike(previous, run) || text === ' ')) previous.text += text;
    else merged.push({ ...run, text });
  }
  const parts = merged.map((run, index) => {
    const { address, isHeading } = run;
    // Space, and punctuation next to letters, cannot stand inside of the ends of marks.
    const next = merged[index + 1]?.text ?? '';
    const before = merged[index - 1]?.text ?? '';
    const stars = (run.isBold && !isHeading ? '**' : '') + (run.isItalic ? '*' : '');
    let [, start, text, end] = /^( *)(.*?)( *)$/.exec(run.text);
    if (stars && end === '' && /^[\p{L}\p{N}]/u.test(next)) {
      const outside = /[\p{P}\p{S}]+$/u.exec(text)?.[0] ?? '';
      text = text.slice(0, text.length - outside.length);
      end = outside;
    }
    if (stars && start === '' && /[\p{L}\p{N}]$/u.test(before)) {
      start = /^[\p{P}\p{S}]+/u.exec(text)?.[0] ?? '';
      text = text.slice(start.length);
    }
    if (text === '') return escapeText(run.text);
    const isBare = address !== undefined && isAddressItself(text, address);
    let marked = isBare ? text : escapeText(text);
    if (address !== undefined && !isBare) {
      marked = `[${marked.replaceAll(/(?<!\\)[[\]]/g, String.raw`\$&`)}](${address})`;
    }
    if (stars || (address !== undefined && !isBare)) found.hasMarks = true;
    return escapeText(start) + stars + marked + stars + escapeText(end);
  });
  return parts.join('').trim();
}

/** Whether the text of a link is its address, which becomes a link without marks. */
const isAddressItself = (text, address) =>
  [text, `${text}/`].includes(address) || address === `mailto:${text}`;

/** Escapes marks inside of lines, where they would be taken as such. */
const escapeText = (text) =>
  text
    .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, String.raw`\\`)
    .replaceAll(/(?<! )\*|\*(?! )/g, String.raw`\*`)
    .replaceAll(/(?<![\p{L}\p{N}])_(?! )|(?<! )_(?![\p{L}\p{N}])/gu, String.raw`\_`)
    .replaceAll(/\[(?=[^\]]*\][([:])/g, String.raw`\[`)
    .replaceAll(/<(?=\w[\w+.-]*[:@])/g, String.raw`\<`);

/** Escapes marks at the beginning of lines. Lists, quotes and headings get theirs afterwards. */
const escapeLines = (text) =>
  text
    .replaceAll(/^(?=#{1,6}(?:\s|$)|>|[-+](?:\s|$)|-{3,}\s*$|=+\s*$)/gm, '\\')
    .replaceAll(/^(\d{1,9})(?=[.)](?:\s|$))/gm, '$1\\');
