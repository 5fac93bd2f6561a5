import { encodeCursor } from '../../src/platform/cursor.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { maxBodyBytes } from '../../src/platform/http/body-limits.ts';
import { formType } from '../../src/platform/http/headers.ts';
import { previewField, previewPath } from '../../src/platform/pages/editor.ts';
import { tileWidth } from '../../src/platform/transparency/tiles.ts';
import { worldMap } from '../../src/web/charts/world.ts';
import { fill, takes } from '../contract/fixtures.ts';
import type { WorkRequest } from './requester.ts';
import { logPages, longMarkdown, type LargeWorld } from './world.ts';

/** A request without its origin. */
export type Request = Partial<Omit<WorkRequest, 'url'>> & { path: string };

/** The costliest request of a route. `n` differs by call, so that no answer comes from a cache by its address. */
type Row = (world: LargeWorld, n: number) => Request;

/** A step of the draft of a stranger. */
const ofStrangersDraft =
  (step: string): Row =>
  ({ strangersDraft: { path, cookie } }, n) => ({
    path: `${path}${step}?n=${n}`,
    headers: { cookie },
  });

/** Words as long and many as a query takes. */
const words = (n: number): string =>
  Array.from({ length: 40 }, (_, index) => `w${(index * 7919 + n).toString(36)}`)
    .join(' ')
    .slice(0, 200);
/** Words that every petition of the world has. */
const commonWords = (n: number): string => `large river title words tag ${n}`;
const query = (parameters: Record<string, string | number>): string =>
  `?${new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)])).toString()}`;
const page = (n: number): string => query({ limit: 100 - n });
const tags = (n: number): string =>
  Array.from({ length: 10 }, (_, index) => `tag ${index + 1} ${n}`.padEnd(50, 'x')).join(',');

/** Every petition: a part ends by itself. */
const sitemapPart = encodeCursor('sitemap', [
  '0001-01-01T00:00:00.000Z',
  '00000000-0000-0000-0000-000000000000',
  '9999-12-31T23:59:59.999Z',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
]);

const at =
  (path: (world: LargeWorld, n: number) => string): Row =>
  (world, n) => ({
    path: path(world, n),
  });
/** Of pages whose work does not depend on what is asked. */
const plain = (path: string): Row => at((_, n) => `${path}${query({ n })}`);
const ofPetition = (rest: (n: number) => string): Row =>
  at(({ petition }, n) => `/v1/petitions/${petition}${rest(n)}`);
const ofPetitionPage = (rest: string): Row =>
  at(({ petition }, n) => `/p/${petition}${rest}${rest.includes('?') ? '&' : '?'}n=${n}`);
const unknownToken = (path: string): Row =>
  at((_, n) => `${path}?token=${`x${n}`.padEnd(199, 'y')}`);

/** The costliest request of every operation and page that reads and is open to everybody. */
export const reads: Record<string, Row> = {
  getProfile: at(({ person }, n) => `/v1/users/${person}${query({ n })}`),
  getKeys: plain('/.well-known/jwks.json'),
  getOAuthMetadata: plain('/.well-known/oauth-authorization-server'),
  askToStopMail: at(({ stopping }, n) => `/mail/stop/${stopping}${query({ n })}`),
  askToUnsubscribe: at(({ unsubscribing }, n) => `/unsubscribe/${unsubscribing}${query({ n })}`),
  getCaptcha: plain('/v1/captcha'),
  authorize: at(({ authorization }, n) => `/oauth/authorize${authorization}&n=${n}`),
  getSite: plain('/v1/site'),
  ...Object.fromEntries(
    ['About', 'Privacy', 'Terms', 'Imprint', 'Accessibility', 'Contact'].map((name) => [
      `show${name}Page`,
      at((_, n) => `/${name.toLowerCase()}${query({ n })}`),
    ]),
  ),
  listCategories: plain('/v1/categories'),
  listPetitions: at(
    (_, n) => `/v1/petitions${query({ limit: 100 - n, sort: 'popular', status: 'active' })}`,
  ),
  listUserPetitions: at(({ person }, n) => `/v1/users/${person}/petitions${page(n)}`),
  listOrganizationPetitions: at(
    ({ organization }, n) => `/v1/organizations/${organization}/petitions${page(n)}`,
  ),
  getPetition: ofPetition((n) => query({ utm_source: `s${n}`.padEnd(2000, 'x') })),
  listPetitionVersions: ofPetition((n) => `/versions${page(n)}`),
  listOrganizations: at((_, n) => `/v1/organizations${page(n)}`),
  getOrganization: at(({ organization }, n) => `/v1/organizations/${organization}${query({ n })}`),
  readLeaderboard: ofPetition((n) => `/leaderboard${query({ n })}`),
  listSignatures: ofPetition((n) => `/signatures${page(n)}`),
  listUserSignatures: at(({ signer }, n) => `/v1/users/${signer}/signatures${page(n)}`),
  listComments: ofPetition((n) => `/comments${page(n)}`),
  getComment: at(({ comment }, n) => `/v1/comments/${comment}${query({ n })}`),
  listUpdates: ofPetition((n) => `/updates${page(n)}`),
  getUpdate: at(({ update }, n) => `/v1/updates/${update}${query({ n })}`),
  showMedia: at((_, n) => `/media/${String(n).padStart(32, '0')}-320.webp`),
  getLog: plain('/v1/log'),
  getPetitionLog: ofPetition((n) => `/log${query({ n })}`),
  // Of the entries that a test scatters, all in bundles of signatures.
  getLogLeaf: at(
    ({ firstEntry }, n) =>
      `/v1/log/leaves/${firstEntry + ((n + 1) * 97 + 1) * tileWidth}${query({ n })}`,
  ),
  listPetitionLogEntries: at(({ petition, firstEntry }, n) => {
    const after = firstEntry + ((n % logPages) * 100 - 1) * tileWidth;
    const cursor = encodeCursor('log-entries', [Math.max(0, after)]);
    return `/v1/petitions/${petition}/log/entries${query({ limit: 100, cursor, n })}`;
  }),
  getLogCheckpoint: plain('/log/checkpoint'),
  getLogTile: at((_, n) => `/log/tile/0/000${query({ n })}`),
  getLogEntryBundle: at((_, n) => `/log/tile/entries/000${query({ n })}`),
  openPortal: at(({ portal }, n) => `/respond/${portal}${query({ n })}`),
  getOrganizerInvitation: at((_, n) => `/v1/organizer-invitations/${`x${n}`.padEnd(199, 'y')}`),
  showOrganizerInvitation: at((_, n) => `/organizers/${`x${n}`.padEnd(199, 'y')}`),
  showInvitationAcceptance: at((_, n) => `/organizers/${`x${n}`.padEnd(199, 'y')}/accept`),
  getSummaryOfPortal: at(({ portal }, n) => `/respond/${portal}/summary${query({ n })}`),
  listResponses: ofPetition((n) => `/responses${page(n)}`),
  connectRealtime: plain('/v1/realtime'),
  followPetition: ofPetition((n) => `/events${query({ n })}`),
  getOEmbed: at(({ petition }, n) => {
    const url = `http://petitions.test/p/${petition}?${'x'.repeat(1900)}${n}`;
    return `/v1/oembed${query({ url })}`;
  }),
  showEmbeddedPetition: at(({ petition }, n) => `/embed/p/${petition}${query({ n })}`),
  getWidgetScript: plain('/embed/widget.js'),
  getEmbedScript: plain('/embed.js'),
  getNewFeed: plain('/feeds/new.atom'),
  getTrendingFeed: plain('/feeds/trending.atom'),
  searchPetitions: at(
    (_, n) => `/v1/search/petitions${query({ q: commonWords(n), limit: 100, facets: 'true' })}`,
  ),
  suggestTitles: at((_, n) => `/v1/search/suggest${query({ q: words(n), limit: 10 })}`),
  // Thousands of names begin with these letters; the second name differs, so that none is cached.
  suggestPlaces: at((_, n) => `/v1/places${query({ q: `san${'.'.repeat(n % 90)}`, limit: 10 })}`),
  listSimilarPetitions: at((_, n) => `/v1/petitions/similar${query({ title: words(n) })}`),
  showStart: at((_, n) => `/start?n=${n}`),
  showDraftText: ofStrangersDraft(''),
  showDraftDetails: ofStrangersDraft('/details'),
  showDraftPreview: ofStrangersDraft('/preview'),
  showPublicLog: at((_, n) => `/log${query({ n })}`),
  showPetition: ofPetitionPage(''),
  showPublished: ofPetitionPage('/published'),
  showPetitionNews: ofPetitionPage('/updates'),
  showPetitionResponses: ofPetitionPage('/responses'),
  showVictory: at(({ victory }, n) => `/p/${victory}/victory?n=${n}`),
  showPetitionComments: ofPetitionPage('/comments?sort=top'),
  showThread: at(({ petition, comment }, n) => `/p/${petition}/comments/${comment}?n=${n}`),
  showPetitionLog: ofPetitionPage('/log'),
  showTimeline: ofPetitionPage('/timeline'),
  showOrganizerContact: ofPetitionPage('/contact'),
  getTimelineFeed: at(({ petition }, n) => `/p/${petition}/feed.atom${query({ n })}`),
  listTimeline: ofPetition((n) => `/timeline${page(n)}`),
  showPetitionVersions: at(
    ({ petition }, n) => `/p/${petition}/versions${query({ from: 20 + n, to: 120 })}`,
  ),
  showConfirmation: at(
    ({ petition, signing }, n) => `/p/${petition}/confirm?token=${signing}&n=${n}`,
  ),
  showReceipt: at(({ receipt }, n) => `/receipts/${receipt}${query({ n })}`),
  showCodeOfLink: at(({ receipt }, n) => `/receipts/${receipt}/code${query({ n })}`),
  downloadReceiptOfLink: at(({ receipt }, n) => `/receipts/${receipt}/file${query({ n })}`),
  showReportForm: at(
    ({ petition, comment }, n) => `/p/${petition}/report?comment=${comment}&n=${n}`,
  ),
  sharePetitionElsewhere: ofPetitionPage('/share/mastodon'),
  showPetitionCode: ofPetitionPage('/qr.svg'),
  showPetitionCard: ofPetitionPage('/card.jpg'),
  showPetitionCardAsPng: ofPetitionPage('/card.png'),
  downloadPetitionSheet: ofPetitionPage('/sheet.pdf?pages=5'),
  continueForm: plain('/continue'),
  getWorldMap: at((_, n) => `${worldMap().address}${query({ n })}`),
  showHome: plain('/'),
  findNear: at((_, n) => `/near${query({ lat: 50 + n / 10, lon: 0, place: words(n) })}`),
  showDesign: plain('/dev/design'),
  showMails: plain('/dev/mails'),
  showMail: plain('/dev/mails/signing'),
  getRobots: plain('/robots.txt'),
  getSitemapIndex: plain('/sitemap.xml'),
  getSitemapPart: at((_, n) => `/sitemap/${sitemapPart}.xml${query({ n })}`),
  browsePetitions: at((_, n) => `/petitions${query({ q: commonWords(n) })}`),
  showProfile: at(({ person }, n) => `/u/${person}?n=${n}`),
  showProfileSignatures: at(({ person }, n) => `/u/${person}/signatures?n=${n}`),
  showProfileReportForm: at(({ person }, n) => `/u/${person}/report?n=${n}`),
  showOrganization: at(({ organization }, n) => `/o/${organization}?n=${n}`),
  showOrganizations: plain('/organizations'),
  showReportConfirmation: at(({ reporting }, n) => `/reports/confirm?token=${reporting}&n=${n}`),
  showReportReceipt: at(({ report }, n) => `/reports/${report}?n=${n}`),
  showLogin: at((_, n) => `/login${query({ next: `/${'x'.repeat(3000)}${n}` })}`),
  showRegister: at((_, n) => `/register${query({ next: `/${'x'.repeat(3000)}${n}` })}`),
  showSignInCode: at(({ signIn }, n) => `/login/code?challenge=${signIn.challenge}&n=${n}`),
  showSignInLink: at(({ signIn }, n) => `/login/link?token=${signIn.token}&n=${n}`),
  showForgotPassword: plain('/forgot-password'),
  showResetPassword: unknownToken('/reset-password'),
  showEndAccess: at(({ endAccessToken }, n) => `/end-access?token=${endAccessToken}&n=${n}`),
  showVerifyEmail: at(({ verifyToken }, n) => `/verify-email?token=${verifyToken}&n=${n}`),
  showAddressConfirmation: unknownToken('/email/confirm'),
  showAddressUndo: unknownToken('/email/undo'),
  showComplaint: at(({ complaints }, n) => `${complaints.form}?n=${n}`),
  showGoodbye: plain('/goodbye'),
  listSignatureGeo: ofPetition((n) => `/signatures/geo${page(n)}`),
  readPetitionHistory: ofPetition((n) => `/history${query({ n })}`),
  readStats: plain('/v1/analytics/stats'),
  getHealth: plain('/health'),
  getReadiness: plain('/health/ready'),
  getMetrics: plain('/metrics'),
  getDescription: plain('/openapi.json'),
  getDescriptionAsYaml: plain('/openapi.yaml'),
  getAsset: at((_, n) => `/assets/none-${n}.css`),
  showLogo: at((_, n) => `/logo/${String(n).padStart(22, 'x')}.png`),
  showIcon: at((_, n) => `/icons/512.png${query({ v: n })}`),
  showFavicon: plain('/favicon.ico'),
  showTouchIcon: plain('/apple-touch-icon.png'),
  showManifest: plain('/site.webmanifest'),
  showSetup: at((_, n) => `/setup${query({ token: `${n}`.padStart(22, 'x') })}`),
  showReference: plain('/docs'),
  showReferenceGroup: plain('/docs/admin'),
  showGuide: plain('/docs/guides/errors'),
  getLlmsText: plain('/llms.txt'),
  getChangelogFeed: plain('/changelog.atom'),
  listErrors: plain('/errors'),
  explainError: plain('/errors/validation-failed'),
};

/** Those that are refused in every form that a stranger can send. */
export const refused = new Set([
  // Needs an upgrade of the connection.
  'connectRealtime',
  'getAsset',
  'getOrganizerInvitation',
  'showLogo',
  'showMedia',
  'showOrganizerInvitation',
  'showSetup',
  'a long address',
]);

/** More reads of the same operations, with other parameters. */
export const furtherReads: Record<string, Row> = {
  'searchPetitions, unknown words': at(
    (_, n) => `/v1/search/petitions${query({ q: words(n), limit: 100 })}`,
  ),
  'searchPetitions, one letter': at(
    (_, n) => `/v1/search/petitions${query({ q: `t${n}*`, limit: 100, facets: 'true' })}`,
  ),
  'searchPetitions, marks': at(
    (_, n) => `/v1/search/petitions${query({ q: `${'"a" - ( '.repeat(24)}${n}`, limit: 100 })}`,
  ),
  'searchPetitions, Chinese': at(
    (_, n) => `/v1/search/petitions${query({ q: '河流道路夜间开放'.repeat(24) + n, limit: 100 })}`,
  ),
  'listPetitions, ten tags': at((_, n) => `/v1/petitions${query({ limit: 100, tags: tags(n) })}`),
  'browsePetitions, unknown words': at((_, n) => `/petitions${query({ q: words(n) })}`),
  'suggestTitles, common words': at(
    (_, n) => `/v1/search/suggest${query({ q: commonWords(n), limit: 10 })}`,
  ),
  'listSimilarPetitions, common words': at(
    (_, n) => `/v1/petitions/similar${query({ title: commonWords(n) })}`,
  ),
  'a long address': at((_, n) => `/${'%f0%9f%8c%8a'.repeat(600)}${n}`),
};

/** What takes longer, by which factor, and why that is bounded otherwise. */
export const slower: Record<string, { factor: number; why: string }> = {
  'previewText, longest text': { factor: 6, why: 'a network gets 120 in ten minutes' },
  // Writes a PDF: 62 ms of the largest petition of this world.
  getSummaryOfPortal: { factor: 6, why: 'a link gets 10 a minute, and only who has it' },
};

/** Writes whose cost depends on what their fields hold. */
export const writes: Record<string, Row> = {
  'previewText, longest text': (_, n) => ({
    path: previewPath,
    method: 'POST',
    headers: { 'content-type': formType },
    body: new URLSearchParams({
      [previewField]: `${n} ${longMarkdown(49_000)}`,
    }).toString(),
  }),
};

/** Pages that ask to log in first: what they would show costs nothing. */
const ownArea =
  /^\/(admin|moderation|dashboard|settings|notifications|signatures|applications|earlier-account|desk)(\/|$)/;

/** Whether everybody may send a request, and not only be asked to log in. */
export const isOpen = ({ auth, path, method }: Route): boolean =>
  auth.access === 'anyone' && !(method === 'GET' && ownArea.test(path));

/** Returns bodies that take long to read: as many bytes, members and fields as the route lets in. */
export function costlyBodies(route: Route): Request[] {
  const limit = maxBodyBytes(route);
  if (limit === undefined || route.method === 'GET') return [];
  const path = fill(
    route.path,
    Object.fromEntries([...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, 'x'])),
  );
  const send = (type: string, body: string): Request => ({
    path: path.replace('*', 'x'),
    method: route.method,
    headers: { 'content-type': type, accept: 'application/json' },
    body,
  });
  const json = [
    `{"a":[${'{"b":0},'.repeat(4900)}0]}`,
    `{"a":${JSON.stringify('e\u0301'.repeat(limit)).slice(0, limit / 3 - 20)}"}`,
    `{${Array.from({ length: 9000 }, (_, n) => `"m${n}":0`).join(',')}}`,
  ];
  const form = ['a=1&'.repeat(limit), 'a&'.repeat(limit), `a=${'%F0%9F%8C%8A'.repeat(limit)}`];
  return [
    ...(takes(route, 'application/json') ? json.map((body) => send('application/json', body)) : []),
    ...(takes(route, formType)
      ? form.map((body) => send(formType, body.slice(0, limit - 10)))
      : []),
  ].filter(({ body }) => body!.length <= limit);
}
