import { attribute, html, type Content } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  isAdminRole,
  ownOrganization,
  type OwnOrganization,
} from '../../identity/organizations/organizations.ts';
import type { Organization } from '../../identity/organizations/schema.ts';
import { dashboardPage } from '../dashboard/dashboard.ts';
import { doneNotice, type OwnView } from '../site/site.ts';
import { organizationTexts } from './texts.ts';

/** An organization, and what the viewer is there. */
export type LedOrganization = OwnOrganization;

export const isLed = ({ role }: LedOrganization): boolean => isAdminRole(role);

/** @throws {Problem} not-found where the viewer is no member */
export const organizationOf = ({ ctx, viewer }: OwnView, ref: string): Promise<LedOrganization> =>
  ownOrganization(ctx, viewer.caller, ref);

const tabs = ['overview', 'petitions', 'edit', 'members'] as const;
type Tab = (typeof tabs)[number];
/** Of the owner and admins alone. */
const leading: ReadonlySet<Tab> = new Set(['petitions', 'edit']);

/** Where the dashboard has an organization. */
export const organizationPath = (
  { slug }: Pick<Organization, 'slug'>,
  tab: Tab = 'overview',
): string => pathOf`/dashboard/organizations/${slug}` + (tab === 'overview' ? '' : `/${tab}`);

/** What a page says was done. */
export const organizationNotice = (view: OwnView, { done }: Record<string, string>) =>
  doneNotice(speak(organizationTexts, view.language), done, [
    'done_saved',
    'done_added',
    'done_removed',
    'done_handed',
    'done_left',
    'done_deleted',
  ]);

/** A page of the dashboard about one organization. */
export function organizationPage(
  view: OwnView,
  team: LedOrganization,
  { current, main }: { current: Tab; main: Content },
): RawAnswer {
  const say = speak(organizationTexts, view.language);
  const { organization, role } = team;
  return dashboardPage(view, {
    title: view.say('labelled', { label: say(current), value: organization.name }),
    current: 'organizations',
    main: html`<h1 dir="auto">${organization.name}</h1>
<p class="row"><span class="badge">${say(`role_${role}`)}</span>${
      organization.verified && html` <span class="badge good">${say('verified')}</span>`
    } <a href="/o/${organization.slug}">${say('see_page')}</a></p>
<nav aria-label="${organization.name}"><ul class="tabs">
${tabs
  .filter((tab) => isLed(team) || !leading.has(tab))
  .map(
    (tab) =>
      html`<li><a href="${organizationPath(organization, tab)}"${attribute('aria-current', tab === current && 'page')}>${say(tab)}</a></li>\n`,
  )}</ul></nav>
${main}`,
  });
}
