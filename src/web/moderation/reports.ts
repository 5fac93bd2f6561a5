import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatAgo, formatTime } from '../../platform/pages/catalog.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
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
import { reportKeysScript } from './assets.ts';
import { done, filters, IdRef, moderationPage, sayOf } from './moderation-layout.ts';

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
          const input = readForm(ReportActionInput, fields, ['action', 'note', 'reason']);
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
    scripts: [reportKeysScript],
    main: html`${filters(status, choices)}${page.items.length > 0 && status === 'open' && keyHelp(view)}${listOf(
      view,
      page,
      {
        item: (one) => html`<li data-report tabindex="-1">${summary(view, one)}
<p class="small"><a href="${path}/reports/${one.id}">${say('report_alone')}</a></p>
${one.status === 'open' && decisionForm(view, one, { values: {} })}</li>\n`,
        empty: html`<p class="quiet">${say('nothing')}</p>`,
      },
    )}`,
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
    scripts: [reportKeysScript],
    main: html`${report.status === 'open' && keyHelp(view)}<div data-report tabindex="-1"><div class="panel">${summary(view, report)}</div>
${report.status === 'open' ? decisionForm(view, report, state) : html`${reportProblem(view, state)}<p><strong>${say(report.status)}</strong></p>`}</div>`,
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
  const { target, description, open_reports: open, weight } = report;
  const when = formatAgo(view.language, new Date(report.created_at), view.ctx.now());
  return html`<p class="row small quiet"><span class="badge">${say(`of_${report.target_type}`)}</span>
<span>${say('reported', { when, reason: say(`${report.reason}_reason`) })}</span>
<span>${say('alike', { count: open })}</span> <span>${say('weight', { count: weight })}</span></p>
${texts(view, report)}${
    target
      ? html`<p class="small">${
          target.author &&
          say('author', {
            name: html`<a href="/u/${target.author.slug}"><bdi>${target.author.display_name}</bdi></a>`,
          })
        }${target.author?.suspended && html` <span class="badge warn">${say('suspended')}</span>`}${
          target.author && target.petition_id && ' · '
        }${target.petition_id && html`<a href="/moderation/petitions/${target.petition_id}">${say('of_petition')}</a>`}</p>`
      : html`<p>${say('target_gone')}</p>`
  }
${description && html`<p class="small">${view.say('labelled', { label: html`<span class="quiet">${say('words')}</span>`, value: html`<bdi>${description}</bdi>` })}</p>`}${histories(view, report)}`;
}

/** What the target says; beside what it said when it was reported, if that differs. */
function texts(view: OwnView, { target, target_type: type, snapshot }: AdminReport): Html {
  const say = sayOf(view);
  const badge = target && targetBadge(view, type, target.state);
  const language = target?.language ?? null;
  const attributes = {
    title: languageAttributes(language, view.language),
    text: languageAttributes(type === 'petition' ? language : null, view.language),
  };
  const now = target && content(target, { attributes, badge });
  const isChanged =
    snapshot && (snapshot.title !== target?.title || snapshot.text !== target?.text);
  if (!isChanged) return html`${now}`;
  const before = html`<div><p class="label">${say('as_reported')}</p>
${content(snapshot, { attributes })}</div>`;
  if (!now) return before;
  return html`<div class="fields">${before}
<div><p class="label">${say('as_now')}</p>
${now}</div></div>\n`;
}

const content = (
  { title, text }: { title: string | null; text: string | null },
  {
    attributes,
    badge,
  }: { attributes: Record<'title' | 'text', Html>; badge?: Html | null | undefined },
): Html =>
  html`<p><strong${attributes.title}>${title}</strong> ${badge}</p>
${text && html`<blockquote class="plain-text"${attributes.text}>${text}</blockquote>\n`}`;

/** Earlier decisions on the target, and what there was with its author. */
function histories(view: OwnView, report: AdminReport): Html {
  const say = sayOf(view);
  const { target_history: decisions, author_history: author } = report;
  const sums = author && [
    [say('author_warnings'), author.warnings],
    [say('author_reports'), author.decided_reports],
    [say('author_suspensions'), author.suspensions],
  ];
  return html`${
    decisions.length > 0 &&
    html`<p class="small">${say('target_history')}</p>
<ul class="small">${decisions.map(
      ({ action, created_at }) =>
        html`<li>${actionName(view, action)} · ${formatTime(view.language, new Date(created_at))}</li>\n`,
    )}</ul>\n`
  }${
    sums &&
    html`<p class="small"><span class="quiet">${say('author_history')}</span> ${sums.map(
      ([label, value], index) =>
        html`${index > 0 && ' · '}${view.say('labelled', { label: label!, value: value! })}`,
    )}</p>\n`
  }`;
}

/** The name of a decision by a report; that of the audit log for others. */
function actionName(view: OwnView, name: string): Html {
  const action = reportActions.find((one) => name === `report.${one}`);
  return action ? sayOf(view)(`action_${action}`) : html`<code>${name}</code>`;
}

/** Whether the API takes the action for the target. */
function applies({ target, target_type: type }: AdminReport, action: ReportAction): boolean {
  const isThere = target !== null && target.state !== 'deleted';
  switch (action) {
    case 'dismiss':
      return true;
    case 'hide_content':
      return isThere && type !== 'user' && !(type === 'signature' && target.state === 'hidden');
    case 'remove_petition':
      return isThere && type === 'petition';
    default:
      // Concerns the author.
      return target !== null && target.author !== null;
  }
}

/** Asks for a decision. None is chosen before, so that one press decides nothing. */
function decisionForm(view: OwnView, report: AdminReport, state: FormState): Html {
  const say = sayOf(view);
  const form = formFor(view, state, ReportActionInput);
  const options = reportActions
    .filter((action) => applies(report, action))
    .map((one) => ({ value: one, label: say(`action_${one}`) }));
  return postForm(view, state, {
    action: `${path}/reports/${report.id}`,
    className: 'panel',
    fields: html`${form.radios('action', { id: `action-${report.id}`, label: say('decision'), options })}${form.text(
      'reason',
      {
        id: `reason-${report.id}`,
        label: say('told_reason'),
        hint: say('told_reason_hint'),
        type: 'textarea',
      },
    )}${form.text('note', {
      id: `note-${report.id}`,
      label: say('note'),
      hint: say('note_hint'),
      type: 'textarea',
    })}`,
    submit: say('decide'),
  });
}

/** The keys of report-keys.js. */
function keyHelp(view: OwnView): Html {
  const say = sayOf(view);
  const keys = [
    ['j', say('key_next')],
    ['k', say('key_previous')],
    ['a', say('key_approve')],
    ['d', say('key_dismiss')],
    ['h', say('key_hide')],
    ['?', say('key_help')],
  ] as const;
  return html`<details class="panel" data-report-keys data-with-script hidden><summary>${say('keys')} <kbd>?</kbd></summary>
<dl class="pairs">${keys.map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${text}</dd>\n`)}</dl>
<p>${say('key_never')}</p>
<label class="choice"><input type="checkbox" checked> <span>${say('keys_on')}</span></label>
</details>\n`;
}
