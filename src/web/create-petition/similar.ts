import { html, type Html } from '../../platform/html.ts';
import { asset } from '../../platform/pages/assets.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { undefinedIfRefused } from '../../platform/problems.ts';
import { similarPetitions } from '../../reach/search/search.ts';
import type { View } from '../site/site.ts';
import type { Draft } from './drafts.ts';
import { createPetitionTexts } from './texts.ts';

/** Lists similar petitions while a title is typed. */
export const similarScript = asset(new URL('similar.js', import.meta.url));

/** Where similar.js lists petitions whose titles are like the one being typed. */
export function similarPanel(view: View): Html {
  const say = speak(createPetitionTexts, view.language);
  return html`<aside class="panel" data-similar-to="title" aria-live="polite" hidden><h2>${say('similar')}</h2>
<p class="hint">${say('similar_hint')}</p>
<ul></ul></aside>\n`;
}

/** Petitions like the draft; nothing if search is not available. */
export async function similarTo(view: View, { title }: Draft): Promise<Html | false> {
  const { ctx, viewer, headers, language } = view;
  const say = speak(createPetitionTexts, language);
  const acceptLanguage = headers['accept-language'];
  const found = await similarPetitions(ctx, { title, acceptLanguage }).catch(undefinedIfRefused);
  const others = (found ?? []).filter(({ creator }) => !viewer || creator?.id !== viewer.user.id);
  return (
    others.length > 0 &&
    html`<aside class="panel"><h2>${say('similar')}</h2>
<p class="hint">${say('similar_hint')}</p>
<ul>
${others.map(
  ({ slug, title: otherTitle, language: itsLanguage, signature_count: count }) =>
    html`<li><a href="/p/${slug}"${languageAttributes(itsLanguage, language)}>${otherTitle}</a> <span class="quiet small">${view.say('signatures', { count })}</span></li>\n`,
)}</ul></aside>\n`
  );
}
