import { answerPetition } from './answers.ts';
import type { Client } from './client.ts';
import type { Context } from '../../src/platform/context.ts';
import { mailboxHash, stopToken } from '../../src/platform/mail-suppressions.ts';
import { createOneTimeToken } from '../../src/identity/accounts/accounts.ts';
import assert from 'node:assert/strict';
import { linkToken as portalTokenOf } from '../../src/campaigns/decision-makers/links.ts';
import { linkToken } from '../../src/campaigns/organizers/links.ts';
import { createChallenge } from '../../src/identity/mail-challenges/mail-challenges.ts';
import { linkToken as signInTokenOf } from '../../src/identity/mail-challenges/secrets.ts';
import { receiptToken } from '../../src/campaigns/signatures/signatures.ts';
import { linkToken as signingTokenOf } from '../../src/campaigns/pending-signatures/secrets.ts';
import { createPendingReport } from '../../src/oversight/reports/reports.ts';
import { linkToken as reportTokenOf } from '../../src/oversight/reports/secrets.ts';
import { insertComplaint, storeOutcome } from '../../src/oversight/decisions/queries.ts';
import { complaintToken } from '../../src/oversight/decisions/tokens.ts';
import { recordDecision } from '../../src/platform/decisions.ts';
import { newId } from '../../src/platform/ids.ts';
import { unsubscribeToken } from '../../src/reach/notifications/unsubscribing.ts';
import { addDecisionMaker } from './decision-makers.ts';
import { eventually } from './eventually.ts';
import { authorizePath, codeFor, registerClient } from './oauth.ts';
import {
  createDraft,
  createOrganization,
  addMember,
  logInAsAdmin,
  createUsers,
  createPublished as publish,
  signUp,
  type Person,
  unproveAddress,
  verifyAddress,
} from './people.ts';
import { admin as adminAccount, type Service } from './service.ts';

/** Viewers: a creator with all kinds of content, a newcomer, and an administrator. */
export type Role = 'creator' | 'newcomer' | 'admin';

export type PageWorld = Awaited<ReturnType<typeof makePageWorld>>;

export const longTitle =
  'Light the footpath along the river between the old harbour and the railway bridge, and keep it open at night';
const text =
  'The path along the river is dark after five, and it is the safest way home for many of us.\n\nWe ask the council to light it from the harbour to the bridge, and to keep it open.\n\nhttps://council.example/minutes/of-a-meeting/that-has-a-very-long-address-without-any-place-to-break-it';

interface PetitionTexts {
  title?: string;
  description?: string;
  [other: string]: unknown;
}

/** Changes the texts of a petition before it is created or changed. */
type Write = (texts: PetitionTexts) => PetitionTexts;

/**
 * Content of every kind that pages show, with long titles and names. The service needs a worker. `write` puts the petitions
 * into another language.
 */
export async function makePageWorld(service: Service, write: Write = (texts) => texts) {
  const createPublished = (person: Person, texts: PetitionTexts) =>
    publish(person, write({ title: 'Keep the bridge open', description: text, ...texts }));
  const people = {
    creator: await signUp(service, 'Konstantinos Papadopoulos-Weatherington'),
    newcomer: await signUp(service, 'Ada'),
    admin: await logInAsAdmin(service),
  };
  const { creator, newcomer } = people;
  await writeSitePages(people.admin);
  const organization = await createOrganization(creator, {
    name: 'Friends of the River and of all who live on its banks',
    description: text,
    website: 'https://friends-of-the-river.example',
  });
  const membership = await addMember(creator, organization, newcomer);
  const petition = await createPublished(creator, {
    title: longTitle,
    description: text,
    signatureGoal: 25,
    tags: ['river', 'light', 'safety at night', 'council of the old town'],
    locationCity: 'Leeds',
    locationCountry: 'GB',
    closesAt: '2100-12-03T23:59:00Z',
    orgId: organization.id,
  });
  const own = `/v1/petitions/${petition.id}`;
  const signers = await createUsers(service, 12);
  const colleagues = await petitionsOfColleagues(service, creator, organization, createPublished);
  for (const [index, { api }] of signers.entries()) {
    await created(
      api.post(`${own}/signatures`, {
        comment: index % 3 === 0 ? 'I walk here every day.' : undefined,
        display_location: 'Leeds, GB',
      }),
    );
  }
  const comment = await created(signers[0]!.api.post(`${own}/comments`, { body: text }));
  for (const { api } of signers.slice(1, 5)) {
    await created(api.post(`${own}/comments`, { body: 'So do I.', parent_id: comment.id }));
  }
  await created(newcomer.api.post(`${own}/comments`, { body: `Long${'g'.repeat(80)}` }));
  const update = await created(
    creator.api.post(`${own}/updates`, { title: 'The council has answered', body: text }),
  );
  const draftOne = await createDraft(creator, write({ title: longTitle, tags: ['river'] }));
  const victory = await createPublished(creator, {
    title: 'A bench at the landing stage',
    tags: ['b'],
  });
  await newcomer.api.post(`/v1/petitions/${victory.id}/signatures`);
  await creator.api.post(`/v1/petitions/${victory.id}/victory`, { victory_message: text });
  const closed = await createPublished(creator, { title: 'أنيروا الممر على ضفاف النهر' });
  await created(creator.api.post(`/v1/petitions/${closed.id}/signatures`));
  await creator.api.post(`/v1/petitions/${closed.id}/close`);
  await opinionsOf(service, petition, signers);
  await opinionsOf(service, closed, [creator]);
  const changed = await changedPetition(service, people, write);
  const hidden = await createPublished(creator, {
    title: 'Only by its code',
    visibility: 'private',
  });
  const removed = await createPublished(creator, { title: 'No longer here' });
  await creator.api.delete(`/v1/petitions/${removed.id}`);
  const reviewed = await createPublished(creator, { title: 'Under review' });
  await service.ctx.db`update petitions set status = 'under_review' where id = ${reviewed.id}`;
  await eventually(async () => {
    const { body } = await service.api.get('/v1/search/petitions?q=footpath');
    return body.data.length > 0;
  }, 20_000);
  const organizers = await organizersOf(service, people, petition.id, closed.id);
  await makeEarlierAccount(service, creator, petition);
  const bouncing = 'bouncing@example.org';
  await silence(service, bouncing);
  await silence(service, adminAccount.email);
  return {
    category: (await service.api.get('/v1/categories')).body.data[0].id as string,
    people,
    bouncing,
    organization: organization.slug as string,
    membership: membership.id as string,
    petition: petition.slug as string,
    petitionId: petition.id as string,
    comment: comment.id as string,
    update: update.id as string,
    draft: draftOne.id as string,
    victory: victory.slug as string,
    victoryId: victory.id as string,
    closed: closed.slug as string,
    changed: changed.slug,
    changedId: changed.id,
    ...organizers,
    hidden: hidden.slug as string,
    removed: removed.slug as string,
    reviewed: reviewed.id as string,
    ...colleagues,
    person: creator.slug,
    signer: signers[1]!.id,
    ...(await makersOf(service, creator, petition)),
    ...(await developerContentOf(service, people)),
    ...(await moderationContentOf(service, people, petition)),
    ...(await mailTokensOf(service, creator, petition)),
  };
}

/** A petition whose text was changed after many had signed. A moderator has replaced the text of versions 1 and 2. */
async function changedPetition(
  service: Service,
  { creator, admin }: Record<'creator' | 'admin', Person>,
  write: Write,
): Promise<{ id: string; slug: string }> {
  const { id, slug } = await publish(creator, write({ title: longTitle, description: text }));
  const patch = (changes: PetitionTexts) =>
    created(creator.api.patch(`/v1/petitions/${id}`, write(changes)));
  await patch({ description: `${text}\n\nThe mayor lives at 5 Mill Lane.` });
  const description = `${text}\n\nWe shall ask again in May.`;
  const redaction = write({ description, reason: 'It says where a private person lives.' });
  await created(admin.api.post(`/v1/admin/petitions/${id}/redact`, redaction));
  await patch({ title: `${longTitle} and in winter`, description: `${description} And in June.` });
  await service.ctx.db`
    update petitions set text_changed_at = now(), text_changed_after = 1480,
      text_changed_version = version
    where id = ${id}`;
  return { id, slug };
}

/** The newcomer organizes a petition of the creator, who offers it to them, and another; somebody is invited. */
async function organizersOf(
  service: Service,
  { creator, newcomer }: { creator: Person; newcomer: Person },
  petitionId: string,
  otherId: string,
) {
  await verifyAddress(service, creator);
  const invite = async (id: string, email: string, role: string) => {
    const invitation = await created(
      creator.api.post(`/v1/petitions/${id}/organizers`, { email, role }),
    );
    return { id: invitation.id as string, token: linkToken(service.ctx, invitation.id) };
  };
  const invited = await invite(
    petitionId,
    'a-rather-long-address-of-somebody@example.org',
    'author',
  );
  const editor = await invite(petitionId, newcomer.email, 'editor');
  await newcomer.api.post(`/v1/organizer-invitations/${editor.token}`);
  // Only proven people are offered petitions.
  await verifyAddress(service, newcomer);
  await creator.api.put(`/v1/petitions/${petitionId}/hand-over`, { organizer_id: editor.id });
  await unproveAddress(service, newcomer);
  const author = await invite(otherId, newcomer.email, 'author');
  await newcomer.api.post(`/v1/organizer-invitations/${author.token}`);
  return { organizerInvitation: invited.token, organizedId: otherId, organizer: author.id };
}

/** Petitions of the organization by others: an open one, a private one, and one whose creator was erased. */
async function petitionsOfColleagues(
  service: Service,
  owner: Person,
  organization: { id: string },
  createPublished: (person: Person, texts: PetitionTexts) => ReturnType<typeof publish>,
) {
  const orgId = organization.id;
  const member = await signUp(service, 'Alexandria Featherstonehaugh-Montgomery');
  const leaver = await signUp(service, 'Leaver');
  for (const one of [member, leaver]) await addMember(owner, organization, one);
  const privateOne = await createPublished(member, {
    title: longTitle,
    visibility: 'private',
    orgId,
  });
  const open = await createPublished(member, { title: 'Benches along the river', orgId });
  const left = await createPublished(leaver, { title: 'A crossing at the old school', orgId });
  await created(owner.api.post(`/v1/petitions/${left.id}/signatures`));
  const { password } = leaver;
  assert.equal((await leaver.api.delete('/v1/users/me', { password })).status, 204);
  return {
    colleague: open.slug as string,
    colleagueId: open.id as string,
    secretId: privateOne.id as string,
    leftId: left.id as string,
  };
}

/** The data of a successful answer. */
// oxlint-disable-next-line typescript/no-explicit-any
async function created(call: ReturnType<Person['api']['post']>): Promise<any> {
  const { status, body } = await call;
  assert.ok(status === 201 || status === 202 || status === 200, JSON.stringify(body));
  return body.data;
}

/** An answer, and what these signers think of it. */
async function opinionsOf(service: Service, petition: { id: string }, signers: { api: Client }[]) {
  const response = await answerPetition(service, petition, text);
  for (const [index, { api }] of signers.entries()) {
    const opinion = (['partly', 'not', 'answers', 'not'] as const)[index % 4];
    await api.put(`/v1/responses/${response}/opinion`, { opinion });
  }
}

/** Decision makers with a delivery: one who has not responded, one who has, and one who is asked again. */
async function makersOf(service: Service, creator: Person, petition: { id: string }) {
  await verifyAddress(service, creator);
  const tokens = [];
  const makers = [];
  for (const name of ['Grace Hopper', 'Alexandria Featherstonehaugh-Montgomery']) {
    const maker = await addDecisionMaker(creator, petition, {
      name,
      title: 'Head of Roads and Lighting',
    });
    await created(creator.api.post(`${maker.path}/deliver`));
    const [link] = await service.ctx.db`
      select id from decision_maker_links where decision_maker_id = ${maker.id}`;
    tokens.push(portalTokenOf(service.ctx, link!.id));
    makers.push(maker.id);
  }
  const [open, answered] = tokens as [string, string];
  const answer = { body: text, status: 'supportive' };
  const { status } = await service.api.post(`/respond/${answered}`, answer);
  assert.equal(status, 201);
  const [, answeredMaker] = makers as [string, string];
  return {
    portal: open,
    answeredPortal: answered,
    renewedPortal: await askedAgain(service, creator, petition),
    maker: makers[0]!,
    answeredMaker,
  };
}

/** A decision maker who has said that others are responsible, and got another link. Returns its token. */
async function askedAgain(service: Service, creator: Person, petition: { id: string }) {
  const maker = await addDecisionMaker(creator, petition, { name: 'Ada Lovelace' });
  const newLink = async () => {
    await created(creator.api.post(`${maker.path}/deliver`));
    const [link] = await service.ctx.db`
      select id from decision_maker_links
      where decision_maker_id = ${maker.id} and replaced_at is null`;
    return portalTokenOf(service.ctx, link!.id);
  };
  const answer = { body: text, not_responsible: true, responsible: 'The province of Utrecht' };
  await created(service.api.post(`/respond/${await newLink()}`, answer));
  return newLink();
}

/** Content of developers: an API key, a webhook with deliveries, an authorised application. */
async function developerContentOf(
  service: Service,
  { creator, newcomer }: Record<'creator' | 'newcomer', Person>,
) {
  const key = await created(
    creator.api.post('/v1/api-keys', { name: 'The newsletter of the friends' }),
  );
  const hook = await created(
    creator.api.post('/v1/webhooks', {
      url: 'https://example.org/a-rather-long-address/that-does-not-break-by-itself',
      events: ['signature.created', 'petition.victory'],
    }),
  );
  await created(creator.api.post(`/v1/webhooks/${hook.id}/test`));
  const client = await registerClient(creator, { name: 'River Watch for everybody' });
  await codeFor(creator, client);
  return {
    key: key.id as string,
    hook: hook.id as string,
    client: client.id,
    authorization: new URL(authorizePath(await registerClient(newcomer)), service.origin).search,
  };
}

/** Content of moderation: a report, a warning, an invalidation, a shared network. */
async function moderationContentOf(
  service: Service,
  { newcomer, admin }: Record<'newcomer' | 'admin', Person>,
  petition: { id: string },
) {
  const input = { target_type: 'petition', target_id: petition.id, reason: 'spam' };
  const report = await created(
    newcomer.api.post('/v1/reports', { ...input, description: 'It advertises a lamp shop.' }),
  );
  const path = `/v1/petitions/${petition.id}/comments`;
  const comment = await created(admin.api.post(path, { body: text }));
  const onComment = { target_type: 'comment', target_id: comment.id, reason: 'harassment' };
  const changed = await created(newcomer.api.post('/v1/reports', onComment));
  await created(admin.api.patch(`/v1/comments/${comment.id}`, { body: 'Something else.' }));
  const warning = { user_id: newcomer.id, message: 'Reports are not for debates.' };
  await created(admin.api.post('/v1/admin/warnings', warning));
  const rule = { rule: { country: 'GB' }, reason: 'Bought signatures' };
  await created(admin.api.post(`/v1/admin/petitions/${petition.id}/invalidations`, rule));
  const complaints = await complaintsOf(service, { newcomer, admin }, petition);
  const network = { network: '2001:db8:1::/48', note: 'A school', hourly_limit: 200 };
  await created(admin.api.post('/v1/admin/shared-networks', network));
  await service.ctx.db`
    insert into integrity_alerts (id, petition_id, kind, value, since, last_at, signatures, usual)
    select gen_random_uuid(), ${petition.id}, kind, value, now(), now(), 40, 1
    from (values ('burst', now()::text), ('network', '5a1fe03b7c'), ('domain', 'disposable'),
      ('domain', 'example.org'), ('country', 'VA')) as alert (kind, value)`;
  const block = { kind: 'domain', value: 'held.example', action: 'hold', reason: text };
  await created(admin.api.post('/v1/admin/signing-blocks', { ...block, petition_id: petition.id }));
  const [held] = await createUsers(service, 1, 'held.example');
  await created(
    held!.api.post(`/v1/petitions/${petition.id}/signatures`, { comment: text.slice(0, 400) }),
  );
  await eventually(async () => {
    const [notification] = await service.ctx
      .db`select from notifications where user_id = ${newcomer.id}`;
    return notification !== undefined;
  }, 20_000);
  return { report: report.id as string, changedReport: changed.id as string, complaints };
}

/** Decisions about a petition: links to the form and to what became of complaints, and the complaints. */
async function complaintsOf(
  { ctx }: Service,
  { newcomer, admin }: Record<'newcomer' | 'admin', Person>,
  petition: { id: string },
) {
  const side = { side: 'author', userId: newcomer.id, reportId: null } as const;
  const moderatorId: string = (await admin.api.get('/v1/users/me')).body.data.id;
  const decide = () =>
    ctx.pools.main.begin((tx) =>
      recordDecision(tx, {
        act: 'hide_petition',
        target: { type: 'petition', id: petition.id },
        petitionId: petition.id,
        userId: newcomer.id,
        moderatorId,
        reason: text,
        rule: 'spam',
      }),
    );
  const complain = async (decisionId: string) => {
    const id = newId();
    const complaint = { id, decisionId, ...side, text, createdAt: ctx.now() };
    await ctx.pools.main.begin((tx) => insertComplaint(tx, complaint));
    return id;
  };
  const [taken, open, upheld, expired] = [
    await decide(),
    await decide(),
    await decide(),
    await decide(),
  ];
  const waiting = await complain(open);
  const decided = await complain(upheld);
  const outcome = { status: 'upheld', reason: text, by: moderatorId, sameModerator: true } as const;
  await ctx.pools.main.begin((tx) => storeOutcome(tx, decided, { ...outcome, at: ctx.now() }));
  await ctx.db`update moderation_decisions set expires_at = now() where id = ${expired}`;
  const linkTo = (decisionId: string) =>
    `/complaints/${complaintToken(ctx.keys, { decisionId, ...side })}`;
  return {
    form: linkTo(taken),
    others: [open, upheld, expired].map(linkTo),
    waiting,
    decided,
  };
}

/** Links that sign in: to an account, and to an address without one. */
async function signInTokens(ctx: Context, api: Service['api']) {
  const ask = async (email: string) =>
    (await created(api.post('/v1/auth/magic-link', { email }))).challenge as string;
  const [challenge, newcomer] = [
    await ask(adminAccount.email),
    await ask('nobody-yet@example.org'),
  ];
  return {
    challenge,
    token: signInTokenOf(ctx, challenge),
    newToken: signInTokenOf(ctx, newcomer),
    foreignToken: await foreignRegistration(ctx),
  };
}

/** Lets the creator decide about an account that somebody opened before. */
async function makeEarlierAccount(service: Service, owner: Person, petition: { id: string }) {
  const squatter = await signUp(service, 'Somebody with a very long name, who was here before');
  await squatter.api.patch('/v1/users/me', { bio: 'I was here first.' });
  await publish(squatter, { title: longTitle, description: text });
  await squatter.api.post(`/v1/petitions/${petition.id}/comments`, { body: 'Not by the owner.' });
  const { challenge } = await created(
    service.api.post('/v1/auth/magic-link', { email: squatter.email }),
  );
  const token = signInTokenOf(service.ctx, challenge);
  await service.api.post('/v1/auth/magic-link/verify', { token });
  await service.ctx.db`
    update quarantined_accounts set owner_id = ${owner.id} where user_id = ${squatter.id}`;
}

/** The token of a link for a registration in another browser. */
async function foreignRegistration(ctx: Context): Promise<string> {
  const { challenge } = await createChallenge(ctx, {
    email: 'registered-elsewhere@example.org',
    registration: { display_name: 'Somebody', password_hash: 'none' },
    redirect: null,
    language: 'en',
    ip: '127.0.0.1',
    browserId: newId(),
  });
  return signInTokenOf(ctx, challenge);
}

/** Stores that mail to an address comes back, also mail of the next hour. */
async function silence({ ctx }: Service, email: string): Promise<void> {
  await ctx.db`
    insert into mail_suppressions (mailbox, cause, created_at)
    values (${mailboxHash(ctx.keys, email)}, 'bounced', now() + interval '1 hour')`;
}

const signatureOn = async ({ db }: Context, { id }: { id: string }): Promise<string> =>
  db.value<string>`
    select id from signatures where petition_id = ${id} and user_id is not null order by id limit 1`;

/** Tokens of links in mails. */
/** The token of the link that confirms a report. */
async function reportTokenFor(ctx: Context, petition: { id: string }): Promise<string> {
  const id = await createPendingReport(ctx, {
    input: { target_type: 'petition', target_id: petition.id, reason: 'other' },
    email: 'reporter@example.org',
    language: 'en',
    ip: '127.0.0.1',
    browserId: newId(),
  });
  return reportTokenOf(ctx, id);
}

async function mailTokensOf(
  { ctx, api }: Service,
  { id: userId }: Person,
  petition: { id: string },
) {
  const input = { display_name: 'Grace', email: 'grace-signer@example.org' };
  const pending = await created(api.post(`/v1/petitions/${petition.id}/signatures/pending`, input));
  return {
    pending: pending.id as string,
    signing: signingTokenOf(ctx, pending.id),
    endAccessToken: await createOneTimeToken(ctx, 'end-access', userId),
    verifyToken: await createOneTimeToken(ctx, 'verify-email', userId),
    signIn: await signInTokens(ctx, api),
    receipt: receiptToken(ctx.keys, await signatureOn(ctx, petition)),
    reporting: await reportTokenFor(ctx, petition),
    stopping: stopToken(ctx.keys, 'someone@example.org'),
    unsubscribing: unsubscribeToken(ctx.keys, {
      userId,
      types: ['signature_milestone', 'petition_update'],
    }),
  };
}

/** Terms with an earlier version, an imprint, and an address for the contact form. */
async function writeSitePages({ api }: Person): Promise<void> {
  await api.patch('/v1/admin/site', { contact_email: 'office@petitions.test' });
  for (const [page, title, body] of [
    ['terms', 'Terms of use', 'Be kind.'],
    ['terms', 'Terms of use', `# What we ask of you\n\n${text}`],
    ['imprint', 'Imprint', 'Our City\n\n1 Harbour Street'],
  ] as const) {
    const { status } = await api.put(`/v1/admin/site/pages/${page}/en`, { title, body });
    assert.equal(status, 200);
  }
}
