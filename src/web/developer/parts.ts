import { html, type Content, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { copyButton, doneNotice, type View } from '../site/site.ts';
import { developerTexts } from './texts.ts';

/** Shows a secret that was just made. It is never shown again. */
export function secretPanel(
  view: View,
  label: Content,
  secret: string | undefined,
): Html | undefined {
  if (secret === undefined) return undefined;
  const say = speak(developerTexts, view.language);
  return html`<section class="panel notice" role="status"><h2><label for="secret">${label}</label></h2>
<p>${say('secret_once')}</p>
<p class="row fill"><input class="secret" id="secret" readonly value="${secret}" dir="ltr">
${copyButton(view, 'secret')}</p>
</section>\n`;
}

/** Says what was just done. */
export const developerNotice = (view: View, { done }: Record<string, string>) =>
  doneNotice(speak(developerTexts, view.language), done, ['done_saved', 'done_deleted']);
