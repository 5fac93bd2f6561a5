import type { PageWorld, Role } from './page-world.ts';

/** One page in one state. */
export interface Shown {
  path: string;
  /** The logged-in person, if any. */
  as?: Role;
  /** Submits the form with the action `to` of the page; the state is the resulting page. */
  send?: { to: string; fields: Record<string, string> };
  /** Default: 200. */
  status?: number;
  /** Pages for developers are not translated. */
  onlyEnglish?: boolean;
}

/** Routes that redirect or download, though they declare pages. */
export const notPages = [
  '/dashboard/petitions/{id}/decision-makers/summary.csv',
  '/dashboard/petitions/{id}/decision-makers/summary.pdf',
  '/dashboard/petitions/{id}/signatures.csv',
  '/dashboard/petitions/{id}/signatures.json',
  '/notifications/{id}',
  '/p/{slug}/share/{place}',
  '/settings/data',
];

/** All pages by the path of their route, in every state that looks different. */
export function everyPage(world: PageWorld): Record<string, Shown[]> {
  return {
    ...openPages(world),
    ...petitionPages(world),
    ...accountPages(),
    ...createPetitionPages(world),
    ...dashboardPages(world),
    ...organizationPages(world),
    ...developerPages(world),
    ...moderationPages(world),
  };
}

/** The state after submitting the form with the action `to` and these fields. */
const sent = (path: string, to: string, fields: Record<string, string>, status?: number) => ({
  path,
  send: { to, fields },
  ...(status && { status }),
});

const openPages = (world: PageWorld) => ({
  '/': [{ path: '/' }, { path: '/', as: 'creator' as const }],
  '/petitions': [
    { path: '/petitions' },
    { path: '/petitions?q=river&country=GB' },
    { path: '/petitions?q=nothing+of+the+kind' },
  ],
  '/organizations': [{ path: '/organizations' }],
  '/o/{slug}': [{ path: `/o/${world.organization}` }],
  '/u/{slug}': [{ path: `/u/${world.person}` }],
  '/u/{slug}/signatures': [{ path: `/u/${world.person}/signatures` }],
  '/errors/{slug}': [{ path: '/errors/validation-failed', onlyEnglish: true }],
  '/embed/p/{slug}': [
    { path: `/embed/p/${world.petition}` },
    { path: `/embed/p/${world.victory}?theme=dark` },
  ],
  '/respond/{token}': [
    { path: `/respond/${world.portal}` },
    sent(`/respond/${world.portal}`, '', { body: '' }, 422),
    { path: `/respond/${world.answeredPortal}` },
    { path: '/respond/unknown', status: 404 },
  ],
  '/unsubscribe/{token}': [
    { path: `/unsubscribe/${world.unsubscribing}` },
    sent(`/unsubscribe/${world.unsubscribing}`, '', {}),
  ],
  '/oauth/authorize': [
    { path: `/oauth/authorize${world.authorization}` },
    { path: `/oauth/authorize${world.authorization}`, as: 'creator' as const },
    { path: '/oauth/authorize?client_id=unknown', status: 400 },
    sent(
      `/oauth/authorize${world.authorization}`,
      '/oauth/login',
      { email: 'nobody@example.org', password: 'wrong' },
      401,
    ),
  ],
  // An unknown path.
  '/nowhere': [{ path: '/nowhere', status: 404 }],
});

const petitionPages = (world: PageWorld) => {
  const { petition, victory, closed, hidden, comment, signing, pending } = world;
  const at = `/p/${petition}`;
  return {
    '/p/{slug}': [
      { path: at },
      { path: at, as: 'creator' as const },
      own(`/p/${world.colleague}`),
      { path: `${at}?done=signed`, as: 'newcomer' as const },
      sent(at, `${at}/sign`, { display_name: '', email: 'none' }, 422),
      { path: `/p/${victory}` },
      { path: `/p/${closed}` },
      { path: `/p/${hidden}`, status: 403 },
      { path: '/p/unknown', status: 404 },
    ],
    '/p/{slug}/updates': [{ path: `${at}/updates` }, { path: `/p/${closed}/updates` }],
    '/p/{slug}/victory': [{ path: `/p/${victory}/victory` }],
    '/p/{slug}/comments': [
      { path: `${at}/comments` },
      { path: `${at}/comments`, as: 'newcomer' as const },
      { path: `/p/${closed}/comments` },
      own(sent(`/p/${closed}/comments`, `/p/${closed}/comments`, { body: '' }, 422)),
    ],
    '/p/{slug}/comments/{id}': [
      { path: `${at}/comments/${comment}` },
      { path: `${at}/comments/${comment}`, as: 'creator' as const },
    ],
    '/p/{slug}/confirm': [
      { path: `${at}/confirm?token=${signing}` },
      { path: `${at}/confirm?id=${pending}` },
      sent(`${at}/confirm?id=${pending}`, `${at}/confirm`, { code: 'none' }, 422),
      { path: `${at}/confirm?token=unknown`, status: 410 },
    ],
    '/p/{slug}/report': [
      { path: `${at}/report`, as: 'newcomer' as const },
      { ...sent(`${at}/report`, `${at}/report`, { reason: '' }, 422), as: 'newcomer' as const },
    ],
  };
};

const accountPages = () => ({
  '/login': [
    { path: '/login' },
    sent('/login', '/login', { email: 'nobody@example.org', password: 'wrong' }, 401),
  ],
  '/register': [
    { path: '/register' },
    sent('/register', '/register', { display_name: '', email: 'none', password: 'short' }, 422),
  ],
  '/forgot-password': [{ path: '/forgot-password' }, { path: '/forgot-password?done=link_sent' }],
  '/reset-password': [
    { path: '/reset-password?token=x' },
    { path: '/reset-password' },
    sent('/reset-password?token=x', '/reset-password', { password: 'short' }, 422),
  ],
  '/verify-email': [
    { path: '/verify-email?token=x' },
    { path: '/verify-email' },
    sent('/verify-email?token=x', '/verify-email', { token: 'x' }, 410),
  ],
  '/goodbye': [{ path: '/goodbye' }],
  '/settings': [
    own('/settings'),
    { path: '/settings', as: 'newcomer' as const },
    own(sent('/settings', '/settings', { display_name: '' }, 422)),
    own(sent('/settings', '/settings/phone', { phone: '+447700900123' })),
    own(sent('/settings?done=code_sent', '/settings/phone/code', { code: '1' }, 422)),
  ],
  '/settings/erase': [
    own('/settings/erase'),
    own(sent('/settings/erase', '/settings/erase', { password: 'wrong' }, 403)),
  ],
  '/notifications': ownAndEmpty('/notifications'),
  '/signatures': ownAndEmpty('/signatures'),
  '/applications': ownAndEmpty('/applications'),
});

/** The page as the creator sees it. */
function own(page: string | Shown): Shown {
  return { ...(typeof page === 'string' ? { path: page } : page), as: 'creator' };
}

/** The page as the creator, who has data, and as a newcomer, who has none. */
const ownAndEmpty = (path: string): Shown[] => [own(path), { path, as: 'newcomer' }];

const createPetitionPages = ({ draft, organization }: PageWorld) => {
  const at = `/start/${draft}`;
  return {
    '/start': [
      own('/start'),
      own(`/start?organization=${organization}`),
      own(sent('/start', '/start', { title: '', description: '' }, 422)),
    ],
    '/start/{id}': [own(at)],
    '/start/{id}/details': [
      own(`${at}/details`),
      own(sent(`${at}/details`, `${at}/details`, { signatureGoal: '-1' }, 422)),
    ],
    '/start/{id}/people': [
      own(`${at}/people`),
      own(sent(`${at}/people`, `${at}/people`, { name: '', email: 'none' }, 422)),
    ],
    '/start/{id}/preview': [own(`${at}/preview`)],
  };
};

const dashboardPages = (world: PageWorld) => {
  const { petitionId, victoryId, update, maker, answeredMaker, draft } = world;
  const { colleagueId, secretId, leftId } = world;
  const at = `/dashboard/petitions/${petitionId}`;
  return {
    '/dashboard': [...ownAndEmpty('/dashboard'), own('/dashboard?status=closed')],
    '/dashboard/petitions': ownAndEmpty('/dashboard/petitions'),
    '/dashboard/petitions/{id}': [
      own(at),
      own(`/dashboard/petitions/${victoryId}`),
      own(`/dashboard/petitions/${draft}`),
      // Of others, for the creator's organization.
      ...[colleagueId, secretId, leftId].map((id) => own(`/dashboard/petitions/${id}`)),
    ],
    '/dashboard/petitions/{id}/figures': [
      own(`${at}/figures`),
      own(`/dashboard/petitions/${victoryId}/figures`),
      own(`/dashboard/petitions/${victoryId}/figures?until=today`),
      own(`/dashboard/petitions/${secretId}/figures`),
    ],
    '/dashboard/petitions/{id}/edit': [
      own(`${at}/edit`),
      own(sent(`${at}/edit`, `${at}/edit`, { title: '' }, 422)),
    ],
    '/dashboard/petitions/{id}/updates': [
      own(`${at}/updates`),
      own(sent(`${at}/updates`, `${at}/updates`, { title: '', body: '' }, 422)),
    ],
    '/dashboard/petitions/{id}/updates/{update}': [own(`${at}/updates/${update}`)],
    '/dashboard/petitions/{id}/decision-makers': [
      own(`${at}/decision-makers`),
      own(sent(`${at}/decision-makers`, `${at}/decision-makers`, { name: '' }, 422)),
      own(`/dashboard/petitions/${victoryId}/decision-makers`),
    ],
    '/dashboard/petitions/{id}/decision-makers/{maker}': [
      own(`${at}/decision-makers/${maker}`),
      own(`${at}/decision-makers/${answeredMaker}`),
    ],
    '/dashboard/petitions/{id}/promotion': [
      own(`${at}/promotion`),
      own(sent(`${at}/promotion`, `${at}/promotion`, { amount: '0' }, 422)),
    ],
    '/dashboard/petitions/{id}/finish': [
      own(`${at}/finish`),
      own(`/dashboard/petitions/${draft}/finish`),
      own(`/dashboard/petitions/${victoryId}/finish`),
    ],
  };
};

const organizationPages = ({ organization }: PageWorld) => {
  const all = '/dashboard/organizations';
  const at = `${all}/${organization}`;
  return {
    '/dashboard/organizations': [...ownAndEmpty(all), { path: all, as: 'admin' as const }],
    '/dashboard/organizations/new': [
      own(`${all}/new`),
      own(sent(`${all}/new`, `${all}/new`, { name: '' }, 422)),
    ],
    '/dashboard/organizations/{org_id}': ownAndEmpty(at),
    '/dashboard/organizations/{org_id}/petitions': [
      own(`${at}/petitions`),
      { path: `${at}/petitions`, as: 'newcomer' as const, status: 403 },
    ],
    '/dashboard/organizations/{org_id}/edit': [
      own(`${at}/edit`),
      own(sent(`${at}/edit`, `${at}/edit`, { website: 'none' }, 422)),
    ],
    '/dashboard/organizations/{org_id}/members': [
      ...ownAndEmpty(`${at}/members`),
      own(sent(`${at}/members`, `${at}/members`, { person: 'nobody-at-all' }, 422)),
    ],
  };
};

const developerPages = ({ key, hook, client }: PageWorld) => ({
  '/dashboard/webhooks': [
    ...ownAndEmpty('/dashboard/webhooks'),
    own(sent('/dashboard/webhooks', '/dashboard/webhooks', { url: 'none' }, 422)),
    own(
      sent('/dashboard/webhooks', '/dashboard/webhooks', {
        url: 'https://example.org/hook',
        events: 'petition.victory',
      }),
    ),
  ],
  '/dashboard/webhooks/{id}': [
    own(`/dashboard/webhooks/${hook}`),
    own(sent(`/dashboard/webhooks/${hook}`, `/dashboard/webhooks/${hook}/rotate`, {})),
  ],
  '/dashboard/keys': [
    ...ownAndEmpty('/dashboard/keys'),
    own(sent('/dashboard/keys', '/dashboard/keys', { name: '' }, 422)),
    own(sent('/dashboard/keys', '/dashboard/keys', { name: 'Another' })),
  ],
  '/dashboard/keys/{id}': [own(`/dashboard/keys/${key}`)],
  '/dashboard/applications': [
    ...ownAndEmpty('/dashboard/applications'),
    own(sent('/dashboard/applications', '/dashboard/applications', { name: '' }, 422)),
    own(
      sent('/dashboard/applications', '/dashboard/applications', {
        name: 'Another',
        redirect_uris: 'https://example.org/back',
        scopes: 'read:petitions',
        confidential: 'on',
      }),
    ),
  ],
  '/dashboard/applications/{id}': [own(`/dashboard/applications/${client}`)],
});

const moderationPages = ({ petitionId, reviewed, report, signer }: PageWorld) => {
  const at = `/moderation/petitions/${petitionId}`;
  const paths: Record<string, (string | Shown)[]> = {
    '/moderation': ['/moderation', '/moderation?status=actioned'],
    '/moderation/reports/{id}': [
      `/moderation/reports/${report}`,
      sent(`/moderation/reports/${report}`, `/moderation/reports/${report}`, { action: '' }, 422),
    ],
    '/moderation/petitions': ['/moderation/petitions'],
    '/moderation/petitions/{id}': [at, `/moderation/petitions/${reviewed}`],
    '/moderation/petitions/{id}/integrity': [
      `${at}/integrity`,
      sent(`${at}/integrity`, 'own-rule', { domain: 'example.org' }),
      sent(`${at}/integrity`, 'own-rule', { country: 'Nowhere' }, 422),
    ],
    '/moderation/users': ['/moderation/users', '/moderation/users?email=nobody'],
    '/moderation/users/{id}': [`/moderation/users/${signer}`],
    '/moderation/warnings': ['/moderation/warnings'],
    '/moderation/audit': ['/moderation/audit'],
    '/moderation/figures': ['/moderation/figures'],
    '/moderation/networks': [
      '/moderation/networks',
      sent('/moderation/networks', '/moderation/networks', { network: 'none' }, 422),
    ],
  };
  return Object.fromEntries(
    Object.entries(paths).map(([route, pages]): [string, Shown[]] => [
      route,
      pages.map((page) => ({ ...own(page), as: 'admin' })),
    ]),
  );
};
