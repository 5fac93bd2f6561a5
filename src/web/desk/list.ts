import { attribute, html, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { formatAgo, formatNumber, speak } from '../../platform/pages/catalog.ts';
import { ownPetitionCounts, ownPetitions } from '../../campaigns/petitions/petitions.ts';
import { petitionStatuses, type PetitionSummary } from '../../campaigns/petitions/schema.ts';
import { doneNotice, nextLink, pageOf, statusBadge, type OwnView } from '../site/site.ts';
import { deskPage, placeOf } from './frame.ts';
import { deskTexts } from './texts.ts';

type Status = PetitionSummary['status'];

const isStatus = (text: string | undefined): text is Status =>
  petitionStatuses.some((one) => one === text);

/** The viewer's own petitions, and what to do next with each. */
export async function listPage(view: OwnView, query: Record<string, string>): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = speak(deskTexts, view.language);
  const status = isStatus(query.status) ? query.status : undefined;
  const [page, counts] = await Promise.all([
    ownPetitions(ctx, viewer.caller, { ...(status && { status }), ...pageOf(query) }),
    ownPetitionCounts(ctx.db, viewer.user.id),
  ]);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return deskPage(view, {
    title: view.say('my_petitions'),
    current: 'petitions',
    main: html`<div class="row between"><h1>${view.say('my_petitions')}</h1>
<a class="button" href="/start">${view.say('start_petition')}</a></div>
${doneNotice(say, query.done, ['done_deleted'])}${all > 0 && statusTabs(view, counts, all, status)}${
      page.items.length === 0
        ? html`<p>${say(all > 0 ? 'none_here' : 'none')}</p>`
        : html`<ul class="list">\n${page.items.map((one) => listItem(view, one))}</ul>`
    }
${nextLink(view, page)}`,
  });
}

function statusTabs(
  view: OwnView,
  counts: Partial<Record<Status, number>>,
  all: number,
  current: Status | undefined,
): Html {
  const say = speak(deskTexts, view.language);
  const tab = (status: Status | undefined, label: Html, count: number) =>
    html`<li><a href="/desk${status && `?status=${status}`}"${attribute('aria-current', status === current && 'page')}>${label} <span class="quiet number">${formatNumber(view.language, count)}</span></a></li>\n`;
  return html`<nav aria-label="${view.say('my_petitions')}"><ul class="tabs">
${tab(undefined, say('all'), all)}${petitionStatuses.map((status) => {
    const count = counts[status];
    return count && tab(status, view.say(`status_${status}`), count);
  })}</ul></nav>\n`;
}

function listItem(view: OwnView, petition: PetitionSummary): Html {
  const { language, ctx } = view;
  const say = speak(deskTexts, language);
  const { status, title, signature_count: count, published_at: published } = petition;
  const when = formatAgo(language, new Date(published ?? petition.created_at), ctx.now());
  const draft = status === 'draft';
  return html`<li>
<h2 dir="auto"><a href="${draft ? `/start/${petition.id}` : placeOf(petition)}">${title}</a></h2>
<p class="row small quiet">${statusBadge(view, status)} ${
    !draft && html`<span class="number">${view.say('signatures', { count })}</span>`
  } <span>${say(published ? 'published' : 'begun', { when })}</span></p>
<p class="small">${say(`next_${status}`)}</p>
<p class="row small">${
    draft && html`<a href="/start/${petition.id}">${say('go_on')}</a>`
  } <a href="${placeOf(petition)}">${say('manage')}<span class="visually-hidden" dir="auto"> ${title}</span></a></p>
</li>\n`;
}
