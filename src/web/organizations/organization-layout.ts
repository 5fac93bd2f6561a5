import { html, type Content } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  isAdminRole,
  ownOrganization,
  type OwnOrganization,
} from '../../identity/organizations/organizations.ts';
import { OrganizationRef, type Organization } from '../../identity/organizations/schema.ts';
import { dashboardPage } from '../dashboard/dashboard.ts';
import { doneNotice, tabs, type OwnView } from '../site/site.ts';
import { organizationTexts } from './texts.ts';

/**
 * An organization with the role of the viewer.
 * @throws {Problem} not-found if the viewer is not a member
 */
export const organizationOf = ({ ctx, viewer }: OwnView, ref: string): Promise<OwnOrganization> =>
  ownOrganization(ctx, viewer.caller, ref);

const tabNames = ['overview', 'petitions', 'edit', 'members'] as const;
type Tab = (typeof tabNames)[number];
/** Pages for the owner and admins. */
const adminTabs: ReadonlySet<Tab> = new Set(['petitions', 'edit']);

/** Pages about the viewer's organizations. */
export const organizationsPath = '/dashboard/organizations';

/** The route of a page or form about an organization, by its path below that of the overview. */
export const organizationRoute = (path: string) =>
  ({
    path: `${organizationsPath}/{org_id}${path}`,
    access: 'user',
    params: OrganizationRef,
  }) as const;

/** Path of a page about an organization. */
export const organizationPath = (
  { slug }: Pick<Organization, 'slug'>,
  tab: Tab = 'overview',
): string => pathOf`/dashboard/organizations/${slug}` + (tab === 'overview' ? '' : `/${tab}`);

/** Says what was just done. */
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
  own: OwnOrganization,
  { current, main }: { current: Tab; main: Content },
): Promise<RawAnswer> {
  const say = speak(organizationTexts, view.language);
  const { organization, role } = own;
  return dashboardPage(view, {
    title: view.say('labelled', { label: say(current), value: organization.name }),
    current: 'organizations',
    main: html`<h1 dir="auto">${organization.name}</h1>
<p class="row"><span class="badge">${say(`role_${role}`)}</span>${
      organization.verified && html` <span class="badge good">${say('verified')}</span>`
    } <a href="/o/${organization.slug}">${say('see_page')}</a></p>
<nav aria-label="${organization.name}">${tabs(
      tabNames
        .filter((tab) => isAdminRole(role) || !adminTabs.has(tab))
        .map((tab) => ({
          href: organizationPath(organization, tab),
          label: say(tab),
          isCurrent: tab === current,
        })),
    )}</nav>
${main}`,
  });
}
