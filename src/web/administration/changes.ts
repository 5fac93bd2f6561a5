import { html, type Content } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatTime } from '../../platform/pages/catalog.ts';
import { logoAddress } from '../../platform/site/icons.ts';
import type { Logo } from '../../platform/site/profile.ts';
import type { SiteChange } from '../../oversight/site-settings/schema.ts';
import { SiteChangeRef } from '../../oversight/site-settings/schema.ts';
import { listChanges, undoChange } from '../../oversight/site-settings/site-settings.ts';
import {
  actionForm,
  listOf,
  pageOf,
  type FormHandler,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import { administrationPage, sayOf } from './administration.ts';

const path = '/admin/site/changes';
const access = 'admin';

/** What was changed, by whom, and buttons that undo it. */
export const changeRoutes = (site: Site): Route[] => [
  ...site.page({ id: 'showSiteChanges', path, access, show: changesPage }),
  site.form({
    id: 'submitUndoSiteChange',
    path: `${path}/{id}/undo`,
    access,
    params: SiteChangeRef,
    act: undo,
  }),
];

const changesPage: PageHandler = async (view, { query }) => {
  const say = sayOf(view);
  const changes = await listChanges(view.ctx, pageOf(query));
  return administrationPage(view, {
    section: 'changes',
    title: say('changes'),
    main: listOf(view, changes, {
      item: (change) => changeItem(view, change),
      empty: html`<p>${say('no_changes')}</p>`,
    }),
  });
};

function changeItem(view: OwnView, change: SiteChange) {
  const say = sayOf(view);
  const by = change.changed_by
    ? html`<bdi>${change.changed_by.display_name}</bdi>`
    : view.say('erased_user');
  return html`<li class="row between"><div><p><strong>${settingLabel(view, change.name)}</strong></p>
<p>${say('changed_from_to', { before: valueText(view, change.before), after: valueText(view, change.after) })}</p>
<p class="quiet">${formatTime(view.language, new Date(change.changed_at))} · ${by}</p></div>
${actionForm(view, {
  action: `${path}/${change.id}/undo`,
  submit: say('undo'),
  submitLabel: say('undo_of', { setting: settingLabel(view, change.name) }),
  buttonClass: 'second',
})}</li>
`;
}

const labels = {
  name: 'name',
  tagline: 'tagline',
  accent: 'accent',
  logo: 'logo',
  languages: 'languages',
  default_language: 'default_language',
  contact_email: 'contact_email',
  mail_from_name: 'mail_from_name',
  mail_reply_to: 'mail_reply_to',
  signup: 'signup_label',
  moderation: 'moderation_label',
  signature_policy: 'signature_policy_label',
  modules: 'modules',
} as const;

const settingLabel = (view: OwnView, name: string): Content =>
  name in labels ? sayOf(view)(labels[name as keyof typeof labels]) : name;

/** A value of a setting, as it is stored. */
function valueText(view: OwnView, value: unknown): Content {
  const say = sayOf(view);
  if (value === null) return say('as_by_itself');
  if (typeof value === 'string') return html`<q dir="auto">${value}</q>`;
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'object' && 'hash' in value) {
    return html`<img class="logo small" src="${logoAddress(value as Logo)}" alt="${say('logo')}">`;
  }
  const entries = Object.entries(value as Record<string, boolean>);
  return entries.map(([name, isOn]) => `${name}: ${isOn ? '✓' : '–'}`).join(', ');
}

const undo: FormHandler<SiteChangeRef> = async (view, { params }) => {
  await undoChange(view.ctx, view.viewer.caller, params.id);
  return '/admin/site?done=change_undone';
};
