import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { isPublished, type Powers } from '../../campaigns/petitions/petitions.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { streamScript } from '../../reach/realtime/realtime.ts';
import { formToken, pictureScript, sitePage, statusBadge, type View } from '../site/site.ts';
import { dashboardScript, dashboardStyles } from './assets.ts';
import { dashboardTexts } from './texts.ts';

/** Parts of the dashboard, as its menu names them. */
export type DashboardSection = 'petitions' | 'organizations' | 'webhooks' | 'keys' | 'applications';

interface DashboardPage {
  title: Content;
  current: DashboardSection;
  main: Content;
}

/** A page of the dashboard, with its menu beside it. */
export function dashboardPage(view: View, { title, current, main }: DashboardPage): RawAnswer {
  const say = speak(dashboardTexts, view.language);
  const link = (place: DashboardSection, href: string, text: Html) =>
    html`<li><a href="${href}"${attribute('aria-current', place === current && 'true')}>${text}</a></li>\n`;
  return sitePage(view, {
    title,
    width: 'wide',
    styles: [dashboardStyles],
    scripts: [streamScript, dashboardScript, pictureScript],
    main: html`<div class="columns start">
<nav aria-label="${say('desk')}"><ul class="side">
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

const tabs = ['overview', 'edit', 'updates', 'makers', 'figures', 'promote', 'finish'] as const;
type Tab = (typeof tabs)[number];
const places: Record<Tab, string> = {
  overview: '',
  edit: '/edit',
  updates: '/updates',
  makers: '/decision-makers',
  figures: '/figures',
  promote: '/promotion',
  finish: '/finish',
};
/** What makes sense before a petition was published. */
const beforehand: ReadonlySet<Tab> = new Set(['overview', 'edit', 'makers', 'finish']);
/** What whoever may not change a petition has of it. */
const toLookAt: ReadonlySet<Tab> = new Set(['overview', 'figures']);

/** Where the dashboard has a petition. */
export const petitionPath = ({ id }: Pick<Petition, 'id'>, tab: Tab = 'overview'): string =>
  pathOf`/dashboard/petitions/${id}` + places[tab];

interface PetitionPage {
  current: Tab;
  main: Content;
  /** Of who looks; what its creator may, unless said. */
  may?: Pick<Powers, 'change' | 'read'>;
}

/** A page of the dashboard about one petition. */
export function petitionPage(
  view: View,
  petition: Petition,
  { current, main, may = { change: true, read: true } }: PetitionPage,
): RawAnswer {
  const say = speak(dashboardTexts, view.language);
  const published = isPublished(petition);
  const shown = tabs
    .filter((tab) => published || beforehand.has(tab))
    .filter((tab) => may.change || toLookAt.has(tab));
  const page = published
    ? may.read && `/p/${petition.slug}`
    : may.change && `/start/${petition.id}/preview`;
  return dashboardPage(view, {
    title: view.say('labelled', { label: say(current), value: petition.title }),
    current: 'petitions',
    main: html`<h1 dir="auto">${petition.title}</h1>
<p class="row">${statusBadge(view, petition.status)} ${page && html`<a href="${page}">${say('see_page')}</a>`}</p>
<nav aria-label="${petition.title}"><ul class="tabs">
${shown.map(
  (tab) =>
    html`<li><a href="${petitionPath(petition, tab)}"${attribute('aria-current', tab === current && 'page')}>${say(tab)}</a></li>\n`,
)}</ul></nav>
${main}`,
  });
}

/** A button that does something at once. */
export const act = (
  view: View,
  action: string,
  label: Content,
  kind: '' | 'second' | 'danger' | 'large' = 'second',
): Html =>
  html`<form method="post" action="${action}">${formToken(view)}<button class="${kind}">${label}</button></form>\n`;
