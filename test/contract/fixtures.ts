import { randomInt } from 'node:crypto';
import { newId } from '../../src/platform/ids.ts';
import { recordDecision } from '../../src/platform/decisions.ts';
import { insertComplaint } from '../../src/oversight/decisions/queries.ts';
import { linkToken } from '../../src/campaigns/decision-makers/links.ts';
import { logInBrowser } from '../../src/identity/browser-sessions/browser-sessions.ts';
import { linkToken as organizerTokenOf } from '../../src/campaigns/organizers/links.ts';
import { linkToken as signingTokenOf } from '../../src/campaigns/pending-signatures/secrets.ts';
import type { BodyType, Route } from '../../src/platform/http/route.ts';
import { answerPetition } from '../support/answers.ts';
import { formOf } from '../support/browser.ts';
import {
  authorizePath,
  codeFor,
  credentialsOf,
  registerClient,
  type OAuthClient,
} from '../support/oauth.ts';
import {
  createDraft,
  logInAsAdmin,
  createUserIds,
  createUsers,
  createPublished,
  signUp,
  signUpProven,
  type Person,
  verifyAddress,
} from '../support/people.ts';
import { tileWidth } from '../../src/platform/transparency/tiles.ts';
import { insertNotices, type NewNotice } from '../../src/reach/notifications/follower-queries.ts';
import { notifyUsers } from '../../src/reach/notifications/notify-queries.ts';
import { stopToken } from '../../src/platform/mail-suppressions.ts';
import { unsubscribeToken } from '../../src/reach/notifications/unsubscribing.ts';
import { signatureOf } from '../../src/reach/payments/provider.ts';
import { addOrganizer } from '../support/organizers.ts';
import { writeLog } from '../support/log.ts';
import { postfixReport } from '../support/delivery-reports.ts';
import { bounceToken, paymentSecret, type Service } from '../support/service.ts';

/** Path parameters and required query parameters of one call that can succeed for its owner. */
export type Params = Record<string, string>;

/**
 * Creates the data that an operation needs. Returns its path parameters. Throws for a path with parameters that is
 * not listed here, so that new operations are tested.
 */
export async function paramsFor(route: Route, service: Service, owner: Person): Promise<Params> {
  if (!route.path.includes('{') && !makers[route.id]) return {};
  const make = makers[route.id] ?? byPrefix.find(([prefix]) => route.path.startsWith(prefix))?.[1];
  if (!make) throw new Error(`test/contract/fixtures.ts does not know how to call ${route.id}`);
  return make(service, owner);
}

type Maker = (service: Service, owner: Person) => Promise<Params>;

const activePetition: Maker = async (_, owner) => ({ id: (await createPublished(owner)).id });

const comment: Maker = async (_, owner) => {
  const { id } = await createPublished(owner);
  const { body } = await owner.api.post(`/v1/petitions/${id}/comments`, { body: 'Yes.' });
  return { id: body.data.id };
};

const apiKey: Maker = async (_, owner) => {
  const { body } = await owner.api.post('/v1/api-keys', { name: 'A key' });
  return { id: body.data.id };
};

const session: Maker = async ({ ctx, app }, owner) => {
  const call = { ctx, headers: {}, header: () => {}, ip: '127.0.0.1' };
  return { id: (await logInBrowser(app.sessions, call, owner.id)).id };
};

/** Stored directly, since an account owns 20 at most. */
const organization: Maker = async ({ ctx }, owner) => {
  const id = newId();
  await ctx.pools.main.begin(async (tx) => {
    await tx`insert into organizations (id, name, slug) values (${id}, ${`Organization ${id}`}, ${id})`;
    await tx`
      insert into memberships (id, org_id, user_id, role)
      select ${newId()}, ${id}, u.id, 'owner' from users u where u.email = ${owner.email}`;
  });
  return { org_id: id };
};

/** A membership of an admin, whom the owner may change in every way. */
const membership: Maker = async (service, owner) => {
  const { org_id } = await organization(service, owner);
  const [user_id] = await createUserIds(service, 1);
  const input = { user_id, role: 'admin' };
  const { body } = await owner.api.post(`/v1/organizations/${org_id}/members`, input);
  return { org_id: org_id!, membership_id: body.data.id };
};

/** The user in the body of the next addMember. */
let invited = '';

const webhook: Maker = async (_, owner) => {
  const input = { url: 'http://localhost:9/', events: ['petition.created'] };
  const { body } = await owner.api.post('/v1/webhooks', input);
  return { id: body.data.id };
};

/** A petition of the owner with an invalidation by an administrator. */
const invalidation: Maker = async (service, owner) => {
  const { id } = await createPublished(owner);
  const admin = await adminOf(service);
  const rule = { rule: { country: 'GB' }, reason: 'Why' };
  const { body } = await admin.api.post(`/v1/admin/petitions/${id}/invalidations`, rule);
  return { id, invalidation_id: body.data.id };
};

const sharedNetwork: Maker = async (service) => {
  const id = newId();
  const network = `2001:db8:${randomInt(65_536).toString(16)}::/48`;
  await service.ctx.db`
    insert into shared_networks (id, network, note, hourly_limit)
    values (${id}, ${network}::cidr, 'A school', 200)
    on conflict (network) do update set id = excluded.id`;
  return { id };
};

const signingBlock: Maker = async (service) => {
  const id = newId();
  await service.ctx.db`
    insert into signing_blocks (id, kind, value, action, reason)
    values (${id}, 'domain', ${`${id}.example`}, 'hold', 'Sells signatures')`;
  return { id };
};

const heldSignature: Maker = async (service, owner) => {
  const { id: petitionId } = await createPublished(owner);
  const { body } = await owner.api.post(`/v1/petitions/${petitionId}/signatures`);
  const { id } = body.data;
  await service.ctx.db`
    with held as (update signatures set state = 'held' where id = ${id} returning petition_id)
    update petitions p set signature_count = 0 from held where p.id = held.petition_id`;
  return { id };
};

/** A decision maker of a petition of the owner. */
const decisionMaker = async (service: Service, owner: Person) => {
  await verifyAddress(service, owner);
  const { id } = await createPublished(owner);
  const input = { name: 'Grace', email: 'grace@example.org' };
  const { body } = await owner.api.post(`/v1/petitions/${id}/decision-makers`, input);
  return { id: id as string, dm_id: body.data.id as string };
};

/** The token of a decision maker's mail. */
const respondToken = async (service: Service, owner: Person) => {
  const { id, dm_id } = await decisionMaker(service, owner);
  await owner.api.post(`/v1/petitions/${id}/decision-makers/${dm_id}/deliver`);
  const [link] = await service.ctx.pools.main`
    select id from decision_maker_links where decision_maker_id = ${dm_id}`;
  return { token: linkToken(service.ctx, link!.id) };
};

/** An active organizer of a petition. */
const organizerOf = async (service: Service, creator: Person, organizer: { id: string }) => {
  const { id }: { id: string } = await createPublished(creator);
  const email = `organizer-${newId()}@example.org`;
  return { id, organizer_id: await addOrganizer(service, id, { ...organizer, email }, 'editor') };
};

/** The organizer in the body of the next offer. */
let offeredTo = '';

const organizer: Maker = async (service, owner) => {
  const [id] = await createUserIds(service, 1);
  const params = await organizerOf(service, owner, { id: id! });
  offeredTo = params.organizer_id;
  return params;
};

/** A petition of the owner that is offered to somebody. */
const offeredPetition: Maker = async (service, owner) => {
  await verifyAddress(service, owner);
  const { id, organizer_id } = await organizer(service, owner);
  await owner.api.put(`/v1/petitions/${id}/hand-over`, { organizer_id });
  return { id: id! };
};

/** A petition of somebody else that is offered to the owner. */
const petitionOfferedToOwner: Maker = async (service, owner) => {
  const creator = await signUpProven(service);
  await verifyAddress(service, owner);
  const { id, organizer_id } = await organizerOf(service, creator, owner);
  await creator.api.put(`/v1/petitions/${id}/hand-over`, { organizer_id });
  return { id };
};

/** The token of an invitation by somebody else than the callers. */
const organizerInvitation: Maker = async (service) => {
  const creator = await signUp(service);
  await verifyAddress(service, creator);
  const { id } = await createPublished(creator);
  const input = { email: `invited-${newId()}@example.org`, role: 'editor' };
  const { body } = await creator.api.post(`/v1/petitions/${id}/organizers`, input);
  return { token: organizerTokenOf(service.ctx, body.data.id) };
};

const response: Maker = async (service, owner) => {
  const { token } = await respondToken(service, owner);
  const { body } = await service.api.post(`/respond/${token}`, { body: 'Yes.' });
  return { id: body.data.id };
};

/** The petition in the body of the next comment. */
let commented = '';
/** The user in the body of the next report or warning. */
let concerned = '';

const someUser: Maker = async (service) => ({ id: (await createUserIds(service, 1))[0]! });

const namedInBody: Maker = async (service) => {
  concerned = (await createUserIds(service, 1))[0]!;
  return {};
};

const underReview: Maker = async (service, owner) => {
  const { id } = await createPublished(owner);
  await service.ctx.db`update petitions set status = 'under_review' where id = ${id}`;
  return { id };
};

/** Requests an upload address. Returns its last segment and the id of the media. */
async function upload(owner: Person): Promise<{ id: string; address: string }> {
  const input = { entity_type: 'petition_image', filename: 'a.png', content_type: 'image/png' };
  const { media_id, upload_url } = (await owner.api.post('/v1/media/upload-url', input)).body.data;
  return { id: media_id, address: upload_url.split('/').at(-1) };
}

const picture = new Blob(
  [
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
      'base64',
    ),
  ],
  { type: 'image/png' },
);

/** The media in the body of the next confirmation. */
let uploaded = '';

/** The client of the next call, and the ticket of the page of the next form. */
let client: OAuthClient | undefined;
let ticket = '';

/** Each owner's client, reused since the number of clients is limited. */
const clients = new Map<string, Promise<OAuthClient>>();
const lastingClient: Maker = async (_, owner) => {
  const known = clients.get(owner.id) ?? registerClient(owner);
  clients.set(owner.id, known);
  client = await known;
  return { id: client.id };
};

const oauthClient: Maker = async (_, owner) => {
  client = await registerClient(owner);
  return { id: client.id };
};

const oauthGrant: Maker = async (_, owner) => {
  await codeFor(owner, await registerClient(owner));
  const { body } = await owner.api.get('/v1/oauth/grants');
  return { id: body.data[0].id };
};

const consentPage: Maker = async (_, owner) => {
  const page = await owner.api.get(authorizePath(await registerClient(owner)));
  ticket = formOf(page).fields.ticket!;
  return {};
};

const update: Maker = async (_, owner) => {
  const { id } = await createPublished(owner);
  const input = { title: 'News', body: 'There is some.' };
  const { body } = await owner.api.post(`/v1/petitions/${id}/updates`, input);
  return { id: body.data.id };
};

const notification: Maker = async ({ ctx }, owner) => {
  const noticeId = newId();
  return ctx.pools.main.begin(async (tx) => {
    const notice: NewNotice = {
      id: noticeId,
      event_id: newId(),
      type: 'moderation_warning',
      about: '',
      detail: null,
      data: { warning_id: newId() },
      group_id: null,
      for_user_id: null,
      petition_id: null,
      created_at: new Date(),
    };
    await insertNotices(tx, [notice]);
    await notifyUsers(tx, [{ userId: owner.id, noticeId }]);
    const [row] = await tx`select id from notifications where user_id = ${owner.id}`;
    return { id: row!.id };
  });
};

const stoppingMail: Maker = async ({ ctx }, { email }) => ({ token: stopToken(ctx.keys, email) });

const unsubscribing: Maker = async ({ ctx }, { id: userId }) => ({
  token: unsubscribeToken(ctx.keys, { userId, types: ['petition_update'] }),
});

/** The category in the body of the next merger. */
let mergedInto = '';

const newCategory = ({ ctx }: Service): Promise<string> => {
  const name = `Category ${newId()}`;
  return ctx.db.value<string>`
    insert into categories (name, slug) values (${name}, ${name}) returning id`;
};

/** The payment in the body of the next callback. */
let paymentId = '';

const payment: Maker = async (_, owner) => {
  const { id } = await createPublished(owner);
  const input = { amount: 5000, currency: 'EUR' };
  const { body } = await owner.api.post(`/v1/petitions/${id}/promotions`, input);
  paymentId = body.data.id;
  return { id: paymentId };
};

/** The token of a mail in the body of the next confirmation. */
let signingToken = '';

const pendingSignature: Maker = async ({ ctx, api }, owner) => {
  const { id } = await createPublished(owner);
  const input = { display_name: 'Grace', email: `signer-${newId()}@example.org` };
  const { body } = await api.post(`/v1/petitions/${id}/signatures/pending`, input);
  signingToken = signingTokenOf(ctx, body.data.id);
  return {};
};

/** A complaint about a decision of somebody else than the callers. */
const complaint: Maker = async ({ ctx }) => {
  const [id, userId] = [newId(), newId()];
  await ctx.pools.main.begin(async (tx) => {
    const decisionId = await recordDecision(tx, {
      act: 'redact_petition',
      target: { type: 'petition', id: newId() },
      petitionId: null,
      userId,
      moderatorId: newId(),
    });
    const text = 'It says nothing that is not public.';
    const side = { side: 'author', userId } as const;
    await insertComplaint(tx, {
      id,
      decisionId,
      ...side,
      reportId: null,
      text,
      createdAt: ctx.now(),
    });
  });
  return { id };
};

const verifiedMaker: Maker = async (service, owner) => ({
  id: (await decisionMaker(service, owner)).dm_id,
});

/** A tile of the published log: its first one, as wide as it is. */
const logTile: Maker = async (service, owner) => {
  await createPublished(owner);
  const size = await writeLog(service.ctx);
  return { address: size < tileWidth ? `000.p/${size}` : '000' };
};

/** A petition that the owner and the administrator have signed. */
const signedPetition: Maker = async (service, owner) => {
  const { id } = await createPublished(owner);
  const admin = await adminOf(service);
  for (const { api } of [owner, admin]) {
    await api.post(`/v1/petitions/${id}/signatures`);
  }
  return { id };
};

/** The same, with entries in the published log. */
const loggedPetition: Maker = async (service, owner) => {
  const params = await signedPetition(service, owner);
  await writeLog(service.ctx);
  return params;
};

/** A published response to a petition that the owner has signed. */
const answered: Maker = async (service, owner) => {
  const { id } = await createPublished(owner);
  await owner.api.post(`/v1/petitions/${id}/signatures`);
  return { id: await answerPetition(service, { id }) };
};

/** An account that somebody opened with the owner's address before. */
const earlierAccount: Maker = async (service, owner) => {
  const [id] = await createUserIds(service, 1);
  await service.ctx.db`
    insert into quarantined_accounts (user_id, owner_id, display_name)
    values (${id!}, ${owner.id}, 'Somebody')`;
  return {};
};

const provenOwner: Maker = async (service, owner) => {
  await verifyAddress(service, owner);
  return {};
};

const makers: Record<string, Maker> = {
  changeEmail: provenOwner,
  getEarlierAccount: earlierAccount,
  keepEarlierAccount: earlierAccount,
  deleteEarlierAccount: earlierAccount,
  inviteOrganizer: async (service, owner) => {
    await verifyAddress(service, owner);
    return activePetition(service, owner);
  },
  removeOrganizer: organizer,
  getHandOver: offeredPetition,
  offerHandOver: async (service, owner) => {
    await verifyAddress(service, owner);
    return organizer(service, owner);
  },
  withdrawHandOver: offeredPetition,
  acceptHandOver: petitionOfferedToOwner,
  giveOpinion: answered,
  withdrawOpinion: answered,
  submitOpinion: async (service, owner) => {
    const { id, slug } = await createPublished(owner);
    await owner.api.post(`/v1/petitions/${id}/signatures`);
    return { slug, id: await answerPetition(service, { id }) };
  },
  getLog: async (service, owner) => {
    await loggedPetition(service, owner);
    return {};
  },
  getPetitionLog: loggedPetition,
  listPetitionLogEntries: loggedPetition,
  getLogLeaf: async (service, owner) => {
    const { id } = await loggedPetition(service, owner);
    const { body } = await owner.api.get(`/v1/petitions/${id}/log/entries`);
    const entries = body.data as { index: number; entry: { type: string } }[];
    return { index: String(entries.find(({ entry }) => entry.type === 'sign')!.index) };
  },
  getOwnReceipt: loggedPetition,
  getLogCheckpoint: async (service, owner) => {
    await loggedPetition(service, owner);
    return {};
  },
  getLogTile: async (service, owner) => ({ level: '0', ...(await logTile(service, owner)) }),
  getLogEntryBundle: logTile,
  confirmSignature: pendingSignature,
  receiveUpload: async (_, owner) => ({ ticket: (await upload(owner)).address }),
  confirmUpload: async (_, owner) => {
    const { id, address } = await upload(owner);
    await owner.api.send('PUT', `/uploads/${address}`, picture);
    uploaded = id;
    return {};
  },
  getMedia: async (_, owner) => ({ id: (await upload(owner)).id }),
  showMedia: async (service) => {
    const name = `${'0'.repeat(32)}-320.webp`;
    await service.ctx.blobs.put(`images/${name}`, Buffer.from('RIFF'), 'image/webp');
    return { name };
  },
  authorize: async (_, owner) =>
    Object.fromEntries(
      new URL(authorizePath(await registerClient(owner)), 'http://petitions.test').searchParams,
    ),
  decideOnAuthorization: consentPage,
  changeOAuthClient: lastingClient,
  issueOAuthTokens: lastingClient,
  revokeOAuthToken: lastingClient,
  introspectOAuthToken: lastingClient,
  publishPetition: async (_, owner) => ({ id: (await createDraft(owner)).id }),
  changeOwnSignature: signedPetition,
  withdrawSignature: signedPetition,
  removeSignature: async (_, owner) => {
    const { id } = await createPublished(owner);
    const { body } = await owner.api.post(`/v1/petitions/${id}/signatures`);
    return { id: body.data.id };
  },
  renameCategory: async (service) => {
    const { body } = await service.api.get('/v1/categories');
    return { id: body.data[0].id };
  },
  mergeCategory: async (service) => {
    const [id, into] = [await newCategory(service), await newCategory(service)];
    mergedInto = into;
    return { id };
  },
  createComment: async (_, owner) => {
    commented = (await createPublished(owner)).id;
    return {};
  },
  connectRealtime: async () => ({}),
  addMember: async (service, owner) => {
    [invited] = (await createUserIds(service, 1)) as [string];
    return organization(service, owner);
  },
  redeliverWebhook: async (service, owner) => {
    const { id } = (await webhook(service, owner)) as { id: string };
    const { body } = await owner.api.post(`/v1/webhooks/${id}/test`);
    return { id, delivery_id: body.data.id };
  },
  createReport: namedInBody,
  warnUser: namedInBody,
  decideComplaint: complaint,
  actOnReport: async (service, owner) => {
    const { id } = await createPublished(owner);
    const reporter = (await createUsers(service, 1))[0]!;
    const input = { target_type: 'petition', target_id: id, reason: 'spam' };
    return { id: (await reporter.api.post('/v1/reports', input)).body.data.id };
  },
  approvePetition: underReview,
  rejectPetition: underReview,
  removeSharedNetwork: sharedNetwork,
  undoSiteChange: async ({ ctx }) => {
    const id = newId();
    await ctx.db`
      insert into site_setting_changes (id, name, after) values (${id}, 'moderation', '"pre"')`;
    return { id };
  },
  deleteSitePage: async ({ ctx }) => {
    await ctx.db`
      insert into site_pages (page, language, version, title, body)
      select 'terms', 'en', coalesce(max(version), 0) + 1, 'Terms', 'Be kind.' from site_pages
      where page = 'terms' and language = 'en'`;
    return { page: 'terms', language: 'en' };
  },
  verifyDecisionMaker: verifiedMaker,
  unverifyDecisionMaker: verifiedMaker,
  removeSigningBlock: signingBlock,
  releaseSignature: heldSignature,
  rejectSignature: heldSignature,
  showMail: async () => ({ kind: 'signing' }),
  explainError: async () => ({ slug: 'not-found' }),
  settlePayment: payment,
  suggestTitles: async () => ({ q: 'river' }),
  suggestPlaces: async () => ({ q: 'leeds' }),
  listSimilarPetitions: async () => ({ title: 'Open the river path' }),
  getOEmbed: async (_, owner) => ({ url: (await createPublished(owner)).share_url }),
};

const pageOfPetition: Maker = async (_, owner) => ({ slug: (await createPublished(owner)).slug });

const byPrefix: [string, Maker][] = [
  ['/p/{slug}', pageOfPetition],
  ['/embed/p/{slug}', pageOfPetition],
  ['/v1/users/me/sessions/{id}', session],
  ['/v1/users/{slug}', async (_, owner) => ({ slug: owner.slug })],

  ['/v1/petitions/{id}/decision-makers/{dm_id}', decisionMaker],
  ['/respond/{token}', respondToken],
  ['/v1/organizer-invitations/{token}', organizerInvitation],
  ['/v1/responses/{id}', response],
  ['/v1/petitions/{id}', activePetition],
  ['/v1/admin/petitions/{id}/invalidations/{invalidation_id}', invalidation],
  ['/v1/admin/petitions/{id}', activePetition],
  ['/v1/comments/{id}', comment],
  ['/v1/webhooks/{id}', webhook],
  ['/v1/oauth/clients/{id}', oauthClient],
  ['/v1/oauth/grants/{id}', oauthGrant],
  ['/v1/updates/{id}', update],
  ['/v1/notifications/{id}', notification],
  ['/unsubscribe/{token}', unsubscribing],
  ['/mail/stop/{token}', stoppingMail],
  ['/v1/admin/comments/{id}', comment],
  ['/v1/payments/{id}', payment],
  ['/v1/api-keys/{id}', apiKey],
  ['/v1/organizations/{org_id}/members/{membership_id}', membership],
  ['/v1/organizations/{org_id}', organization],
  ['/v1/admin/organizations/{org_id}', organization],
  ['/v1/admin/petitions/{id}', activePetition],
  ['/v1/admin/users/{id}', someUser],
  ['/v1/admin/site/pages/{page}/{language}', async () => ({ page: 'about', language: 'en' })],
];

/** A valid body of the operation for this caller. */
export function bodyFor(route: Route, person: Person | undefined): unknown {
  switch (route.id) {
    case 'register':
      return { ...(route.body?.example as object), email: `new-${Math.random()}@example.org` };
    case 'eraseOwnAccount':
    case 'removePassword':
      return { password: person?.password ?? 'any password' };
    case 'changePassword':
    case 'changeEmail':
      return { ...(route.body?.example as object), password: person?.password };
    case 'login':
      return { email: person?.email, password: person?.password };
    case 'refresh':
    case 'logout':
      return { refresh_token: person?.refreshToken };
    case 'addCategory':
    case 'renameCategory':
      return { name: `Category ${Math.random()}` };
    case 'mergeCategory':
      return mergedInto ? { into: mergedInto } : route.body?.example;
    case 'createOrganization':
      return { name: `Organization ${Math.random()}` };
    case 'offerHandOver':
      return offeredTo ? { organizer_id: offeredTo } : route.body?.example;
    case 'addMember':
      return { user_id: invited, role: 'member' };
    case 'changeSiteSettings':
      return { tagline: `Line ${Math.random()}` };
    case 'addSharedNetwork':
      return {
        ...(route.body?.example as object),
        network: `2001:db8:1:${randomInt(65_536).toString(16)}::/64`,
      };
    case 'addSigningBlock':
      return {
        ...(route.body?.example as object),
        value: `2001:db8:2:${randomInt(65_536).toString(16)}::/64`,
      };
    case 'createComment':
      return { ...(route.body?.example as object), petition_id: commented };
    case 'receiveUpload':
      return picture;
    case 'confirmUpload':
      return { media_id: uploaded };
    case 'uploadMedia': {
      const form = new FormData();
      form.set('file', picture, 'a.png');
      form.set('entity_type', 'user_avatar');
      return form;
    }
    case 'decideOnAuthorization':
      return { ticket, decision: 'allow' };
    case 'issueOAuthTokens':
    case 'revokeOAuthToken':
    case 'introspectOAuthToken':
      return { ...(route.body?.example as object), ...(client && credentialsOf(client)) };
    case 'confirmSignature':
      return { token: signingToken };
    case 'createReport':
      return { ...(route.body?.example as object), target_type: 'user', target_id: concerned };
    case 'warnUser':
      return { ...(route.body?.example as object), user_id: concerned };
    case 'settlePayment':
      return { ...(route.body?.example as object), payment_id: paymentId };
    default:
      return route.body?.example;
  }
}

/** Paths whose callers need a password or session; for others, hashing a password would be wasted. */
const passwordPaths = /^\/v1\/(auth|oauth|users\/me$|users\/me\/(password|email)$)|^\/oauth/;

/** Creates a user, for calls that may end the account. */
export async function newcomer(service: Service, { id: operation, path }: Route): Promise<Person> {
  if (passwordPaths.test(path)) {
    const person = await signUp(service, 'Newcomer');
    // By which one logs in from then on.
    if (operation === 'removePassword') await verifyAddress(service, person);
    return person;
  }
  const [somebody] = await createUsers(service, 1);
  const { id, token } = somebody!;
  const unused = { password: 'none', refreshToken: 'none' };
  return { ...somebody!, ...unused, slug: id, accessToken: token };
}

/** The administrator, logged in once for each service. */
const admins = new WeakMap<Service, Promise<Person>>();
function adminOf(service: Service): Promise<Person> {
  const known = admins.get(service) ?? logInAsAdmin(service);
  admins.set(service, known);
  return known;
}

/** Fills in the path parameters. Parameters that are not in the path become the query. */
export function fill(path: string, params: Params): string {
  const { ...query } = params;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    delete query[name];
    return encodeURIComponent(params[name]!);
  });
  return Object.keys(query).length === 0
    ? filled
    : `${filled}?${new URLSearchParams(query).toString()}`;
}

/** Whether the operation accepts bodies of that type. */
export const takes = ({ body }: Route, type: BodyType): boolean =>
  body?.types?.includes(type) ?? type === 'application/json';

/** Headers that authenticate a body. */
export const proof = ({ body }: Route, text: string): Record<string, string> =>
  body?.verify ? { 'x-payment-signature': signatureOf(paymentSecret, text) } : {};

const forgedReport = postfixReport({
  to: 'ada@example.org',
  sender: 'bounces@petitions.test',
  messageId: '<1@petitions.test>',
});

/** Encodes a body with its headers: JSON, or a form if the operation accepts nothing else. */
export function encode(
  route: Route,
  body: unknown,
): [body: unknown, options?: { headers: Record<string, string> }] {
  const whole = body === undefined || body instanceof FormData || body instanceof Blob;
  if (route.body?.verify) {
    const text = JSON.stringify(body);
    return [text, { headers: { 'content-type': 'application/json', ...proof(route, text) } }];
  }
  if (route.id === 'reportBounce') {
    const headers = { authorization: `Bearer ${bounceToken}`, 'content-type': 'message/rfc822' };
    return [forgedReport, { headers }];
  }
  if (whole || takes(route, 'application/json')) return [body];
  const fields = Object.entries(body as object).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const form = new URLSearchParams(fields).toString();
  return [form, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }];
}
