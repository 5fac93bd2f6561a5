import type { PageWorld, Role } from './page-world.ts';

/** A page in one state. */
export interface PageState {
  path: string;
  /** A visitor who is not logged in by default. */
  as?: Role;
  /** What a form has just done, as in the query of a handler's address. */
  outcome?: string;
  /** Shows the result of the page's form with this id or action, sent with these fields. */
  send?: { to: string; fields: Record<string, string> };
  /** 200 by default. */
  status?: number;
  /** Pages for developers are not translated. */
  onlyEnglish?: boolean;
}

/** Routes that redirect, show the page of a form, or download a file. */
export const notPages = [
  '/continue',
  '/dashboard/petitions/{id}/decision-makers/summary.csv',
  '/dashboard/petitions/{id}/decision-makers/summary.pdf',
  '/dashboard/petitions/{id}/signatures.csv',
  '/dashboard/petitions/{id}/signatures.json',
  '/near',
  '/notifications/{id}',
  '/p/{slug}/sheet.pdf',
  '/settings/data',
  '/signatures/{id}/receipt',
  // As `/receipts/{token}/code`.
  '/signatures/{id}/receipt/code',
];

/** All pages by the path of their route, in every state that looks different. */
export function allPages(world: PageWorld): Record<string, PageState[]> {
  return {
    ...publicPages(world),
    ...petitionPages(world),
    ...accountPages(world),
    ...createPetitionPages(world),
    ...dashboardPages(world),
    ...organizationPages(world),
    ...developerPages(world),
    ...moderationPages(world),
  };
}

/** The result of the form with this action, sent with these fields. */
const sent = (path: string, to: string, fields: Record<string, string>, status?: number) => ({
  path,
  send: { to, fields },
  ...(status && { status }),
});

/** A form of what somebody changed since it was shown. */
const changedMeanwhile = (path: string, fields: Record<string, string>) =>
  own(sent(path, path, { ...fields, revision: 'another' }, 412));

const publicPages = (world: PageWorld) => ({
  // Its world has an administrator.
  '/setup': [{ path: '/setup?token=none', status: 410 }],
  '/': [{ path: '/' }, { path: '/', as: 'creator' as const }],
  '/petitions': [
    { path: '/petitions' },
    { path: '/petitions?q=river&country=GB' },
    { path: '/petitions?q=nothing+of+the+kind' },
  ],
  '/dev/design': [{ path: '/dev/design', onlyEnglish: true }],
  '/dev/mails': [{ path: '/dev/mails', onlyEnglish: true }],
  '/dev/mails/{kind}': [{ path: '/dev/mails/signing', onlyEnglish: true }],
  '/docs': [{ path: '/docs', onlyEnglish: true }],
  '/docs/guides/{name}': ['conventions', 'errors'].map((name) => ({
    path: `/docs/guides/${name}`,
    onlyEnglish: true,
  })),
  '/docs/{group}': ['admin', 'petitions'].map((group) => ({
    path: `/docs/${group}`,
    onlyEnglish: true,
  })),
  '/log': [{ path: '/log' }],
  '/about': [{ path: '/about' }, { path: '/about', as: 'admin' as const }],
  '/privacy': [{ path: '/privacy' }],
  '/terms': [{ path: '/terms' }, { path: '/terms?version=1' }],
  '/imprint': [{ path: '/imprint' }],
  '/accessibility': [{ path: '/accessibility' }],
  '/contact': [
    { path: '/contact' },
    { path: '/contact', outcome: 'done=sent' },
    own('/contact'),
    sent('/contact', '/contact', { name: '', email: 'none', message: '' }, 422),
  ],
  '/admin/site/pages': [{ path: '/admin/site/pages', as: 'admin' as const }],
  '/admin/site/pages/{page}/{language}': [
    { path: '/admin/site/pages/privacy/en', as: 'admin' as const },
    { path: '/admin/site/pages/terms/en', as: 'admin' as const },
    {
      ...sent('/admin/site/pages/imprint/de', '/admin/site/pages/imprint/de', { title: '' }, 422),
      as: 'admin' as const,
    },
  ],
  '/organizations': [{ path: '/organizations' }],
  '/o/{slug}': [{ path: `/o/${world.organization}` }],
  '/u/{slug}': [{ path: `/u/${world.person}` }],
  '/u/{slug}/report': [
    { path: `/u/${world.person}/report` },
    sent(`/u/${world.person}/report`, `/u/${world.person}/report`, { reason: '' }, 422),
  ],
  '/reports/confirm': [
    { path: `/reports/confirm?token=${world.reporting}` },
    { path: '/reports/confirm?token=unknown' },
    sent(`/p/${world.petition}/report`, `/p/${world.petition}/report`, {
      reason: 'spam',
      email: 'reader@example.org',
    }),
  ],
  '/reports/{id}': [{ path: `/reports/${world.report}` }],
  '/u/{slug}/signatures': [{ path: `/u/${world.person}/signatures` }],
  '/errors': [{ path: '/errors', onlyEnglish: true }],
  '/errors/{slug}': [{ path: '/errors/validation-failed', onlyEnglish: true }],
  '/embed/p/{slug}': [
    { path: `/embed/p/${world.petition}` },
    { path: `/embed/p/${world.victory}?theme=dark` },
  ],
  '/respond/{token}': [
    { path: `/respond/${world.portal}` },
    sent(`/respond/${world.portal}`, `/respond/${world.portal}/preview`, { body: '' }, 422),
    { path: `/respond/${world.answeredPortal}` },
    { path: `/respond/${world.renewedPortal}` },
    sent(
      `/respond/${world.renewedPortal}`,
      `/respond/${world.renewedPortal}/preview`,
      { body: '**Yes.**', status: 'opposed' },
      200,
    ),
    { path: '/respond/unknown', status: 404 },
  ],
  '/complaints/{token}': [
    { path: world.complaints.form },
    sent(world.complaints.form, world.complaints.form, { text: '' }, 422),
    ...world.complaints.others.map((path) => ({ path })),
    { path: '/complaints/unknown', status: 404 },
  ],
  '/receipts/{token}': [
    { path: `/receipts/${world.receipt}` },
    { path: '/receipts/unknown', status: 404 },
  ],
  '/receipts/{token}/code': [
    { path: `/receipts/${world.receipt}/code` },
    { path: '/receipts/unknown/code', status: 404 },
  ],
  '/receipts/{token}/file': [
    { path: `/receipts/${world.receipt}/file` },
    { path: '/receipts/unknown/file', status: 404 },
  ],
  '/mail/stop/{token}': [
    { path: `/mail/stop/${world.stopping}` },
    sent(`/mail/stop/${world.stopping}`, '', {}),
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
      { email: 'unknown@example.org', password: 'wrong' },
      401,
    ),
  ],
  // An unknown path.
  '/nowhere': [{ path: '/nowhere', status: 404 }],
});

const petitionPages = (world: PageWorld) => {
  const { petition, victory, closed, changed, hidden, removed } = world;
  const { comment, signing, pending } = world;
  const path = `/p/${petition}`;
  return {
    '/p/{slug}': [
      { path },
      { path, as: 'creator' as const },
      own(`/p/${world.colleague}`),
      { path, outcome: 'done=signed' },
      { path, outcome: 'done=signed&number=1481', as: 'newcomer' as const },
      sent(path, `${path}/sign`, { display_name: '', email: 'none' }, 422),
      sent(path, `${path}/sign`, { display_name: 'Ada', email: 'ada@gmial.com' }, 422),
      { path: `/p/${victory}` },
      { path: `/p/${closed}` },
      own(`/p/${closed}`),
      { path: `/p/${changed}` },
      { path: `/p/${hidden}`, status: 403 },
      { path: `/p/${removed}`, status: 404 },
      { path: '/p/unknown', status: 404 },
    ],
    '/p/{slug}/published': [own(`/p/${hidden}/published`)],
    '/p/{slug}/share/{place}': [
      { path: `${path}/share/mastodon` },
      { path: `${path}/share/mastodon?server=none`, status: 422 },
      { path: `${path}/share/signal`, as: 'newcomer' as const },
    ],
    '/p/{slug}/updates': [{ path: `${path}/updates` }, { path: `/p/${closed}/updates` }],
    '/p/{slug}/responses': [{ path: `${path}/responses` }, { path: `/p/${closed}/responses` }],
    '/p/{slug}/log': [
      { path: `${path}/log` },
      { path: `/p/${closed}/log`, as: 'creator' as const },
    ],
    '/p/{slug}/versions': [
      { path: `/p/${changed}/versions` },
      { path: `/p/${changed}/versions?from=2&to=4` },
      { path: `/p/${changed}/versions?from=5`, status: 404 },
      { path: `${path}/versions` },
    ],
    '/p/{slug}/victory': [{ path: `/p/${victory}/victory` }],
    '/p/{slug}/comments': [
      { path: `${path}/comments` },
      { path: `${path}/comments`, as: 'newcomer' as const },
      { path: `/p/${closed}/comments` },
      own(sent(`/p/${closed}/comments`, `/p/${closed}/comments`, { body: '' }, 422)),
    ],
    '/p/{slug}/comments/{id}': [
      { path: `${path}/comments/${comment}` },
      { path: `${path}/comments/${comment}`, as: 'creator' as const },
    ],
    '/p/{slug}/confirm': [
      { path: `${path}/confirm?token=${signing}` },
      { path: `${path}/confirm?id=${pending}` },
      sent(`${path}/confirm?id=${pending}`, `${path}/confirm`, { code: 'none' }, 422),
      sent(path, `${path}/sign`, { display_name: 'Grace', email: 'waiting@example.org' }),
      // It came back.
      sent(path, `${path}/sign`, {
        display_name: 'Grace',
        email: world.bouncing,
        is_anonymous: 'on',
      }),
      { path: `${path}/confirm?token=unknown` },
    ],
    '/p/{slug}/timeline': [{ path: `${path}/timeline` }],
    '/p/{slug}/contact': [
      { path: `${path}/contact`, as: 'newcomer' as const },
      own(`${path}/contact`),
    ],
    '/p/{slug}/report': [
      { path: `${path}/report` },
      { path: `${path}/report?comment=${comment}` },
      sent(`${path}/report`, `${path}/report`, { reason: '', email: 'none' }, 422),
      { path: `${path}/report`, as: 'newcomer' as const },
      { ...sent(`${path}/report`, `${path}/report`, { reason: '' }, 422), as: 'newcomer' as const },
    ],
  };
};

const accountPages = (world: PageWorld) => ({
  '/login': [
    { path: '/login' },
    sent('/login', '/login', { email: 'unknown@example.org', password: 'wrong' }, 401),
  ],
  '/login/code': [
    { path: '/login/code?challenge=unknown' },
    { path: `/login/code?challenge=${world.signIn.challenge}` },
    sent('/login', '/login/mail', { email: 'waiting@example.org' }),
    // It came back.
    sent('/login', '/login/mail', { email: world.bouncing }),
  ],
  '/login/link': [
    { path: `/login/link?token=${world.signIn.token}` },
    { path: `/login/link?token=${world.signIn.newToken}` },
    sent(`/login/link?token=${world.signIn.newToken}`, '/login/link', { display_name: ' ' }, 422),
    { path: `/login/link?token=${world.signIn.foreignToken}` },
    { path: '/login/link', outcome: 'done=link_refused' },
    { path: '/login/link?token=unknown', status: 410 },
  ],
  '/register': [
    { path: '/register' },
    sent('/register', '/register', { display_name: '', email: 'none', password: 'short' }, 422),
    sent(
      '/register',
      '/register',
      { display_name: 'Ada', email: 'ada@gmial.com', password: 'correct horse' },
      422,
    ),
  ],
  '/forgot-password': [
    { path: '/forgot-password' },
    { path: '/forgot-password', outcome: 'done=link_sent' },
  ],
  '/reset-password': [
    { path: '/reset-password?token=x' },
    { path: '/reset-password' },
    sent('/reset-password?token=x', '/reset-password', { password: 'short' }, 422),
  ],
  '/end-access': [
    { path: `/end-access?token=${world.endAccessToken}`, outcome: 'done=password_set' },
    { path: '/end-access?token=x', status: 410 },
  ],
  '/email/confirm': [
    { path: '/email/confirm?token=x' },
    { path: '/email/confirm' },
    { path: '/email/confirm', outcome: 'done=address_confirmed' },
    sent('/email/confirm?token=x', '/email/confirm', { token: 'x' }, 410),
  ],
  '/email/undo': [
    { path: '/email/undo?token=x' },
    { path: '/email/undo', outcome: 'done=address_undone' },
  ],
  '/settings/login': [
    own('/settings/login'),
    own(sent('/settings/login', '/settings/login/address', { email: 'none', password: '' }, 422)),
  ],
  '/verify-email': [
    { path: `/verify-email?token=${world.verifyToken}` },
    { path: '/verify-email?token=x', status: 410 },
    { path: '/verify-email' },
    { path: '/verify-email', outcome: 'done=verified' },
  ],
  '/earlier-account': [
    own('/earlier-account?next=%2Fsettings'),
    { path: '/earlier-account', as: 'newcomer' as const },
    own({ path: '/earlier-account', outcome: 'done=kept' }),
    own({ path: '/earlier-account', outcome: 'done=deleted' }),
  ],
  '/goodbye': [{ path: '/goodbye' }],
  '/settings': [
    own('/settings'),
    { path: '/settings', as: 'newcomer' as const },
    { path: '/settings', as: 'admin' as const },
    own(sent('/settings', '/settings', { display_name: '' }, 422)),
    changedMeanwhile('/settings', { display_name: 'Somebody else', show_signatures: 'on' }),
    own(sent('/settings', '/settings/phone', { phone: '+447700900123' })),
    own({
      ...sent('/settings', '/settings/phone/code', { code: '1' }, 422),
      outcome: 'done=code_sent',
    }),
  ],
  '/settings/sessions': [
    ...ownAndEmpty('/settings/sessions'),
    { ...own('/settings/sessions'), outcome: 'done=session_ended' },
  ],
  '/settings/erase': [
    own('/settings/erase'),
    own(sent('/settings/erase', '/settings/erase', { password: 'wrong' }, 403)),
  ],
  '/notifications': ownAndEmpty('/notifications'),
  '/signatures': ownAndEmpty('/signatures'),
  '/applications': ownAndEmpty('/applications'),
});

/** A page as the creator sees it. */
function own(page: string | PageState): PageState {
  return { ...(typeof page === 'string' ? { path: page } : page), as: 'creator' };
}

/** A page as the creator sees it with much content, and a newcomer with little or none. */
const ownAndEmpty = (path: string): PageState[] => [own(path), { path, as: 'newcomer' }];

const createPetitionPages = ({ draft, organization }: PageWorld) => {
  const path = `/start/${draft}`;
  return {
    '/start': [{ path: '/start' }, own('/start'), own(`/start?organization=${organization}`)],
    '/start/{id}': [own(path), own(sent(path, path, { title: '', description: '' }, 422))],
    '/start/{id}/details': [own(`${path}/details`)],
    '/start/{id}/preview': [own(`${path}/preview`)],
  };
};

const dashboardPages = (world: PageWorld) => {
  const { petitionId, victoryId, update, maker, answeredMaker, draft } = world;
  const { colleagueId, secretId, leftId } = world;
  const path = `/dashboard/petitions/${petitionId}`;
  return {
    '/dashboard': [...ownAndEmpty('/dashboard'), own('/dashboard?status=closed')],
    '/dashboard/organized': [
      own('/dashboard/organized'),
      { path: '/dashboard/organized', as: 'newcomer' as const },
    ],
    '/dashboard/petitions/{id}/organizers': [
      own(`${path}/organizers`),
      own(sent(`${path}/organizers`, `${path}/organizers`, { email: 'none', role: 'x' }, 422)),
      own(
        sent(
          `/dashboard/petitions/${world.organizedId}/organizers`,
          `/dashboard/petitions/${world.organizedId}/organizers/${world.organizer}/hand-over`,
          {},
          200,
        ),
      ),
      { path: `${path}/organizers`, as: 'newcomer' as const },
      { path: `/dashboard/petitions/${world.organizedId}/organizers`, as: 'newcomer' as const },
    ],
    '/organizers/{token}': [
      { path: `/organizers/${world.organizerInvitation}` },
      { path: `/organizers/${world.organizerInvitation}`, outcome: 'done=declined' },
      { path: '/organizers/unknown', status: 404 },
    ],
    '/organizers/{token}/accept': [
      { path: `/organizers/${world.organizerInvitation}/accept`, as: 'newcomer' as const },
    ],
    '/dashboard/petitions': ownAndEmpty('/dashboard/petitions'),
    '/dashboard/petitions/{id}': [
      own(path),
      own(`/dashboard/petitions/${victoryId}`),
      own(`/dashboard/petitions/${draft}`),
      // By colleagues for the creator's organization.
      ...[colleagueId, secretId, leftId].map((id) => own(`/dashboard/petitions/${id}`)),
      { path, as: 'newcomer' as const },
      { path: `/dashboard/petitions/${world.organizedId}`, as: 'newcomer' as const },
    ],
    '/dashboard/petitions/{id}/figures': [
      own(`${path}/figures`),
      own(`/dashboard/petitions/${victoryId}/figures`),
      own(`/dashboard/petitions/${victoryId}/figures?until=today`),
      own(`/dashboard/petitions/${secretId}/figures`),
    ],
    '/dashboard/petitions/{id}/edit': [
      own(`${path}/edit`),
      own(sent(`${path}/edit`, `${path}/edit`, { title: '' }, 422)),
      changedMeanwhile(`${path}/edit`, {
        title: 'Another title',
        tags: '',
        visibility: 'unlisted',
      }),
      { path: `${path}/edit`, as: 'newcomer' as const },
    ],
    '/dashboard/petitions/{id}/updates': [
      own(`${path}/updates`),
      own(sent(`${path}/updates`, `${path}/updates`, { title: '', body: '' }, 422)),
      own(sent(`${path}/updates`, `${path}/updates`, { title: 'News', body: 'It is *lit*.' }, 200)),
    ],
    '/dashboard/petitions/{id}/updates/{update}': [
      own(`${path}/updates/${update}`),
      changedMeanwhile(`${path}/updates/${update}`, { body: 'Something else.' }),
    ],
    '/dashboard/petitions/{id}/decision-makers': [
      own(`${path}/decision-makers`),
      own(sent(`${path}/decision-makers`, `${path}/decision-makers`, { name: '' }, 422)),
      own(`/dashboard/petitions/${victoryId}/decision-makers`),
    ],
    '/dashboard/petitions/{id}/decision-makers/{maker}': [
      own(`${path}/decision-makers/${maker}`),
      own(`${path}/decision-makers/${answeredMaker}`),
      own(
        sent(
          `${path}/decision-makers/${maker}`,
          `${path}/decision-makers/${maker}`,
          { message: 'The council meets on Monday.' },
          200,
        ),
      ),
    ],
    '/dashboard/petitions/{id}/promotion': [
      own(`${path}/promotion`),
      own(sent(`${path}/promotion`, `${path}/promotion`, { amount: '0' }, 422)),
    ],
    '/dashboard/petitions/{id}/finish': [
      own(`${path}/finish`),
      own(sent(`${path}/finish`, `${path}/victory`, { victory_message: 'It is lit.' }, 200)),
      own(sent(`${path}/finish`, `${path}/close`, {}, 200)),
      own(`/dashboard/petitions/${draft}/finish`),
      own(`/dashboard/petitions/${victoryId}/finish`),
    ],
  };
};

const organizationPages = ({ organization }: PageWorld) => {
  const all = '/dashboard/organizations';
  const path = `${all}/${organization}`;
  return {
    '/dashboard/organizations': [...ownAndEmpty(all), { path: all, as: 'admin' as const }],
    '/dashboard/organizations/new': [
      own(`${all}/new`),
      own(sent(`${all}/new`, `${all}/new`, { name: '' }, 422)),
    ],
    '/dashboard/organizations/{org_id}': ownAndEmpty(path),
    '/dashboard/organizations/{org_id}/petitions': [
      own(`${path}/petitions`),
      { path: `${path}/petitions`, as: 'newcomer' as const, status: 403 },
    ],
    '/dashboard/organizations/{org_id}/edit': [
      own(`${path}/edit`),
      own(sent(`${path}/edit`, `${path}/edit`, { website: 'none' }, 422)),
      changedMeanwhile(`${path}/edit`, { description: 'Something else.' }),
    ],
    '/dashboard/organizations/{org_id}/members': [
      ...ownAndEmpty(`${path}/members`),
      own(sent(`${path}/members`, `${path}/members`, { person: 'unknown-person' }, 422)),
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

const moderationPages = (world: PageWorld) => {
  const { petitionId, changedId, reviewed, report, changedReport, complaints, signer } = world;
  const complaint = `/moderation/complaints/${complaints.waiting}`;
  const path = `/moderation/petitions/${petitionId}`;
  const paths: Record<string, (string | PageState)[]> = {
    '/moderation': ['/moderation', '/moderation?status=actioned'],
    '/moderation/reports/{id}': [
      `/moderation/reports/${report}`,
      `/moderation/reports/${changedReport}`,
      sent(`/moderation/reports/${report}`, `/moderation/reports/${report}`, { action: '' }, 422),
    ],
    '/moderation/complaints': [
      '/moderation/complaints',
      '/moderation/complaints?status=upheld',
      '/moderation/complaints?status=reversed',
    ],
    '/moderation/complaints/{id}': [
      complaint,
      `/moderation/complaints/${complaints.decided}`,
      sent(complaint, complaint, { decision: '' }, 422),
    ],
    '/moderation/petitions': ['/moderation/petitions', '/moderation/petitions?status=changed'],
    '/moderation/petitions/{id}': [
      path,
      `/moderation/petitions/${reviewed}`,
      `/moderation/petitions/${changedId}`,
      sent(path, `${path}/redact`, { reason: '' }, 422),
    ],
    '/moderation/petitions/{id}/integrity': [
      `${path}/integrity`,
      sent(`${path}/integrity`, 'own-rule', { domain: 'example.org' }),
      sent(`${path}/integrity`, 'own-rule', { country: 'Nowhere' }, 422),
    ],
    '/moderation/petitions/{id}/held': [`${path}/held`],
    '/moderation/blocks': [
      '/moderation/blocks',
      `/moderation/blocks?petition_id=${petitionId}`,
      sent('/moderation/blocks', '/moderation/blocks', { value: 'none' }, 422),
    ],
    '/moderation/users': ['/moderation/users', '/moderation/users?search=unknown'],
    '/moderation/users/{id}': [`/moderation/users/${signer}`],
    '/moderation/warnings': ['/moderation/warnings'],
    '/moderation/audit': ['/moderation/audit'],
    '/moderation/figures': ['/moderation/figures'],
    '/moderation/networks': [
      '/moderation/networks',
      sent('/moderation/networks', '/moderation/networks', { network: 'none' }, 422),
    ],
    '/admin/site': [
      '/admin/site',
      sent('/admin/site', '/admin/site', { go: 'preview', accent: '#ffd400', tagline: 'Ours' }),
    ],
    '/admin/site/changes': ['/admin/site/changes'],
    '/admin/site/categories': ['/admin/site/categories'],
    '/admin/site/categories/{id}': [`/admin/site/categories/${world.category}`],
    '/admin/health': ['/admin/health'],
    '/admin/guide/{name}': ['/admin/guide/verifying-a-database'],
  };
  return Object.fromEntries(
    Object.entries(paths).map(([route, pages]): [string, PageState[]] => [
      route,
      pages.map((page) => ({ ...own(page), as: 'admin' })),
    ]),
  );
};
