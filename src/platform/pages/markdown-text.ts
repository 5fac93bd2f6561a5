import { html, type Html } from '../html.ts';
import { renderMarkdown, type RenderOptions } from '../markdown/markdown.ts';

interface Look {
  /** For its size. */
  className?: 'lead';
  /** Its direction and language (`languageAttributes`). */
  attributes?: Html;
}

/** A text in Markdown that people wrote. */
export const markdownText = (
  source: string,
  options: RenderOptions,
  { className, attributes = html` dir="auto"` }: Look = {},
): Html =>
  html`<div class="text${className && ` ${className}`}"${attributes}>
${renderMarkdown(source, options)}</div>`;
