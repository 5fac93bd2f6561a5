import { html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { writtenLanguage } from '../../platform/site/pages.ts';
import { hiddenFields, textOf, type Fields, type View } from '../site/site.ts';
import { petitionTexts } from './texts.ts';

const field = 'privacy_version';

/**
 * Names the version of the page on privacy that signers accept, which the form sends; where administrators wrote none, leads to
 * what the software says.
 */
export function privacyLine({ ctx, language }: View): Html {
  const say = speak(petitionTexts, language);
  const written = writtenLanguage(ctx.site, 'privacy', language);
  const version = written && ctx.site.writtenPages.get('privacy')?.get(written);
  if (version === undefined) {
    return html`<p class="small quiet"><a href="/privacy">${say('what_is_kept')}</a></p>\n`;
  }
  const page = html`<a rel="nofollow" href="/privacy?language=${written}&amp;version=${version}">${say('privacy_page', { version })}</a>`;
  return html`<p class="small quiet">${say('privacy_accepted', { page })}</p>
${hiddenFields({ [field]: String(version) })}`;
}

/** The version that the form named; null where it named none. */
export function privacyVersionIn(fields: Fields): number | null {
  const text = textOf(fields, field);
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
