/** Texts are cut here first, since some patterns take quadratic time. Previews are shorter. */
const maxLength = 1000;

/** Pairs that mark a part of a line. */
const emphasis = [
  /(?<!\\)(\*\*|__|~~)(?=\S)([^\n]*?[^\s\\])\1/g,
  /(?<![\p{L}\p{N}*\\])(\*)(?=\S)([^*\n]*[^*\s\\])\*(?![\p{L}\p{N}*])/gu,
  /(?<![\p{L}\p{N}_\\])(_)(?=\S)([^_\n]*[^_\s\\])_(?![\p{L}\p{N}_])/gu,
  /(`+)([^`\n]+)\1/g,
];

/** The start of a text in Markdown without its marks, for where only plain text is shown, such as link previews. */
export function withoutMarkdown(markdown: string): string {
  let text = markdown
    .slice(0, maxLength)
    // Fences of code, and rules.
    .replaceAll(/^ {0,3}(?:```|~~~|(?:[-*_][ \t]*){3,}$)[^\n]*/gm, '')
    // Headings, quotations and items of lists.
    .replaceAll(/^[ \t]*(?:(?:#{1,6}|>|[-*+])[ \t]+)+/gm, '')
    // Links and images: their text.
    .replaceAll(/!?\[([^\][]*)\]\([^()\n]*\)/g, '$1')
    .replaceAll(/<(https?:\/\/[^\s<>]+)>/g, '$1');
  for (const pair of emphasis) text = text.replaceAll(pair, '$2');
  return text.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1').toWellFormed();
}
