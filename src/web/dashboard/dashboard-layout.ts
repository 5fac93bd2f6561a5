import { addressAsTyped } from '../../identity/accounts/accounts.ts';
import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { asset } from '../../platform/pages/assets.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { validationFailed } from '../../platform/problems.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { isPublished, type PetitionPermissions } from '../../campaigns/petitions/policy.ts';
import { PetitionRef, type Petition } from '../../campaigns/petitions/schema.ts';
import {
  draftScript,
  pictureScript,
  actionForm,
  isOwnView,
  panel,
  postForm,
  sitePage,
  statusBadge,
  tabs,
  textOf,
  type Fields,
  type FormState,
  type View,
} from '../site/site.ts';
import { earlierAccountNotice } from '../account/account.ts';
import { streamScript } from '../../reach/realtime/realtime.ts';
import { dashboardTexts } from './texts.ts';

export const dashboardStyles = asset(new URL('dashboard.css', import.meta.url));
/** Keeps counts up to date. */
export const dashboardScript = asset(new URL('dashboard.js', import.meta.url));

/** Entries of the menu of the dashboard. */
const campaignSections = ['petitions', 'organizations'] as const;
/** The same on pages of developers, to which the settings lead. */
const developerSections = ['webhooks', 'keys', 'applications'] as const;
export type DashboardSection =
  | (typeof campaignSections)[number]
  | (typeof developerSections)[number];

interface DashboardPage {
  title: Content;
  current: DashboardSection;
  main: Content;
}

/** A page of the dashboard, with its menu. */
export async function dashboardPage(
  view: View,
  { title, current, main }: DashboardPage,
): Promise<RawAnswer> {
  const say = speak(dashboardTexts, view.language);
  const links: Record<DashboardSection, [href: string, text: Html]> = {
    petitions: ['/dashboard', view.say('my_petitions')],
    organizations: ['/dashboard/organizations', view.say('my_organizations')],
    webhooks: ['/dashboard/webhooks', say('webhooks')],
    keys: ['/dashboard/keys', say('keys')],
    applications: ['/dashboard/applications', say('applications')],
  };
  const isDeveloper = developerSections.some((one) => one === current);
  const { organizations } = view.ctx.site.current.modules;
  const menu = isDeveloper
    ? developerSections
    : campaignSections.filter((section) => section !== 'organizations' || organizations);
  return sitePage(view, {
    title,
    width: 'wide',
    styles: [dashboardStyles],
    scripts: [streamScript, dashboardScript, pictureScript, draftScript],
    main: html`<div class="columns start">
<nav aria-label="${say('dashboard')}"><ul class="side">
${menu.map((section) => {
  const [href, text] = links[section];
  return html`<li><a href="${href}"${attribute('aria-current', section === current && 'true')}>${text}</a></li>\n`;
})}${isDeveloper && html`<li><a href="/settings#developer">${view.say('settings')}</a></li>\n`}</ul></nav>
<div>
${!isDeveloper && unverifiedNotice(view)}${!isDeveloper && isOwnView(view) && (await earlierAccountNotice(view))}${main}</div>
</div>`,
  });
}

/** Says what an address that is not confirmed prevents, before somebody tries it. */
function unverifiedNotice(view: View): Html | false {
  const user = view.viewer?.user;
  if (!user || user.email_verified_at !== null) return false;
  const say = speak(dashboardTexts, view.language);
  return html`<p class="notice warn">${say('unverified', { email: html`<bdi>${addressAsTyped(user)}</bdi>` })} <a href="/settings">${say('unverified_link')}</a></p>\n`;
}

/** Paths of the pages about a petition, below that of the overview. */
const tabPaths = {
  overview: '',
  edit: '/edit',
  updates: '/updates',
  makers: '/decision-makers',
  organizers: '/organizers',
  figures: '/figures',
  promote: '/promotion',
  finish: '/finish',
};
export type Tab = keyof typeof tabPaths;
const tabNames = Object.keys(tabPaths) as Tab[];
/** Pages of a petition that was never published. */
const unpublishedTabs: ReadonlySet<Tab> = new Set([
  'overview',
  'edit',
  'makers',
  'organizers',
  'finish',
]);
/** What each page about a petition takes, beside the overview, which all have who see it in the dashboard. */
const tabNeeds: Record<Exclude<Tab, 'overview'>, keyof PetitionPermissions> = {
  edit: 'canEdit',
  updates: 'isOrganizer',
  makers: 'canEdit',
  organizers: 'isOrganizer',
  figures: 'canReadAnalytics',
  promote: 'isCreator',
  finish: 'isCreator',
};

/** The route of a page or form about a petition, by its path below that of the overview. */
export const petitionRoute = (path: string) =>
  ({ path: `/dashboard/petitions/{id}${path}`, access: 'user', params: PetitionRef }) as const;

/** Path of a page about a petition. */
export const petitionPath = ({ id }: Pick<Petition, 'id'>, tab: Tab = 'overview'): string =>
  pathOf`/dashboard/petitions/${id}` + tabPaths[tab];

interface PetitionPage {
  current: Tab;
  main: Content;
  /** What the viewer may do; by default what the creator may. */
  may?: PetitionPermissions;
}

const creatorsPermissions: PetitionPermissions = {
  isCreator: true,
  canEdit: true,
  isOrganizer: true,
  canRead: true,
  canReadAnalytics: true,
  canExportSignatures: true,
};

/** A page of the dashboard about one petition. */
export function petitionPage(
  view: View,
  petition: Petition,
  { current, main, may = creatorsPermissions }: PetitionPage,
): Promise<RawAnswer> {
  const say = speak(dashboardTexts, view.language);
  const published = isPublished(petition);
  const shownTabs = tabNames
    .filter((tab) => published || unpublishedTabs.has(tab))
    .filter((tab) => tab === 'overview' || may[tabNeeds[tab]])
    .filter((tab) => tab !== 'promote' || takesPromotions(view))
    .map((tab) => ({
      href: petitionPath(petition, tab),
      label: say(tab),
      isCurrent: tab === current,
    }));
  const pagePath = published
    ? may.canRead && `/p/${petition.slug}`
    : may.isCreator && `/start/${petition.id}/preview`;
  return dashboardPage(view, {
    title: view.say('labelled', { label: say(current), value: petition.title }),
    current: 'petitions',
    main: html`<h1${languageAttributes(petition.language, view.language)}>${petition.title}</h1>
<p class="row">${statusBadge(view, petition.status)} ${pagePath && html`<a href="${pagePath}">${say('see_page')}</a>`}</p>
<nav aria-label="${petition.title}">${tabs(shownTabs)}</nav>
${main}`,
  });
}

const takesPromotions = ({ ctx }: View): boolean =>
  ctx.config.takesPayments && ctx.site.current.modules.promotion;

type ButtonKind = '' | 'second' | 'danger' | 'large';

/** A label that names what it is about, to screen readers. */
export const namedLabel = (text: Content, name: string, attributes = html` dir="auto"`): Html =>
  html`${text}<span class="visually-hidden"${attributes}> ${name}</span>`;

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

interface DeletionPanel {
  title: Html;
  /** What is deleted. */
  text: Html;
  action: string;
  /** Label of the box to tick. */
  confirmation: Html;
  submit: Html;
}

/** A form for deleting something, with a box to tick first. */
export const deletionPanel = (
  view: View,
  state: FormState,
  { title, text, confirmation, ...form }: DeletionPanel,
): Html =>
  panel(
    title,
    html`<p>${text}</p>
${postForm(view, state, {
  ...form,
  fields: html`<label class="choice"><input type="checkbox" name="sure" value="on" required> <span>${confirmation}</span></label>\n`,
  buttonClass: 'danger',
})}`,
  );

/** @throws {Problem} validation-failed if the box of the form was not ticked */
export function requireConfirmation(fields: Fields): void {
  if (textOf(fields, 'sure') === 'on') return;
  throw validationFailed({ field: 'sure', message: 'Tick the box first.', code: 'required' });
}
