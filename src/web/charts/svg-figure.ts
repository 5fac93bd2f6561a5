import { html, type Content, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { chartTexts } from './texts.ts';

interface Figure {
  caption: Content;
  drawing: Html;
  /** Headings of the table: the label, and the number. */
  columns: [Content, Content];
  rows: [Content, Content][];
}

/** A chart with its data as a table. */
export function svgFigure(language: Language, { caption, drawing, columns, rows }: Figure): Html {
  const say = speak(chartTexts, language);
  return html`<figure><figcaption class="quiet small">${caption}</figcaption>
${drawing}
<details class="small"><summary>${say('as_table')}</summary>
<table><thead><tr><th scope="col">${columns[0]}</th><th scope="col" class="number">${columns[1]}</th></tr></thead>
<tbody>
${rows.map(([what, value]) => html`<tr><td dir="auto">${what}</td><td class="number">${value}</td></tr>\n`)}</tbody></table>
</details></figure>
`;
}
