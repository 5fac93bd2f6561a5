import { html, type Content, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { chartTexts } from './texts.ts';

interface Drawing {
  caption: Content;
  svg: Html;
  /** Heads of the table's two columns: of what, and how much. */
  columns: [Content, Content];
  rows: [Content, Content][];
}

/** A drawing, with the same as a table for those who cannot see it. */
export function svgFigure(language: Language, { caption, svg, columns, rows }: Drawing): Html {
  const say = speak(chartTexts, language);
  return html`<figure><figcaption class="quiet small">${caption}</figcaption>
${svg}
<details class="small"><summary>${say('as_table')}</summary>
<table><thead><tr><th scope="col">${columns[0]}</th><th scope="col" class="number">${columns[1]}</th></tr></thead>
<tbody>
${rows.map(([what, value]) => html`<tr><td dir="auto">${what}</td><td class="number">${value}</td></tr>\n`)}</tbody></table>
</details></figure>
`;
}
