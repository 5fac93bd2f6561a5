import { html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { View } from '../site/site.ts';
import { createPetitionTexts } from './texts.ts';

/** Kinds of concerns, each with an example of a title that works. */
const exampleKinds = ['place', 'school', 'health', 'environment', 'law', 'company'] as const;

/** What works in a petition: three sentences, and an example for each kind of concern. */
export function writingHelp(view: View): Html {
  const say = speak(createPetitionTexts, view.language);
  return html`<details class="panel"><summary>${say('help')}</summary>
<ol>
<li>${say('help_title')}</li>
<li>${say('help_story')}</li>
<li>${say('help_ask')}</li>
</ol>
<dl>
${exampleKinds.map((kind) => html`<dt>${say(`help_kind_${kind}`)}</dt><dd><q>${say(`help_example_${kind}`)}</q></dd>\n`)}</dl></details>\n`;
}
