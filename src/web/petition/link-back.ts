import { html, type Html } from '../../platform/html.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import type { View } from '../site/site.ts';
import { pathTo } from './addresses.ts';

/** The link from a page below a petition to the page of the petition. */
export const linkBack = (
  view: View,
  { slug, title, language }: Pick<Petition, 'slug' | 'title' | 'language'>,
  code: string | undefined,
): Html =>
  html`<p class="small"><a href="${pathTo(slug, { code })}"${languageAttributes(language, view.language)}>${title}</a></p>\n`;
