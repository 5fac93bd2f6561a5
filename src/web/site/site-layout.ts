import { attribute, html, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { formatNumber } from '../../platform/pages/catalog.ts';
import { languageName } from '../../platform/pages/language.ts';
import { brand, page, type Page } from '../../platform/pages/page.ts';
import type { ModuleName, SiteProfile } from '../../platform/site/profile.ts';
import { isPageShown, sitePageNames } from '../../platform/site/pages.ts';
import { searchScript, siteScript } from './assets.ts';
import { errorSummary } from './error-summary.ts';
import { formToken } from './form-token.ts';
import { avatar } from './parts.ts';
import { refusedField, sealRefused } from './refused-form.ts';
import type { View, Viewer } from './view.ts';

interface SitePage extends Omit<Page, 'language' | 'site' | 'above' | 'below'> {
  /** Instead of the site as it is: for previews. */
  site?: SiteProfile;
  /** The words in the search field of the header. */
  searched?: string;
}

/** A page with the header and footer of the site, and with why a form of it was refused. Not cached unless `cacheControl` is given and the browser is unknown. */
export async function sitePage(
  view: View,
  { searched, site = view.ctx.site.current, ...content }: SitePage,
): Promise<RawAnswer> {
  const { header, viewer, language, browser, outcome } = view;
  const { cacheControl, scripts = [] } = content;
  header('vary', 'Accept-Language, Cookie');
  const errors = errorSummary(view);
  const title = errors ? view.say('error_title', { title: content.title }) : content.title;
  const answer = page(header, {
    ...content,
    language,
    site,
    title: html`${title} · ${site.name}`,
    main: [errors, content.main],
    cacheControl: (browser || outcome ? undefined : cacheControl) ?? 'no-store',
    scripts: [siteScript, searchScript, ...scripts, ...view.fieldScripts],
    above: siteHeader(view, { site, viewer, searched }),
    below: siteFooter(view),
  });
  return { ...answer, body: await view.pictures.fill(view.ctx, answer.body as string) };
}

interface Header {
  site: SiteProfile;
  viewer: Viewer | null;
  searched: string | undefined;
}

function siteHeader(view: View, { site, viewer, searched }: Header): Html {
  const { say } = view;
  return html`<a class="visually-hidden" href="#main">${say('skip')}</a>
<header class="site"><div class="bar">
${brand(site)}
<form class="search${searched === undefined && ' roomy'}" role="search" action="/petitions" data-suggest="${say('suggestions')}">
<input type="search" name="q" aria-label="${say('search_petitions')}" placeholder="${say('search_petitions')}" maxlength="200"${attribute('value', searched)}>
<button class="second">${searchIcon}<span class="roomy-text">${say('search')}</span></button>
</form>
<nav aria-label="${say('main_menu')}">
${searched === undefined && html`<a class="narrow" href="/petitions">${searchIcon}<span class="roomy-text">${say('search')}</span></a>\n`}${mainLinks.map(([href, text]) => html`<a class="roomy" href="${href}">${say(text)}</a>\n`)}${viewer ? ownEntries(view, viewer) : guestEntries(view)}
</nav>
</div></header>`;
}

/** Main links: in a row on wide screens, else in the menu. */
const mainLinks = [
  ['/petitions', 'browse'],
  ['/start', 'start_petition'],
] as const;

const menuLink = (href: string, text: Html, kind?: 'narrow') =>
  html`<li${attribute('class', kind)}><a href="${href}">${text}</a></li>\n`;

const mainLinksInMenu = ({ say }: View) =>
  mainLinks.map(([href, text]) => menuLink(href, say(text), 'narrow'));

const icon = (path: string) =>
  html`<svg class="narrow icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="${path}"/></svg>`;
const searchIcon = icon('M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 20 20');
const barsIcon = icon('M4 7h16M4 12h16M4 17h16');
const bellIcon = icon('M6 17v-6a6 6 0 0 1 12 0v6l1.5 2h-15zM10 21.5h4');

const guestEntries = (view: View): Html =>
  html`${loginLink(view)}
<details class="menu narrow"><summary>${barsIcon}<span class="roomy-text">${view.say('main_menu')}</span></summary>
<ul>
${mainLinksInMenu(view)}</ul></details>`;

/** A link to the login, which leads back to this page. */
function loginLink({ path, say }: View): Html {
  const next = accountPaths.some((one) => path.startsWith(one)) ? '/' : path;
  const query = next === '/' ? '' : `?next=${encodeURIComponent(next)}`;
  return html`<a class="button" rel="nofollow" href="/login${query}">${say('log_in')}</a>`;
}

/** Pages that the login does not lead back to. */
const accountPaths = [
  '/login',
  '/register',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
];

function ownEntries(view: View, { user, caller, unread }: Viewer): Html {
  const { say, language } = view;
  return html`<a href="/notifications">${bellIcon}<span class="roomy-text">${say('notifications')}</span>${
    unread > 0 &&
    html` <span class="badge good"><span aria-hidden="true">${formatNumber(language, unread)}</span><span class="visually-hidden">${say('unread', { count: unread })}</span></span>`
  }</a>
<details class="menu"><summary><span class="narrow">${avatar(view, user)}</span><bdi>${user.display_name}</bdi></summary>
<ul>
${mainLinksInMenu(view)}${menuLink('/dashboard', say('my_petitions'))}${menuLink('/signatures', say('my_signatures'))}${
    view.ctx.site.current.modules.organizations &&
    menuLink('/dashboard/organizations', say('my_organizations'))
  }${menuLink(`/u/${user.slug}`, say('my_profile'))}${menuLink('/settings', say('settings'))}${
    caller.role !== 'user' && menuLink('/moderation', say('moderation'))
  }${caller.role === 'admin' && menuLink('/admin/site', say('administration'))}<li><form method="post" action="/logout">${formToken(view)}<button class="second">${say('log_out')}</button></form></li>
</ul></details>`;
}

/** Links of the footer, by group. */
const footLinks = [
  [
    'petitions',
    [
      ['/petitions', 'browse'],
      ['/petitions?sort=trending', 'feed_trending'],
      ['/petitions?sort=recent', 'feed_new'],
      ['/petitions?status=victory', 'victories'],
      ['/near', 'near'],
    ],
  ],
  [
    'take_part',
    [
      ['/start', 'start_petition'],
      ['/organizations', 'organizations'],
    ],
  ],
  [
    'for_developers',
    [
      ['/docs', 'api'],
      ['/feeds/new.atom', 'feeds'],
    ],
  ],
] as const;

/** Whether crawlers are kept out of a link of the footer. */
const isClosed = (href: string) => href.includes('?') || href === '/near';

/** Links of the footer into parts that operators can switch off. */
const linkedModules: Record<string, ModuleName> = {
  '/organizations': 'organizations',
  '/docs': 'developers',
};

function isOn({ ctx }: View, href: string): boolean {
  const module = linkedModules[href];
  return module === undefined || ctx.site.current.modules[module];
}

/** Pages about the site itself, those that there are. */
const ownLinks = ({ ctx }: View) => [
  ...sitePageNames
    .filter((one) => isPageShown(ctx.site, one))
    .map((one) => [`/${one}`, `page_${one}`] as const),
  ...(ctx.config.transparencyLog ? [['/log', 'public_log'] as const] : []),
];

function siteFooter(view: View): Html {
  const { say } = view;
  return html`<footer class="site"><div class="bar">
<nav aria-label="${say('foot_menu')}">
${[...footLinks, ['this_site', ownLinks(view)] as const].map(
  ([group, links]) => html`<div><p>${say(group)}</p><ul>
${links
  .filter(([href]) => isOn(view, href))
  .map(
    ([href, text]) =>
      html`<li><a href="${href}"${attribute('rel', isClosed(href) && 'nofollow')}>${say(text)}</a></li>\n`,
  )}</ul></div>
`,
)}</nav>
${languageForm(view)}
</div></footer>`;
}

/** Chooses the language, and leads back to the page: with what was typed, if it shows a refused form. */
function languageForm(view: View): Html {
  const { ctx, say, language, path, refused } = view;
  const choices = ctx.site.current.languages.map(
    (one) =>
      html`<option value="${one}" lang="${one}"${attribute('selected', one === language)}>${languageName(one)}</option>`,
  );
  return html`<form class="row" method="post" action="/language">${formToken(view)}
<input type="hidden" name="next" value="${path}">${
    refused &&
    html`<input type="hidden" name="${refusedField}" value="${sealRefused(ctx, refused)}">`
  }
<label for="site-language">${say('language')}</label>
<select id="site-language" name="language">${choices}</select>
<button class="second">${say('save')}</button>
</form>`;
}
