import { readPageVersion, readSitePage } from '../../oversight/site-pages/site-pages.ts';
import type { SitePage } from '../../oversight/site-pages/schema.ts';
import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { formatDay, speak } from '../../platform/pages/catalog.ts';
import { isLanguage, languageName } from '../../platform/pages/language.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { notFound } from '../../platform/problems.ts';
import { sitePageNames, type SitePageName } from '../../platform/site/pages.ts';
import {
  canonicalLink,
  sitePage,
  type captchaAssets,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { editPath } from './editing.ts';
import { sitePageTexts } from './texts.ts';

/** The pages that are nothing but a text. */
const textPages = sitePageNames.filter((page) => page !== 'contact');

export const readingRoutes = (site: Site): Route[] =>
  textPages.flatMap((page) =>
    site.page({
      id: `show${page.charAt(0).toUpperCase()}${page.slice(1)}Page`,
      path: `/${page}`,
      access: 'anyone',
      closedToCrawlers: ['version'],
      show: showText(page),
    }),
  );

const showText =
  (page: SitePageName): PageHandler<{}, View> =>
  async (view, { query }) =>
    textPage(view, await readAsked(view, page, query));

/**
 * Returns the page that the query asks for: in one language, and an earlier version. Others are those in force, for the
 * language of the reader.
 * @throws {Problem} not-found
 */
export async function readAsked(
  { ctx, language: ofReader }: View,
  page: SitePageName,
  { language: asked, version }: Record<string, string>,
): Promise<SitePage> {
  const language = isLanguage(asked) ? asked : ofReader;
  if (version === undefined) return readSitePage(ctx, page, language);
  if (!/^[1-9]\d{0,8}$/.test(version)) throw notFound('page');
  return readPageVersion(ctx, { page, language }, Number(version));
}

interface Extras extends ReturnType<typeof captchaAssets> {
  above: Content;
  form: Content;
}

/** A page with its text, and whose text it is. */
export function textPage(
  view: View,
  text: SitePage,
  { above, form, ...assets }: Partial<Extras> = {},
): Promise<RawAnswer> {
  const { ctx, language } = view;
  const attributes = languageAttributes(text.language, language);
  return sitePage(view, {
    ...assets,
    title: text.title,
    head: canonicalLink(view, `/${text.page}`),
    main: html`${above}<h1${attributes}>${text.title}</h1>
${text.version === null && html`<p class="notice">${speak(sitePageTexts, language)('own_text')}</p>\n`}${markdownText(
      text.body,
      ctx.config,
      { attributes },
    )}
${form}${origin(view, text)}`,
  });
}

/** The version and its day, the other languages, and a link for administrators. */
function origin(view: View, text: SitePage): Html {
  const say = speak(sitePageTexts, view.language);
  const { version, updated_at: updatedAt } = text;
  const inForce = versionInForce(view, text);
  const isEarlier = version !== null && inForce !== version;
  return html`<footer class="small quiet">
${version !== null && updatedAt && html`<p>${say('version', { version, day: formatDay(view.language, new Date(updatedAt)) })}</p>\n`}${
    isEarlier && html`<p><a href="/${text.page}">${say('newest')}</a></p>\n`
  }${otherLanguages(view, text)}${
    view.viewer?.caller.role === 'admin' &&
    html`<p><a href="${editPath(text)}">${say('edit')}</a></p>\n`
  }</footer>`;
}

const versionInForce = ({ ctx }: View, { page, language }: SitePage): number | undefined =>
  ctx.site.writtenPages.get(page)?.get(language);

function otherLanguages({ ctx, language: ofReader }: View, { page, language }: SitePage): Content {
  const others = [...(ctx.site.writtenPages.get(page)?.keys() ?? [])].filter(
    (one) => one !== language,
  );
  if (others.length === 0) return undefined;
  const links = others.map(
    (one, index) =>
      html`${index > 0 && ' · '}<a href="/${page}?language=${one}" lang="${one}" hreflang="${one}"${attribute('dir', 'auto')}>${languageName(one)}</a>`,
  );
  return html`<p>${speak(sitePageTexts, ofReader)('other_languages')} ${links}</p>\n`;
}
