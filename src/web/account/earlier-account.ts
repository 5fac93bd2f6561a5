import type { Browser } from '../../identity/browser-sessions/browser-sessions.ts';
import {
  discardQuarantined,
  findQuarantined,
  hasQuarantined,
  keepQuarantined,
  showOnce,
  type EarlierAccount,
} from '../../identity/first-proof/first-proof.ts';
import type { Context } from '../../platform/context.ts';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { dayText, speak } from '../../platform/pages/catalog.ts';
import type { PersonalData } from '../../platform/slice.ts';
import { addressAsTyped } from '../../identity/accounts/accounts.ts';
import {
  actionForm,
  localPathOr,
  noIndex,
  reportProblem,
  sitePage,
  textOf,
  type FormHandler,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import { accountTexts } from './texts.ts';

const path = '/earlier-account';

/** Returns where a login leads: the first time to the question about an earlier account with the address, if there is one. */
export async function pathAfterLogin(
  ctx: Context,
  { userId }: Browser,
  next: string,
): Promise<string> {
  const isAsked = userId !== null && (await showOnce(ctx, userId));
  return isAsked ? `${path}?next=${encodeURIComponent(next)}` : next;
}

/** Says that an earlier account waits for the viewer's decision, and leads back to this page from there. */
export async function earlierAccountNotice({
  ctx,
  language,
  path: here,
  viewer,
}: OwnView): Promise<Html | false> {
  if (!(await hasQuarantined(ctx, viewer.user.id))) return false;
  const say = speak(accountTexts, language);
  return html`<p class="notice warn"><a href="${path}?next=${encodeURIComponent(here)}">${say('earlier_notice')}</a></p>\n`;
}

/** Where the owner of an address keeps or deletes what an account with it did before they proved it. */
export const earlierAccountRoutes = (site: Site, holders: () => PersonalData[]): Route[] => {
  const keep: FormHandler = async ({ ctx, viewer }, { fields }) => {
    await keepQuarantined(ctx, holders(), viewer.caller);
    return pathTo('kept', textOf(fields, 'next'));
  };
  const discard: FormHandler = async ({ ctx, viewer }, { fields }) => {
    await discardQuarantined(ctx, holders(), viewer.caller);
    return pathTo('deleted', textOf(fields, 'next'));
  };
  const show: PageHandler = async (view, { query, refused }) => {
    const say = speak(accountTexts, view.language);
    const next = localPathOr(textOf(query, 'next'), '/');
    const earlier = await findQuarantined(view.ctx, holders(), view.viewer.caller);
    const isDone = query.done === 'kept' || query.done === 'deleted';
    const text = query.done === 'kept' ? say('earlier_kept') : say('earlier_deleted');
    const content = refused
      ? reportProblem(view, refused)
      : isDone
        ? html`<p role="status">${text}</p>\n<p><a class="button" href="${next}">${say('earlier_go_on')}</a> <a href="/settings#profile">${say('earlier_settings')}</a></p>`
        : earlier
          ? question(view, earlier, next)
          : html`<p>${say('earlier_none')}</p>`;
    const title = say('earlier_title');
    return sitePage(view, {
      title,
      head: noIndex,
      main: html`<h1>${title}</h1>\n${content}`,
    });
  };
  return site.page({
    id: 'showEarlierAccount',
    path,
    access: 'user',
    closedToCrawlers: true,
    show,
    forms: {
      keep: { id: 'submitKeepEarlierAccount', at: '/keep', act: keep },
      discard: { id: 'submitDeleteEarlierAccount', at: '/delete', act: discard },
    },
  });
};

const pathTo = (done: 'kept' | 'deleted', next: string) =>
  `${path}?done=${done}&next=${encodeURIComponent(localPathOr(next, '/'))}`;

function question(view: OwnView, earlier: EarlierAccount, next: string): Html {
  const say = speak(accountTexts, view.language);
  const { display_name: name, bio, items, created_at: created, expires_at: expires } = earlier;
  const day = (time: Date) => dayText(view.language, time);
  const values = {
    email: html`<bdi>${addressAsTyped(view.viewer.user)}</bdi>`,
    name: html`<strong><bdi>${name}</bdi></strong>`,
    day: day(created),
  };
  const list = (type: EarlierAccount['items'][number]['type'], title: Html) => {
    const own = items.filter((item) => item.type === type);
    return (
      own.length > 0 &&
      html`<h2>${title}</h2>
<ul>${own.map(({ text, created_at: at }) => html`<li><span dir="auto">${text}</span> <span class="small quiet">${day(at)}</span></li>\n`)}</ul>\n`
    );
  };
  return html`<p class="lead">${say('earlier_lead', values)}</p>
${bio && html`<blockquote dir="auto">${bio}</blockquote>\n`}${list('petition', say('earlier_petitions'))}${list('signature', say('earlier_signatures'))}${list('comment', say('earlier_comments'))}<p>${say('earlier_until', { day: day(expires) })}</p>
${actionForm(view, {
  action: `${path}/keep`,
  hidden: { next },
  submit: say('earlier_keep'),
  buttonClass: 'large',
})}
<details><summary>${say('not_me')}</summary>
${actionForm(view, {
  action: `${path}/delete`,
  className: 'panel',
  hidden: { next },
  fields: html`<p>${say('earlier_delete_lead')}</p>\n`,
  submit: say('earlier_delete'),
  buttonClass: 'danger',
})}</details>
<p><a href="${next}">${say('earlier_later')}</a></p>`;
}
