import { attribute, html, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { formTokenOf } from '../../identity/browser-sessions/browser-sessions.ts';
import { languageNames, languages } from '../../platform/pages/language.ts';
import { page, siteName, type Page } from '../../platform/pages/page.ts';
import { formTokenField } from './form-token.ts';
import type { View, Viewer } from './view.ts';

interface SitePage extends Omit<Page, 'language' | 'above' | 'below'> {
  /** What the search field above holds. */
  searched?: string;
}

/**
 * A page within the frame of the site. Kept by nobody, unless said; and then only where nobody is logged in.
 */
export function sitePage(view: View, { searched, ...content }: SitePage): RawAnswer {
  const { header, viewer, language, browser } = view;
  const { cacheControl, scripts = [] } = content;
  header('vary', 'Accept-Language, Cookie');
  return page(header, {
    ...content,
    language,
    title: html`${content.title} · ${siteName}`,
    cacheControl: (browser ? undefined : cacheControl) ?? 'no-store',
    scripts: ['site.js', ...scripts],
    above: above(view, viewer, searched),
    below: below(view),
  });
}

/** The field by which forms show that they are of a page of ours. */
export const formToken = ({ ctx, browser }: View): Html | false =>
  browser !== undefined &&
  html`<input type="hidden" name="${formTokenField}" value="${formTokenOf(ctx, browser)}">`;

function above(view: View, viewer: Viewer | null, searched: string | undefined): Html {
  const { say } = view;
  return html`<a class="visually-hidden" href="#main">${say('skip')}</a>
<header class="site"><div class="bar">
<a class="brand" href="/">${siteName}</a>
<form class="search" role="search" action="/petitions">
<input type="search" name="q" aria-label="${say('search_petitions')}" placeholder="${say('search_petitions')}" maxlength="200"${attribute('value', searched)}>
<button class="second">${say('search')}</button>
</form>
<nav aria-label="${say('main_menu')}">
<a href="/petitions">${say('browse')}</a>
<a href="/start">${say('start_petition')}</a>
${viewer ? accountMenu(view, viewer) : html`<a class="button" href="/login">${say('log_in')}</a>`}
</nav>
</div></header>`;
}

function accountMenu(view: View, { user, caller, unread }: Viewer): Html {
  const { say } = view;
  const link = (href: string, text: Html) => html`<li><a href="${href}">${text}</a></li>\n`;
  return html`<a href="/notifications">${say('notifications')}${
    unread > 0 && html` <span class="badge good">${say('unread', { count: unread })}</span>`
  }</a>
<details class="menu"><summary><bdi>${user.display_name}</bdi></summary>
<ul>
${link('/desk', say('my_petitions'))}${link('/signatures', say('my_signatures'))}${link(
    '/desk/organizations',
    say('my_organizations'),
  )}${link(`/u/${user.slug}`, say('my_profile'))}${link('/settings', say('settings'))}${
    caller.role !== 'user' && link('/moderation', say('moderation'))
  }<li><form method="post" action="/logout">${formToken(view)}<button class="second">${say('log_out')}</button></form></li>
</ul></details>`;
}

function below(view: View): Html {
  const { say, language, path } = view;
  const choices = languages.map(
    (one) =>
      html`<option value="${one}" lang="${one}"${attribute('selected', one === language)}>${languageNames[one]}</option>`,
  );
  return html`<footer class="site"><div class="bar">
<nav aria-label="${say('foot_menu')}">
<a href="/petitions">${say('browse')}</a>
<a href="/docs">${say('for_developers')}</a>
<a href="/feeds/new.atom">${say('feeds')}</a>
</nav>
<form class="row" method="post" action="/language" data-send-on-change>${formToken(view)}
<input type="hidden" name="next" value="${path}">
<label for="language">${say('language')}</label>
<select id="language" name="language">${choices}</select>
<button class="second" data-without-script>${say('save')}</button>
</form>
</div></footer>`;
}
