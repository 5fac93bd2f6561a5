import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatAgo } from '../../platform/pages/catalog.ts';
import {
  actOnReport,
  listReportQueue,
  getReport,
} from '../../oversight/report-queue/report-queue.ts';
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
  reportProblem,
  formFor,
  omitEmpty,
  listOf,
  postForm,
  readForm,
  stateOf,
  statusBadge,
  type FormState,
  type OwnView,
  type Site,
  type PageHandler,
} from '../site/site.ts';
import { done, filters, IdRef, moderationPage, sayOf } from './frame.ts';

const path = '/moderation';

export const reportRoutes = (site: Site): Route[] => [
  ...site.page({ id: 'showReports', path, access: 'moderator', show: queuePage }),
  ...site.page({
    id: 'showReport',
    path: `${path}/reports/{id}`,
    access: 'moderator',
    params: IdRef,
    show: reportPage,
    forms: {
      decision: {
        id: 'submitReportDecision',
        async act(view, { params, fields }) {
          const input = readForm(ReportActionInput, fields, ['action', 'note']);
          await actOnReport(view.ctx, site.sessions, view.viewer.caller, params.id, input);
          return done(path);
        },
      },
    },
  }),
];

/** Reports of one status, open by default, the oldest first. */
const queuePage: PageHandler = async (view, { query }) => {
  const say = sayOf(view);
  const { status = 'open', cursor } = query;
  const filter = checkInput(ReportQueueQuery, omitEmpty({ status, cursor }));
  const page = await listReportQueue(view.ctx, filter);
  const choices = reportStatuses.map((one) => ({
    value: one,
    label: say(one),
    href: `${path}?status=${one}`,
  }));
  return moderationPage(view, {
    section: 'reports',
    title: say('reports'),
    query,
    main: html`${filters(status, choices)}${listOf(view, page, {
      item: (one) => html`<li>${summary(view, one)}
<p><a class="button second" href="${path}/reports/${one.id}">${say('decide')}</a></p></li>\n`,
      empty: html`<p class="quiet">${say('nothing')}</p>`,
    })}`,
  });
};

/** One report, with the form that decides about it. */
const reportPage: PageHandler<IdRef> = async (view, request) => {
  const say = sayOf(view);
  const report = await getReport(view.ctx, request.params.id);
  const state = stateOf(request, 'decision');
  return moderationPage(view, {
    section: 'reports',
    title: say(`of_${report.target_type}`),
    main: html`<div class="panel">${summary(view, report)}</div>
${report.status === 'open' && report.target ? decisionForm(view, report, state) : html`${reportProblem(view, state)}<p><strong>${say(report.status)}</strong></p>`}`,
  });
};

/** The state of a target that matters for the decision; whether its author is suspended is shown elsewhere. */
function targetBadge(
  view: OwnView,
  type: AdminReport['target_type'],
  state: string,
): Html | undefined {
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
    ? html`<p><strong dir="auto">${target.title}</strong> ${targetBadge(view, report.target_type, target.state)}</p>
${target.text && html`<blockquote class="plain-text" dir="auto">${target.text}</blockquote>\n`}<p class="small">${
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
  const form = formFor(view, state, ReportActionInput);
  const applies = (action: ReportAction) =>
    (action !== 'remove_petition' || report.target_type === 'petition') &&
    (action !== 'hide_content' || report.target_type !== 'user');
  const options = reportActions
    .filter(applies)
    .map((one) => ({ value: one, label: say(`action_${one}`) }));
  return postForm(view, state, {
    action: `${path}/reports/${report.id}`,
    className: 'panel',
    fields: html`${form.select('action', { label: say('decision'), options })}${form.text('note', {
      label: say('note'),
      hint: say('note_hint'),
      type: 'textarea',
    })}`,
    submit: say('decide'),
  });
}
