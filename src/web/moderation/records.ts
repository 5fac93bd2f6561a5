import { html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatTime } from '../../platform/pages/catalog.ts';
import { readLog } from '../../oversight/audit/audit.ts';
import { AuditQuery } from '../../oversight/audit/schema.ts';
import { listWarnings } from '../../oversight/warnings/warnings.ts';
import { WarningListQuery, type Warning } from '../../oversight/warnings/schema.ts';
import {
  checkInput,
  omitEmpty,
  listOf,
  nextLink,
  type Site,
  type PageHandler,
} from '../site/site.ts';
import { moderationPage, nameOf, sayOf } from './frame.ts';

const warningsPath = '/moderation/warnings';
const auditPath = '/moderation/audit';

/** The warnings and the audit log. */
export const recordRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showWarnings',
    path: warningsPath,
    access: 'moderator',
    show: warningsPage,
  }),
  ...site.page({ id: 'showAuditLog', path: auditPath, access: 'admin', show: auditPage }),
];

/** Warnings, newest first. */
const warningsPage: PageHandler = async (view, { query }) => {
  const say = sayOf(view);
  const { user_id, cursor } = query;
  const filter = checkInput(WarningListQuery, omitEmpty({ user_id, cursor }));
  const page = await listWarnings(view.ctx, filter);
  const item = (
    one: Warning,
  ) => html`<li><p><a href="${warningsPath}?user_id=${one.user.id}"><bdi>${one.user.display_name}</bdi></a></p>
<p class="plain-text" dir="auto">${one.message}</p>
<p class="small quiet">${say('warned_by', { name: nameOf(view, one.moderator) })} · ${formatTime(view.language, new Date(one.created_at))}</p></li>
`;
  return moderationPage(view, {
    section: 'warnings',
    title: say('warnings'),
    query,
    main: listOf(view, page, { item, empty: html`<p class="quiet">${say('none_found')}</p>` }),
  });
};

/** Actions of moderators and administrators. */
const auditPage: PageHandler = async (view, { query }) => {
  const say = sayOf(view);
  const { action, cursor } = query;
  const filter = checkInput(AuditQuery, omitEmpty({ action, cursor }));
  const page = await readLog(view.ctx, filter);
  const rows = page.items.map(
    (line) =>
      html`<tr><td>${formatTime(view.language, new Date(line.created_at))}</td><td>${nameOf(view, line.actor)}</td><td><a href="${auditPath}?action=${line.action}">${line.action}</a></td><td>${line.target_type} <code>${line.target_id}</code></td><td><code>${JSON.stringify(line.details)}</code></td></tr>\n`,
  );
  return moderationPage(view, {
    section: 'audit',
    title: say('audit'),
    query,
    main: html`<div class="scroll" tabindex="0" role="region" aria-label="${say('audit')}"><table class="lines">
<thead><tr>${[say('when'), say('who'), say('what'), say('about'), say('details')].map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
<tbody>
${rows}</tbody></table></div>
${nextLink(view, page)}`,
  });
};
