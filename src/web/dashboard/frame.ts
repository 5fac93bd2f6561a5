import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { isPublished, type PetitionPermissions } from '../../campaigns/petitions/policy.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import {
  pictureScript,
  actionForm,
  panel,
  sitePage,
  statusBadge,
  tabs,
  type View,
} from '../site/site.ts';
import { streamScript } from '../../reach/realtime/realtime.ts';
import { dashboardScript, dashboardStyles } from './assets.ts';
import { dashboardTexts } from './texts.ts';

/** Entries of the menu of the dashboard. */
export type DashboardSection = 'petitions' | 'organizations' | 'webhooks' | 'keys' | 'applications';

interface DashboardPage {
  title: Content;
  current: DashboardSection;
  main: Content;
}

/** A page of the dashboard, with its menu. */
export function dashboardPage(view: View, { title, current, main }: DashboardPage): RawAnswer {
  const say = speak(dashboardTexts, view.language);
  const link = (section: DashboardSection, href: string, text: Html) =>
    html`<li><a href="${href}"${attribute('aria-current', section === current && 'true')}>${text}</a></li>\n`;
  return sitePage(view, {
    title,
    width: 'wide',
    styles: [dashboardStyles],
    scripts: [streamScript, dashboardScript, pictureScript],
    main: html`<div class="columns start">
<nav aria-label="${say('dashboard')}"><ul class="side">
${link('petitions', '/dashboard', view.say('my_petitions'))}${link(
      'organizations',
      '/dashboard/organizations',
      view.say('my_organizations'),
    )}${link('webhooks', '/dashboard/webhooks', say('webhooks'))}${link('keys', '/dashboard/keys', say('keys'))}${link(
      'applications',
      '/dashboard/applications',
      say('applications'),
    )}</ul></nav>
<div>
${main}</div>
</div>`,
  });
}

const tabNames = ['overview', 'edit', 'updates', 'makers', 'figures', 'promote', 'finish'] as const;
type Tab = (typeof tabNames)[number];
const paths: Record<Tab, string> = {
  overview: '',
  edit: '/edit',
  updates: '/updates',
  makers: '/decision-makers',
  figures: '/figures',
  promote: '/promotion',
  finish: '/finish',
};
/** Pages of a petition that was never published. */
const unpublishedTabs: ReadonlySet<Tab> = new Set(['overview', 'edit', 'makers', 'finish']);
/** Pages for those who may not change the petition. */
const readOnlyTabs: ReadonlySet<Tab> = new Set(['overview', 'figures']);

/** Route of the pages about a petition. */
export const petitionRoute = '/dashboard/petitions/{id}';

/** Path of a page about a petition. */
export const petitionPath = ({ id }: Pick<Petition, 'id'>, tab: Tab = 'overview'): string =>
  pathOf`/dashboard/petitions/${id}` + paths[tab];

interface PetitionPage {
  current: Tab;
  main: Content;
  /** What the viewer may do; by default what the creator may. */
  may?: Pick<PetitionPermissions, 'canEdit' | 'canRead'>;
}

/** A page of the dashboard about one petition. */
export function petitionPage(
  view: View,
  petition: Petition,
  { current, main, may = { canEdit: true, canRead: true } }: PetitionPage,
): RawAnswer {
  const say = speak(dashboardTexts, view.language);
  const published = isPublished(petition);
  const shownTabs = tabNames
    .filter((tab) => published || unpublishedTabs.has(tab))
    .filter((tab) => may.canEdit || readOnlyTabs.has(tab))
    .map((tab) => ({
      href: petitionPath(petition, tab),
      label: say(tab),
      isCurrent: tab === current,
    }));
  const pagePath = published
    ? may.canRead && `/p/${petition.slug}`
    : may.canEdit && `/start/${petition.id}/preview`;
  return dashboardPage(view, {
    title: view.say('labelled', { label: say(current), value: petition.title }),
    current: 'petitions',
    main: html`<h1 dir="auto">${petition.title}</h1>
<p class="row">${statusBadge(view, petition.status)} ${pagePath && html`<a href="${pagePath}">${say('see_page')}</a>`}</p>
<nav aria-label="${petition.title}">${tabs(shownTabs)}</nav>
${main}`,
  });
}

type ButtonKind = '' | 'second' | 'danger' | 'large';

/** A form that is only its button. */
export const actionButton = (
  view: View,
  action: string,
  submit: Content,
  buttonClass: ButtonKind = 'second',
): Html => actionForm(view, { action, submit, buttonClass });

interface ActionPanel {
  title: Html;
  /** What the button does. */
  text: Content;
  action: string;
  /** Label of the button; the title unless given. */
  label?: Html;
  kind?: ButtonKind;
}

/** A box with a button and what it does. */
export const actionPanel = (
  view: View,
  { title, text, action, label = title, kind }: ActionPanel,
): Html => panel(title, html`<p>${text}</p>\n${actionButton(view, action, label, kind)}`);
