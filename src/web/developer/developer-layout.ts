import type { Context } from '../../platform/context.ts';
import { html, type Content, type Html } from '../../platform/html.ts';
import type { Page } from '../../platform/cursor.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { dashboardPage, dashboardTexts } from '../dashboard/dashboard.ts';
import {
  copyButton,
  doneNotice,
  listOf,
  postForm,
  type FormState,
  type PageRequest,
  type View,
} from '../site/site.ts';
import { developerTexts } from './texts.ts';

interface ListPage<T> {
  current: 'webhooks' | 'keys' | 'applications';
  intro: Html;
  /** Content before the list. */
  secret?: Html | undefined;
  page: Page<T>;
  item: (record: T) => Html;
  /** Shown instead of an empty list. */
  empty?: Html;
  /** The form for another one. */
  state: FormState;
  fields: Content;
}

/** The viewer's webhooks, keys or applications, and a form for another one. */
export function developerListPage<T>(
  view: View,
  request: PageRequest,
  { current, intro, secret, page, item, empty, state, fields }: ListPage<T>,
): Promise<RawAnswer> {
  const say = speak(developerTexts, view.language);
  const title = speak(dashboardTexts, view.language)(current);
  return dashboardPage(view, {
    title,
    current,
    main: [
      html`<h1>${title}</h1>\n`,
      developerNotice(view, request.query),
      secret,
      html`<p>${intro} <a href="/docs">${say('docs')}</a></p>\n`,
      listOf(view, page, { item, empty: empty && html`<p>${empty}</p>` }),
      postForm(view, state, {
        action: `/dashboard/${current}`,
        className: 'panel',
        fields,
        submit: say('create'),
      }),
    ],
  });
}

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

/** The list that the record was in; the settings, where the pages of developers are switched off. */
export const pathAfterDeletion = ({ site }: Context, list: string): string =>
  site.current.modules.developers ? `${list}?done=deleted` : '/settings';

/** Says what was just done. */
export const developerNotice = (view: View, { done }: Record<string, string>) =>
  doneNotice(speak(developerTexts, view.language), done, ['done_saved', 'done_deleted']);
