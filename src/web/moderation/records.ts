import { html, type Content, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { formatNumber, formatTime } from '../../platform/pages/catalog.ts';
import {
  addSharedNetwork,
  listSharedNetworks,
  removeSharedNetwork,
} from '../../campaigns/signatures/signatures.ts';
import { readLog } from '../../oversight/audit/audit.ts';
import { AuditQuery } from '../../oversight/audit/schema.ts';
import { SharedNetworkInput } from '../../oversight/integrity/schema.ts';
import { readMetrics } from '../../oversight/metrics/metrics.ts';
import { listWarnings } from '../../oversight/warnings/warnings.ts';
import { WarningListQuery } from '../../oversight/warnings/schema.ts';
import {
  checkInput,
  field,
  formAlert,
  formToken,
  given,
  nextLink,
  numberIn,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
} from '../site/site.ts';
import { moderationPage, nameOf, sayOf } from './frame.ts';

/** Warnings, newest first. */
export async function warningsPage(
  view: OwnView,
  query: Record<string, string>,
): Promise<RawAnswer> {
  const say = sayOf(view);
  const { user_id = '', cursor } = query;
  const filter = checkInput(WarningListQuery, given({ user_id, cursor }));
  const { items, nextCursor } = await listWarnings(view.ctx, filter);
  const rows = items.map(
    (
      one,
    ) => html`<li><p><a href="/moderation/warnings?user_id=${one.user.id}"><bdi>${one.user.display_name}</bdi></a></p>
<p class="text" dir="auto">${one.message}</p>
<p class="small quiet">${say('warned_by', { name: nameOf(view, one.moderator) })} · ${formatTime(view.language, new Date(one.created_at))}</p></li>
`,
  );
  return moderationPage(view, {
    part: 'warnings',
    title: say('warnings'),
    query,
    main: html`${items.length === 0 && html`<p class="quiet">${say('none_found')}</p>`}<ul class="list">
${rows}</ul>
${nextLink(view, { nextCursor }, `/moderation/warnings?user_id=${encodeURIComponent(user_id)}`)}`,
  });
}

/** What moderators and administrators did. */
export async function auditPage(view: OwnView, query: Record<string, string>): Promise<RawAnswer> {
  const say = sayOf(view);
  const { action = '', cursor } = query;
  const filter = checkInput(AuditQuery, given({ action, cursor }));
  const { items, nextCursor } = await readLog(view.ctx, filter);
  const rows = items.map(
    (line) =>
      html`<tr><td>${formatTime(view.language, new Date(line.created_at))}</td><td>${nameOf(view, line.actor)}</td><td><a href="/moderation/audit?action=${line.action}">${line.action}</a></td><td>${line.target_type} <code>${line.target_id}</code></td><td><code>${JSON.stringify(line.details)}</code></td></tr>\n`,
  );
  return moderationPage(view, {
    part: 'audit',
    title: say('audit'),
    query,
    main: html`<div class="scroll" tabindex="0" role="region" aria-label="${say('audit')}"><table class="lines">
<thead><tr>${[say('when'), say('who'), say('what'), say('about'), say('details')].map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
<tbody>
${rows}</tbody></table></div>
${nextLink(view, { nextCursor }, `/moderation/audit?action=${encodeURIComponent(action)}`)}`,
  });
}

/** Figures of the service. */
export async function figuresPage(view: OwnView): Promise<RawAnswer> {
  const say = sayOf(view);
  const figures = await readMetrics(view.ctx);
  const { petitions, signatures, estimated } = figures;
  const figure = (label: Content, value: number, path: string): Html => {
    const number = formatNumber(view.language, value);
    return html`<div><dt>${label}</dt><dd class="figure">${
      estimated.includes(path) ? say('estimated', { number }) : number
    }</dd></div>\n`;
  };
  return moderationPage(view, {
    part: 'figures',
    title: say('figures'),
    main: html`<dl class="figures">${figure(say('users'), figures.users, 'users')}${(
      Object.keys(petitions) as (keyof typeof petitions)[]
    ).map((status) =>
      figure(
        view.say('labelled', { label: say('petitions'), value: view.say(`status_${status}`) }),
        petitions[status],
        `petitions.${status}`,
      ),
    )}${figure(say('total_signatures'), signatures.total, 'signatures.total')}${figure(
      say('today'),
      signatures.today,
      'signatures.today',
    )}${figure(say('last_week'), signatures.last_7_days, 'signatures.last_7_days')}${figure(
      say('comments'),
      figures.comments,
      'comments',
    )}${figure(say('reports'), figures.open_reports.count, 'open_reports.count')}${figure(
      say('jobs_waiting'),
      figures.jobs.waiting,
      'jobs.waiting',
    )}${figure(say('jobs_failed'), figures.jobs.failed, 'jobs.failed')}${figures.followers.map(
      (one) => figure(say('lag', { name: one.name }), one.lag_seconds, ''),
    )}</dl>`,
  });
}

/** Networks whose addresses may sign more often. */
export async function networksPage(
  view: OwnView,
  query: Record<string, string>,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const say = sayOf(view);
  const page = { cursor: query.cursor, limit: defaultLimit };
  const { items, nextCursor } = await listSharedNetworks(view.ctx, page);
  const rows = items.map(
    (
      one,
    ) => html`<li class="row between"><span><code>${one.network}</code> <span dir="auto">${one.note}</span>
<span class="quiet">${view.say('labelled', { label: say('limit'), value: one.limit })}</span></span>
<form method="post" action="/moderation/networks/${one.id}/remove">${formToken(view)}<button class="danger">${view.say('remove')}</button></form></li>
`,
  );
  return moderationPage(view, {
    part: 'networks',
    title: say('networks'),
    ...(state.problem && { status: state.problem.status }),
    query,
    main: html`${formAlert(view, state)}<ul class="list">
${rows}</ul>
${nextLink(view, { nextCursor }, '/moderation/networks')}
<form class="panel" method="post" action="/moderation/networks">${formToken(view)}
${field(view, state, { name: 'network', label: say('network'), required: true, maxLength: 50 })}${field(
      view,
      state,
      { name: 'note', label: say('note'), required: true, maxLength: 200 },
    )}${field(view, state, { name: 'limit', label: say('limit'), inputMode: 'numeric' })}<button>${say('add')}</button></form>`,
  });
}

/** Lets the addresses of a network sign more often. */
export async function addNetwork(view: OwnView, fields: Fields): Promise<RawAnswer> {
  const {
    network,
    note,
    limit = 200,
  } = checkInput(
    SharedNetworkInput,
    given({
      network: textOf(fields, 'network'),
      note: textOf(fields, 'note'),
      limit: numberIn(textOf(fields, 'limit')),
    }),
  );
  await addSharedNetwork(view.ctx, view.viewer.caller, { network, note, limit });
  return redirectTo(view.header, '/moderation/networks?done=decided', 303);
}

/** Puts the usual limit on a network again. */
export async function dropNetwork(view: OwnView, id: string): Promise<RawAnswer> {
  await removeSharedNetwork(view.ctx, view.viewer.caller, id);
  return redirectTo(view.header, '/moderation/networks?done=decided', 303);
}
