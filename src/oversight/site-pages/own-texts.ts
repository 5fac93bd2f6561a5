import type { Context } from '../../platform/context.ts';
import { formatList, plainText } from '../../platform/pages/catalog.ts';
import { languageName, type Language } from '../../platform/pages/language.ts';
import { isPageShown, type SitePageName } from '../../platform/site/pages.ts';
import { escapeMarks, ownTexts } from './own-catalog.ts';
import { privacyText } from './privacy-text.ts';
import type { SitePageInput, SitePageRef } from './schema.ts';

type Write = (ctx: Context, language: Language) => SitePageInput;

/** What the software says by itself, in Markdown. */
const writers: Partial<Record<SitePageName, Write>> = {
  about: (ctx, language) => simpleText(ctx, language, 'about'),
  contact: (ctx, language) => simpleText(ctx, language, 'contact'),
  privacy: privacyText,
  accessibility: accessibilityText,
};

/** Returns the software's own text of a page; undefined where it has none. */
export const ownText = (
  ctx: Context,
  page: SitePageRef['page'],
  language: SitePageRef['language'],
): SitePageInput | undefined => writers[page]?.(ctx, language);

function simpleText(
  { site }: Context,
  language: Language,
  page: 'about' | 'contact' | 'accessibility',
): SitePageInput {
  const values = {
    site: escapeMarks(site.current.name),
    languages: formatList(language, site.current.languages.map(languageName)),
    license: 'Apache License 2.0',
    rules: 'WCAG 2.2',
    level: 'AA',
    checker: 'axe-core',
  };
  return {
    title: plainText(ownTexts, language, `${page}_title`, { site: site.current.name }),
    body: plainText(ownTexts, language, `${page}_body`, values),
  };
}

function accessibilityText(ctx: Context, language: Language): SitePageInput {
  const text = simpleText(ctx, language, 'accessibility');
  if (!isPageShown(ctx.site, 'contact')) return text;
  const label = plainText(ownTexts, language, 'report_link');
  return { ...text, body: `${text.body}\n\n[${label}](${ctx.config.baseUrl}/contact)` };
}
