import { html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { formatAgo } from '../../platform/pages/catalog.ts';
import type { Problem } from '../../platform/problems.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { actOnReport, listQueue, shownReport } from '../../oversight/report-queue/report-queue.ts';
import { petitionStatuses } from '../../campaigns/petitions/schema.ts';
import {
  reportActions,
  ReportActionInput,
  ReportQueueQuery,
  reportStatuses,
  type AdminReport,
  type ReportAction,
} from '../../oversight/reports/schema.ts';
import {
  checkInput,
  field,
  formAlert,
  formToken,
  given,
  nextLink,
  selectField,
  statusBadge,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
} from '../site/site.ts';
import { moderationPage, filters, sayOf } from './frame.ts';

/** The queue of reports: oldest first, with what is needed to decide. */
export async function reportsPage(
  view: OwnView,
  query: Record<string, string>,
): Promise<RawAnswer> {
  const say = sayOf(view);
  const { status = 'open', cursor } = query;
  const { items, nextCursor } = await listQueue(
    view.ctx,
    checkInput(ReportQueueQuery, given({ status, cursor })),
  );
  const path = (one: string) => `/moderation?status=${one}`;
  return moderationPage(view, {
    part: 'reports',
    title: say('reports'),
    query,
    main: html`${filters(
      status,
      reportStatuses.map((one) => ({ value: one, label: say(one), href: path(one) })),
    )}${items.length === 0 && html`<p class="quiet">${say('nothing')}</p>\n`}<ul class="list">
${items.map(
  (one) => html`<li>${summary(view, one)}
<p><a class="button second" href="/moderation/reports/${one.id}">${say('decide')}</a></p></li>\n`,
)}</ul>
${nextLink(view, { nextCursor }, path(status))}`,
  });
}

/** One report, and what can be decided about it. */
export async function reportPage(
  view: OwnView,
  id: string,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const say = sayOf(view);
  const report = await shownReport(view.ctx, id);
  return moderationPage(view, {
    part: 'reports',
    title: say(`of_${report.target_type}`),
    ...(state.problem && { status: state.problem.status }),
    main: html`${formAlert(view, state)}<div class="panel">${summary(view, report)}</div>
${report.status === 'open' && report.target ? decisionForm(view, report, state) : html`<p><strong>${say(report.status)}</strong></p>`}`,
  });
}

/** What is to be known of a target's state; whether a user is suspended is told with the author. */
function stateOf(view: OwnView, type: AdminReport['target_type'], state: string): Html | undefined {
  const status = type === 'petition' && petitionStatuses.find((one) => one === state);
  if (status) return statusBadge(view, status);
  const ended = (['deleted', 'hidden'] as const).find((one) => one === state);
  return ended && html`<span class="badge warn">${sayOf(view)(ended)}</span>`;
}

function summary(view: OwnView, report: AdminReport): Html {
  const say = sayOf(view);
  const { target, description, open_reports: open } = report;
  const when = formatAgo(view.language, new Date(report.created_at), view.ctx.now());
  return html`<p class="row small quiet"><span class="badge">${say(`of_${report.target_type}`)}</span>
<span>${say('reported', { when, reason: say(`${report.reason}_reason`) })}</span>
<span>${say('alike', { count: open })}</span></p>
${
  target
    ? html`<p><strong dir="auto">${target.title}</strong> ${stateOf(view, report.target_type, target.state)}</p>
${target.text && html`<blockquote class="text" dir="auto">${target.text}</blockquote>\n`}<p class="small">${
        target.author &&
        say('author', {
          name: html`<a href="/u/${target.author.slug}"><bdi>${target.author.display_name}</bdi></a>`,
        })
      }${target.author?.suspended && html` <span class="badge warn">${say('suspended')}</span>`}${
        target.author && target.petition_id && ' · '
      }${target.petition_id && html`<a href="/moderation/petitions/${target.petition_id}">${say('of_petition')}</a>`}</p>`
    : html`<p>${say('target_gone')}</p>`
}
${description && html`<p class="small">${view.say('labelled', { label: html`<span class="quiet">${say('words')}</span>`, value: html`<bdi>${description}</bdi>` })}</p>`}`;
}

function decisionForm(view: OwnView, report: AdminReport, state: FormState): Html {
  const say = sayOf(view);
  const fits = (action: ReportAction) =>
    action !== 'remove_petition' || report.target_type === 'petition';
  const applies = (action: ReportAction) =>
    action !== 'hide_content' || report.target_type !== 'user';
  return html`<form class="panel" method="post" action="/moderation/reports/${report.id}">${formToken(view)}
${selectField(view, state, {
  name: 'action',
  label: say('decision'),
  options: reportActions
    .filter((one) => fits(one) && applies(one))
    .map((one) => ({ value: one, label: say(`action_${one}`) })),
})}${field(view, state, {
    name: 'note',
    label: say('note'),
    hint: say('note_hint'),
    type: 'textarea',
    maxLength: 2000,
  })}<button>${say('decide')}</button></form>`;
}

/** Does what was decided about a report. */
export async function decide(
  sessions: Sessions,
  view: OwnView,
  id: string,
  fields: Fields,
): Promise<RawAnswer> {
  const input = checkInput(
    ReportActionInput,
    given({ action: textOf(fields, 'action'), note: textOf(fields, 'note') }),
  );
  await actOnReport(view.ctx, sessions, view.viewer.caller, id, input);
  return redirectTo(view.header, '/moderation?done=decided', 303);
}

export const decideAgain = (
  view: OwnView,
  id: string,
  fields: Fields,
  problem: Problem,
): Promise<RawAnswer> => reportPage(view, id, { values: fields, problem });
