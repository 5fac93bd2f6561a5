import { html, type Html } from '../html.ts';
import { renderMarkdown, type RenderOptions } from '../markdown/markdown.ts';

/** A text in Markdown that people wrote. `className` is for its size. */
export const markdownText = (source: string, options: RenderOptions, className?: 'lead'): Html =>
  html`<div class="text${className && ` ${className}`}" dir="auto">
${renderMarkdown(source, options)}</div>`;
