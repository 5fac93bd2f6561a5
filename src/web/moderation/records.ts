import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatTime } from '../../platform/pages/catalog.ts';
import { foreignText } from '../../platform/pages/text-language.ts';
import { readLog } from '../../oversight/audit/audit.ts';
import { AuditQuery, type AuditLine } from '../../oversight/audit/schema.ts';
import { listWarnings } from '../../oversight/warnings/warnings.ts';
import { WarningListQuery, type Warning } from '../../oversight/warnings/schema.ts';
import {
  checkInput,
  omitEmpty,
  listOf,
  type OwnView,
  type Site,
  type PageHandler,
} from '../site/site.ts';
import type { AdminUser } from '../../oversight/users/schema.ts';
import { moderationPage, nameOf, sayOf } from './moderation-layout.ts';
import { moderationTexts, type ModerationText } from './texts.ts';

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

/** Acts of moderators and administrators, as sentences. */
const auditPage: PageHandler = async (view, { query }) => {
  const say = sayOf(view);
  const { action, actor_id, target_id, cursor } = query;
  const filter = checkInput(AuditQuery, omitEmpty({ action, actor_id, target_id, cursor }));
  const page = await readLog(view.ctx, filter);
  return moderationPage(view, {
    section: 'audit',
    title: say('audit'),
    query,
    main: html`${
      (action || actor_id || target_id) &&
      html`<p><a href="${auditPath}">${say('all_acts')}</a></p>\n`
    }${listOf(view, page, {
      item: (line) => auditItem(view, line),
      empty: html`<p class="quiet">${say('none_found')}</p>`,
    })}`,
  });
};

function auditItem(view: OwnView, line: AuditLine): Html {
  const say = sayOf(view);
  const { actor, target_id, details, action } = line;
  const { reason, ...others } = details as { reason?: string } & Record<string, unknown>;
  const links = [
    [`action=${action}`, say('same_act')],
    actor && [`actor_id=${actor.id}`, say('same_actor')],
    target_id && [`target_id=${target_id}`, say('same_target')],
  ].filter((link) => link !== null);
  return html`<li><p>${sentenceOf(view, line)}</p>
${reason && html`<p class="plain-text" dir="auto">${reason}</p>\n`}<div class="row small quiet"><span>${formatTime(view.language, new Date(line.created_at))}</span>
${links.map(([filter, label]) => html`<a href="${auditPath}?${filter}">${label}</a>\n`)}</div>
<details class="small"><summary>${say('details')}</summary>
<dl><dt><code>${action}</code></dt><dd><code>${line.target_type} ${target_id}</code></dd>
${Object.entries(others)
  .filter(([, value]) => value !== null)
  .map(
    ([name, value]) => html`<dt><code>${name}</code></dt><dd><code>${String(value)}</code></dd>\n`,
  )}</dl></details></li>
`;
}

/** What was done, by whom, to what. An act without a text of its own is named by its code. */
function sentenceOf(view: OwnView, { action, actor, subject, details }: AuditLine): Html | string {
  const say = sayOf(view);
  const name = `did_${action.replaceAll('.', '_')}`;
  const values = {
    ...(details as Record<string, string>),
    who: html`<strong>${nameOf(view, actor)}</strong>`,
    what: subject
      ? linkTo(view, subject)
      : say(isForAll(action, details) ? 'all_petitions' : 'what_is_gone'),
  };
  if (action === 'user.role') {
    const { to } = details as { to: AdminUser['role'] };
    return say('did_user_role', { ...values, role: say(`role_${to}`) });
  }
  return isText(name)
    ? say(name, values)
    : html`${values.who}: <code>${action}</code> ${values.what}`;
}

const isText = (name: string): name is ModerationText => name in moderationTexts.en;

/** Whether the act is about a signing block that holds for all petitions. */
const isForAll = (action: string, details: object): boolean =>
  action.startsWith('signing_block.') && 'petition_id' in details && details.petition_id === null;

const subjectPaths: Partial<Record<NonNullable<AuditLine['subject']>['type'], string>> = {
  petition: '/moderation/petitions',
  user: '/moderation/users',
};

function linkTo(
  view: OwnView,
  { type, id, name, language = null }: NonNullable<AuditLine['subject']>,
): Html {
  const named = foreignText(name, language, view.language);
  const path = subjectPaths[type];
  return path ? html`<a href="${path}/${id}">${named}</a>` : named;
}
