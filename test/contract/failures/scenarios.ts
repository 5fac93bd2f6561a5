import assert from 'node:assert/strict';
import { linkToken as signingTokenOf } from '../../../src/campaigns/pending-signatures/secrets.ts';
import { linkToken as signInTokenOf } from '../../../src/identity/mail-challenges/secrets.ts';
import { newId } from '../../../src/platform/ids.ts';
import { tokenOfId } from '../../../src/platform/id-tokens.ts';
import { createMailKey } from '../../../src/platform/mail-keys.ts';
import { mailboxHash } from '../../../src/platform/mail-suppressions.ts';
import { formOf } from '../../support/browser.ts';
import { postfixReport } from '../../support/delivery-reports.ts';
import { authorizePath, pkce, registerClient } from '../../support/oauth.ts';
import {
  createDraft,
  createPublished,
  createUsers,
  signUp,
  signUpProven,
  verifyAddress,
  type Person,
} from '../../support/people.ts';
import { bounceToken } from '../../support/service.ts';
import { newcomer, paramsFor } from '../fixtures.ts';
import { ownedCall, send, withSetting, type Request, type Scenario, type World } from './world.ts';

const unknownId = '01a1fe8f-1e78-7684-98f3-5a33b1554d4b';
const tooLarge = (bytes: number) => new Blob([Buffer.alloc(bytes)], { type: 'image/png' });

/** A request without credentials or path parameters that fails by its body. */
const withBody =
  (body: object): Scenario =>
  () => ({ body });

/** A request whose query fails. */
const withQuery =
  (params: Record<string, string>): Scenario =>
  () => ({ params });

/** Sends the code of a challenge that does not exist. */
/** Asks for what only some accounts have. */
const byNewcomer: Scenario = async (world, route) => ({
  api: (await newcomer(world.service, route)).api,
});

const withUnknownChallenge =
  (more: object): Scenario =>
  async (world, route) => {
    const { api } = await newcomer(world.service, route);
    return { api, body: { challenge: unknownId, code: '123456', ...more } };
  };

/** Renews the code of a private petition, then sends the same key with another body. */
const reusedKeyOfAccessCode: Scenario = async (world, route) => {
  const { owner, id } = await ownPetition(world, { visibility: 'private' });
  const headers = { 'idempotency-key': newId() };
  const request = { api: owner.api, params: { id }, headers };
  await send(world, route, { ...request, body: {} });
  return { ...request, body: { other: true } };
};

/** A request that would change how petitions are moderated, which the environment of the process decides. */
const ofFixedSetting =
  (request: Request): Scenario =>
  ({ service, admin }) => {
    service.ctx.config.moderation = 'reports';
    return {
      ...request,
      api: admin.api,
      afterwards: async () => void (service.ctx.config.moderation = undefined),
    };
  };

async function ownPetition({ service }: World, more: object = {}) {
  const [owner] = await createUsers(service, 1);
  const petition: { id: string; slug: string } = await createPublished(owner!, more);
  return { owner: owner!, ...petition };
}

const ofPrivatePetition =
  (body?: object): Scenario =>
  async (world) => {
    const { id, slug } = await ownPetition(world, { visibility: 'private' });
    return { params: { id, slug }, body };
  };

/** Asks for something that a draft does not offer yet. */
const ofDraft =
  (body: object): Scenario =>
  async ({ service }) => {
    const [owner] = await createUsers(service, 1);
    const { id } = await createDraft(owner!);
    return { api: owner!.api, params: { id }, body };
  };

const signer = { display_name: 'Grace', email: 'grace@example.org' };

const ofClosedPetition: Scenario = async (world) => {
  const { owner, id } = await ownPetition(world);
  await owner.api.post(`/v1/petitions/${id}/close`);
  return { params: { id }, body: signer };
};

/** A link of a decision maker, and the request that uses it. */
async function linkOf({ service }: World, body?: object) {
  const [one] = await createUsers(service, 1);
  const owner = { ...one!, password: '', refreshToken: '', slug: '', accessToken: one!.token };
  const route = service.app.routes.find(({ id }) => id === 'openPortal')!;
  const params = await paramsFor(route, service, owner);
  return { owner, request: { params, body } satisfies Request };
}

/** An invitation that somebody has accepted. */
const acceptedInvitation: Scenario = async (world, route) => {
  const { service, user } = world;
  const params = await paramsFor(route, service, user);
  const [other] = await createUsers(service, 1);
  const { status } = await other!.api.post(`/v1/organizer-invitations/${params['token']}`);
  assert.equal(status, 200);
  return { api: user.api, params };
};

/** Offers a petition to somebody who has not accepted the invitation. */
const offerToInvited: Scenario = async (world) => {
  const { owner, id } = await ownPetition(world);
  await world.service.ctx.db`
    update users set email_verified_at = now() where id = ${owner.id}`;
  const input = { email: 'invited@example.org', role: 'editor' };
  const { body } = await owner.api.post(`/v1/petitions/${id}/organizers`, input);
  return { api: owner.api, params: { id }, body: { organizer_id: body.data.id } };
};

const response = { body: 'The council will light the path.' };

/** A link ends when its decision maker is taken off the petition. */
const endedLink =
  (body?: object): Scenario =>
  async (world) => {
    const { owner, request } = await linkOf(world, body);
    const { body: list } = await owner.api.get('/v1/petitions?status=active&creatorId=' + owner.id);
    const path = `/v1/petitions/${list.data[0].id}/decision-makers`;
    const { body: makers } = await owner.api.get(path);
    await owner.api.delete(`${path}/${makers.data[0].id}`);
    return request;
  };

const respondedTwice: Scenario = async (world, route) => {
  const { request } = await linkOf(world, response);
  await send(world, route, request);
  return request;
};

const previewAfterResponse: Scenario = async (world) => {
  const { request } = await linkOf(world, response);
  await world.service.api.post(`/respond/${request.params.token}`, response);
  return request;
};

/** Another thing of this kind has the name already. */
const nameOfAnother =
  (create: (world: World, name: string) => Promise<unknown>): Scenario =>
  async (world, route) => {
    const name = `Taken ${newId()}`;
    await create(world, name);
    const { caller, params } = await ownedCall(world, route);
    return { api: caller.api, params, body: { name } };
  };

const reportRequest = (body: string, headers: Record<string, string> = {}): Request => ({
  body,
  headers: {
    'content-type': 'message/rfc822',
    authorization: `Bearer ${bounceToken}`,
    ...headers,
  },
});

const bounce =
  (headers: Record<string, string>, body = 'text'): Scenario =>
  () =>
    reportRequest(body, headers);

const uploadTo =
  (request: Request): Scenario =>
  async (world, route) => ({ ...(await ownedCall(world, route)), ...request });

const loginOf =
  (person: (world: World) => Promise<Person>, body: (person: Person) => object): Scenario =>
  async (world) => ({ body: body(await person(world)) });

async function suspendedPerson({ service, admin }: World): Promise<Person> {
  const person = await signUp(service);
  await verifyAddress(service, person);
  await admin.api.post(`/v1/admin/users/${person.id}/suspend`, { reason: 'Spam' });
  return person;
}

const wrongSecret: Scenario = async (world, route) => {
  await ownedCall(world, route);
  const grant = { grant_type: 'client_credentials', client_id: unknownId, client_secret: 'wrong' };
  return { body: { ...grant, token: 'any' } };
};

const fullOrganization: Scenario = async (world, route) => {
  const { caller, params } = await ownedCall(world, route);
  const users = await createUsers(world.service, 5);
  const last = users.pop()!;
  for (const { id } of users) {
    await send(world, route, { api: caller.api, params, body: { user_id: id, role: 'member' } });
  }
  return { api: caller.api, params, body: { user_id: last.id, role: 'member' } };
};

/** Confirms a signature that was asked for with this address, after what happened to the petition. */
const confirmationOf =
  (
    email: (world: World) => Promise<string>,
    meanwhile?: (petition: Awaited<ReturnType<typeof ownPetition>>) => Promise<unknown>,
  ): Scenario =>
  async (world) => {
    const { api, ctx } = world.service;
    const petition = await ownPetition(world);
    const input = { ...signer, email: await email(world) };
    const { body } = await api.post(`/v1/petitions/${petition.id}/signatures/pending`, input);
    await meanwhile?.(petition);
    return { body: { token: signingTokenOf(ctx, body.data.id) } };
  };

/** A request to a process with other settings. */
const withSettings =
  (env: Record<string, string>, request: Request = {}): Scenario =>
  async (world) => ({ ...request, api: await world.startBeside(env) });

/** Nothing listens at its address. */
const unreachableStore = {
  S3_ENDPOINT: 'http://127.0.0.1:9',
  S3_BUCKET: 'pictures',
  S3_REGION: 'any',
  S3_ACCESS_KEY_ID: 'any',
  S3_SECRET_ACCESS_KEY: 'any',
};

/** Whoever has responded stays on the petition. */
const removalAfterResponse: Scenario = async (world) => {
  const { owner, request } = await linkOf(world);
  await world.service.api.post(`/respond/${request.params.token}`, response);
  const { body } = await owner.api.get(`/v1/petitions?status=active&creatorId=${owner.id}`);
  const { id } = body.data[0];
  const { body: makers } = await owner.api.get(`/v1/petitions/${id}/decision-makers`);
  return { api: owner.api, params: { id, dm_id: makers.data[0].id } };
};

/** Signs in by the link of a mail. */
const signInLinkOf = async ({ service }: World, email: string): Promise<object> => {
  const { body } = await service.api.post('/v1/auth/magic-link', { email });
  return { token: signInTokenOf(service.ctx, body.data.challenge) };
};

/** Asks for another address. Returns who did, and the id of the change. */
async function addressChange(world: World, email: string) {
  const { db } = world.service.ctx;
  const person = await signUp(world.service);
  await verifyAddress(world.service, person);
  await person.api.post('/v1/users/me/email', { email });
  const id = await db.value<string>`select id from address_changes where user_id = ${person.id}`;
  return { person, id };
}

/** Somebody else gets the address between the request and the confirmation. */
const addressTakenMeanwhile: Scenario = async (world) => {
  const email = `wanted-${newId()}@example.org`;
  const { id } = await addressChange(world, email);
  const other = await signUpProven(world.service);
  await world.service.ctx.db`update users set email = ${email} where id = ${other.id}`;
  return { body: { token: tokenOfId(world.service.ctx.keys, 'address-change', id) } };
};

/** Somebody registered the old address in the moment in which it was given up. */
const oldAddressTaken: Scenario = async (world) => {
  const { keys, db } = world.service.ctx;
  const { person, id } = await addressChange(world, `new-${newId()}@example.org`);
  const token = tokenOfId(keys, 'address-change', id);
  await world.service.api.post('/v1/auth/email/confirm', { token });
  const other = await signUp(world.service);
  await db`update users set email = ${person.email} where id = ${other.id}`;
  return { body: { token: tokenOfId(keys, 'address-undo', id) } };
};

/** A report that proves to be about a mail of ours, to a process that cannot store it. */
const reportWithoutDatabase: Scenario = ({ service: { ctx }, disconnected }) => {
  const to = 'reader@mailbox.example';
  const key = createMailKey(ctx.keys, mailboxHash(ctx.keys, to), ctx.now());
  const mail = {
    to,
    sender: `bounces+${key}@petitions.test`,
    messageId: `<${key}@petitions.test>`,
  };
  return { ...reportRequest(postfixReport(mail)), api: disconnected };
};

/** The form of the page that asks somebody to log in for a client, or to allow it. */
async function oauthForm(world: World, person: Person | undefined) {
  const owner = await signUp(world.service);
  const client = await registerClient(owner);
  const page = await (person ?? world.service).api.get(authorizePath(client, pkce()));
  const { ticket } = formOf(page).fields;
  const cookie = page.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0]!)
    .join('; ');
  const removeClient = () => owner.api.delete(`/v1/oauth/clients/${client.id}`);
  return { ticket, headers: { cookie }, removeClient };
}

/** Sends the login form of an authorization with a wrong password. */
const wrongOAuthLogin =
  ({ isRemoved = false, isDisconnected = false } = {}): Scenario =>
  async (world) => {
    const { ticket, headers, removeClient } = await oauthForm(world, undefined);
    if (isRemoved) await removeClient();
    return {
      ...(isDisconnected && { api: world.disconnected }),
      headers,
      body: { ticket, email: 'nobody@example.org', password: 'wrong' },
    };
  };

/** Allows a client that was removed while the page was open. */
const allowedTooLate: Scenario = async (world) => {
  const person = await signUp(world.service);
  const { ticket, removeClient } = await oauthForm(world, person);
  await removeClient();
  return { api: person.api, body: { ticket, decision: 'allow' } };
};

/** Changes the closing date of a petition that has ended. */
const dateOfEndedPetition: Scenario = async (world) => {
  const { owner, id } = await ownPetition(world);
  await owner.api.post(`/v1/petitions/${id}/close`);
  const closesAt = new Date(Date.now() + 86_400_000).toISOString();
  return { api: owner.api, params: { id }, body: { closesAt } };
};

/** The receipt of a signature that was withdrawn. */
const withdrawnSignature: Scenario = async (world, route) => {
  const { caller, params } = await ownedCall(world, route);
  await caller.api.delete(`/v1/petitions/${params.id}/signatures/me`);
  return { api: caller.api, params };
};

/** Scenarios of single operations, by operation and status. They go before general ones. */
export const scenarios: Record<string, Scenario> = {
  'register 409': loginOf(
    ({ service }) => signUp(service),
    ({ email }) => ({
      email,
      password: 'correct horse',
      display_name: 'Ada',
    }),
  ),
  'verifyEmail 410': withBody({ token: 'unknown' }),
  'resetPassword 410': withBody({ token: 'unknown', password: 'battery staple' }),
  'register 403': async (world) => ({
    ...(await withSetting(world, { signup: 'closed' }, { signup: null })),
    body: { email: 'new@example.org', password: 'correct horse battery', display_name: 'Ada' },
  }),
  'changeSiteSettings 409': ofFixedSetting({ body: { moderation: 'off' } }),
  'undoSiteChange 409': async (world, route) => {
    const params = await paramsFor(route, world.service, world.user);
    return ofFixedSetting({ params })(world, route);
  },
  'verifyMagicLink 403': async (world) => ({
    body: await signInLinkOf(world, (await suspendedPerson(world)).email),
  }),
  'verifyMagicLink 410': withBody({ token: 'unknown' }),
  'confirmEmail 409': addressTakenMeanwhile,
  'undoEmail 409': oldAddressTaken,
  'confirmEmail 410': withBody({ token: 'unknown' }),
  'undoEmail 410': withBody({ token: 'unknown' }),
  'login 401': withBody({ email: 'nobody@example.org', password: 'wrong' }),
  'login 403': loginOf(suspendedPerson, ({ email, password }) => ({ email, password })),
  'refresh 401': withBody({ refresh_token: 'unknown' }),
  'refresh 403': loginOf(suspendedPerson, ({ refreshToken }) => ({ refresh_token: refreshToken })),
  'eraseOwnAccount 410': withUnknownChallenge({}),
  'changePassword 410': withUnknownChallenge({ new_password: 'battery staple' }),
  'removePassword 410': withUnknownChallenge({}),
  'changeEmail 410': async (world, route) => {
    const person = await newcomer(world.service, route);
    await verifyAddress(world.service, person);
    const body = { challenge: unknownId, code: '123456', email: 'grace@example.org' };
    return { api: person.api, body };
  },
  'getEarlierAccount 404': byNewcomer,
  'keepEarlierAccount 404': byNewcomer,
  'deleteEarlierAccount 404': byNewcomer,
  'reportBounce 401': bounce({ authorization: 'Bearer wrong' }),
  'reportBounce 404': withSettings(
    { MAIL_BOUNCE_TOKEN: '' },
    { body: 'text', headers: { 'content-type': 'message/rfc822' } },
  ),
  'reportBounce 413': bounce({}, 'x'.repeat(1_048_577)),
  'reportBounce 415': bounce({ 'content-type': 'text/plain' }),
  'reportBounce 422': bounce({}),
  'reportBounce 503': reportWithoutDatabase,
  'logInToAuthorize 400': wrongOAuthLogin({ isRemoved: true }),
  'logInToAuthorize 401': wrongOAuthLogin(),
  'logInToAuthorize 503': wrongOAuthLogin({ isDisconnected: true }),
  'decideOnAuthorization 400': allowedTooLate,
  'updatePetition 409': dateOfEndedPetition,
  'logInToAuthorize 403': withBody({ ticket: 'forged', email: 'a@example.org', password: 'any' }),
  'decideOnAuthorization 403': withBody({ ticket: 'forged', decision: 'allow' }),
  'issueOAuthTokens 401': wrongSecret,
  'revokeOAuthToken 401': wrongSecret,
  'introspectOAuthToken 401': wrongSecret,
  'renameCategory 409': nameOfAnother(({ admin }, name) =>
    admin.api.post('/v1/admin/categories', { name }),
  ),
  'updateOrganization 409': nameOfAnother(({ user }, name) =>
    user.api.post('/v1/organizations', { name }),
  ),
  'addMember 402': fullOrganization,
  'addMember 404': ({ user }) => ({
    api: user.api,
    params: { org_id: unknownId },
    body: { user_id: user.id, role: 'member' },
  }),
  'renewAccessCode 422': reusedKeyOfAccessCode,
  'sharePetition 409': ofDraft({ channel: 'whatsapp' }),
  'createEmbed 409': ofDraft({}),
  'addSigningBlock 404': ({ admin }) => ({
    api: admin.api,
    body: {
      petition_id: unknownId,
      kind: 'domain',
      value: 'mail.example',
      action: 'hold',
      reason: 'Sells signatures.',
    },
  }),
  'signByMail 403': ofPrivatePetition(signer),
  'signByMail 409': ofClosedPetition,
  'confirmSignature 403': confirmationOf(async (world) => (await suspendedPerson(world)).email),
  'confirmSignature 409': confirmationOf(
    async () => signer.email,
    ({ owner, id }) => owner.api.post(`/v1/petitions/${id}/close`),
  ),
  'confirmSignature 410': withBody({ token: 'unknown' }),
  'confirmUpload 404': ({ user }) => ({ api: user.api, body: { media_id: unknownId } }),
  'uploadMedia 413': ({ user }) => {
    const form = new FormData();
    form.set('file', tooLarge(20_000_000), 'a.png');
    form.set('entity_type', 'user_avatar');
    return { api: user.api, body: form };
  },
  'uploadMedia 415': ({ user }) => ({
    api: user.api,
    body: 'text',
    headers: { 'content-type': 'text/plain' },
  }),
  'uploadMedia 422': ({ user }) => ({ api: user.api, body: new FormData() }),
  'receiveUpload 403': () => ({ params: { ticket: `x.${'x'.repeat(43)}` }, body: tooLarge(1) }),
  'receiveUpload 413': uploadTo({ body: tooLarge(20_000_000) }),
  'receiveUpload 415': uploadTo({ body: 'text', headers: { 'content-type': 'text/plain' } }),
  'receiveUpload 422': uploadTo({ body: undefined }),
  'showMedia 503': withSettings(unreachableStore, {
    params: { name: `${'0'.repeat(32)}-320.webp` },
  }),
  'getLog 404': withSettings({ LOG: 'off' }),
  'getOwnReceipt 410': withdrawnSignature,
  'getLogCheckpoint 404': withSettings({ LOG: 'off' }),
  'getLogCheckpoint 503': withSettings(unreachableStore),
  'getLogTile 503': withSettings(unreachableStore, { params: { level: '0', address: '000' } }),
  'getLogEntryBundle 503': withSettings(unreachableStore, { params: { address: '000' } }),
  'removeDecisionMaker 409': removalAfterResponse,
  'getOrganizerInvitation 410': acceptedInvitation,
  'acceptOrganizerInvitation 410': acceptedInvitation,
  'declineOrganizerInvitation 410': acceptedInvitation,
  'offerHandOver 409': offerToInvited,
  'openPortal 410': endedLink(),
  'getSummaryOfPortal 410': endedLink(),
  'markPortalOpened 410': endedLink(),
  'previewResponse 409': previewAfterResponse,
  'previewResponse 410': endedLink(response),
  'respond 409': respondedTwice,
  'respond 410': endedLink(response),
  'connectRealtime 426': () => ({}),
  'connectRealtime 503': async ({ disconnected, user }) => {
    // The process has not seen this key, so it asks the database.
    const { body } = await user.api.post('/v1/api-keys', { name: 'A key', scopes: ['read'] });
    return { api: disconnected.with({ 'x-api-key': body.data.key }) };
  },
  'getOEmbed 404': withQuery({ url: 'http://petitions.test/p/no-such-petition' }),
  'getOEmbed 501': withQuery({ url: 'http://petitions.test/p/any', format: 'xml' }),
  'showEmbeddedPetition 403': ofPrivatePetition(),
  'settlePayment 401': () => ({
    body: '{}',
    headers: { 'content-type': 'application/json', 'x-payment-signature': 'sha256=00' },
  }),
  'settlePayment 404': withBody({ payment_id: unknownId, status: 'completed', reference: 'a' }),
  'getNewFeed 404': withQuery({ category: 'no-such-category' }),
  'getTrendingFeed 404': withQuery({ category: 'no-such-category' }),
  'readStats 404': withQuery({ petition_id: unknownId }),
  'getMetrics 401': withSettings({ METRICS_TOKEN: 'a token of the scraper' }),
  'createReport 404': ({ user }) => ({
    api: user.api,
    body: { target_type: 'user', target_id: unknownId, reason: 'spam' },
  }),
};
