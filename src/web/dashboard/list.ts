import { attribute, html, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { formatNumber, speak } from '../../platform/pages/catalog.ts';
import {
  ownPetitionCounts,
  ownPetitions,
  petitionsOfLedOrganizations,
} from '../../campaigns/petitions/manage.ts';
import { petitionStatuses, type PetitionSummary } from '../../campaigns/petitions/schema.ts';
import { doneNotice, nextLink, pageOf, type OwnView } from '../site/site.ts';
import { entryList } from './entries.ts';
import { dashboardPage } from './frame.ts';
import { dashboardTexts } from './texts.ts';

type Status = PetitionSummary['status'];

const isStatus = (text: string | undefined): text is Status =>
  petitionStatuses.some((one) => one === text);

/** Of what others have published for the viewer's organizations, so many stand below their own petitions. */
const fewOfOrganizations = 5;

/** The viewer's own petitions, what to do next with each, and the newest of their organizations'. */
export async function listPage(view: OwnView, query: Record<string, string>): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(dashboardTexts, view.language);
  const status = isStatus(query.status) ? query.status : undefined;
  const isFirst = status === undefined && query.cursor === undefined;
  const [page, counts, others] = await Promise.all([
    ownPetitions(ctx, viewer.caller, { ...(status && { status }), ...pageOf(query) }),
    ownPetitionCounts(ctx.db, viewer.user.id),
    isFirst && petitionsOfLedOrganizations(ctx, viewer.caller, { limit: fewOfOrganizations }),
  ]);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return dashboardPage(view, {
    title: view.say('my_petitions'),
    current: 'petitions',
    main: html`<div class="row between"><h1>${view.say('my_petitions')}</h1>
<a class="button" href="/start">${view.say('start_petition')}</a></div>
${doneNotice(say, query.done, ['done_deleted'])}${all > 0 && statusTabs(view, counts, all, status)}${
      page.items.length === 0
        ? html`<p>${say(all > 0 ? 'none_here' : 'none')}</p>`
        : entryList(view, page.items)
    }
${nextLink(view, page)}${
      others &&
      others.items.length > 0 &&
      html`<section><h2>${say('of_organizations')}</h2>
${entryList(view, others.items, { heading: 'h3' })}${
        others.nextCursor !== null &&
        html`<p><a class="button second" href="/dashboard/petitions">${say('all_of_organizations')}</a></p>\n`
      }</section>`
    }`,
  });
}

/** All that others have published for organizations that the viewer runs. */
export async function organizationsListPage(
  view: OwnView,
  query: Record<string, string>,
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(dashboardTexts, view.language);
  const page = await petitionsOfLedOrganizations(ctx, viewer.caller, pageOf(query));
  return dashboardPage(view, {
    title: say('of_organizations'),
    current: 'petitions',
    main: html`<h1>${say('of_organizations')}</h1>
${page.items.length === 0 ? html`<p>${say('none_of_organizations')}</p>` : entryList(view, page.items)}
${nextLink(view, page)}
<p><a href="/dashboard">${view.say('my_petitions')}</a></p>`,
  });
}

function statusTabs(
  view: OwnView,
  counts: Partial<Record<Status, number>>,
  all: number,
  current: Status | undefined,
): Html {
  const say = speak(dashboardTexts, view.language);
  const tab = (status: Status | undefined, label: Html, count: number) =>
    html`<li><a href="/dashboard${status && `?status=${status}`}"${attribute('aria-current', status === current && 'page')}>${label} <span class="quiet number">${formatNumber(view.language, count)}</span></a></li>\n`;
  return html`<nav aria-label="${view.say('my_petitions')}"><ul class="tabs">
${tab(undefined, say('all'), all)}${petitionStatuses.map((status) => {
    const count = counts[status];
    return count && tab(status, view.say(`status_${status}`), count);
  })}</ul></nav>\n`;
}
