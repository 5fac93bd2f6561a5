import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../../test/support/browser.ts';
import type { Client } from '../../../test/support/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { codeFor, waysToProve } from '../../../test/support/first-proof.ts';
import { waitingForLocks } from '../../../test/support/locks.ts';
import { addOrganizer } from '../../../test/support/organizers.ts';
import {
  addMember,
  createOrganization,
  createPublished,
  logInAsAdmin,
  signUp,
  signUpProven,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { assertVerified } from '../../../test/support/verify.ts';
import { transaction } from '../../platform/db.ts';
import { tokenOfId } from '../../platform/id-tokens.ts';
import { createOneTimeToken, findUser } from '../accounts/accounts.ts';

const keepPath = '/v1/users/me/earlier-account/keep';

describe('an account whose address somebody else proves', () => {
  let service: Service;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(async () => {
    await assertVerified(service.databaseUrl);
    await service[Symbol.asyncDispose]();
  });

  const prove = (email: string): Promise<Client> =>
    waysToProve['signing in by mail']!(service, email, service.api);
  const readPetition = ({ id }: { id: string }) => service.api.get(`/v1/petitions/${id}`);
  const readComments = async ({ id }: { id: string }) =>
    (await service.api.get(`/v1/petitions/${id}/comments`)).body.data;
  const addComment = async ({ api }: { api: Client }, { id }: { id: string }) =>
    assert.equal(
      (await api.post(`/v1/petitions/${id}/comments`, { body: 'A comment.' })).status,
      201,
    );

  it('cannot keep the owner out by registering the names that it gets', async () => {
    const squatter = await signUp(service, 'Squatter');
    const password = 'correct horse';
    for (const input of [
      { email: `${squatter.id}@quarantine.invalid`, display_name: 'Placeholder' },
      { email: `of-${squatter.id}@example.org`, display_name: `Earlier ${squatter.id}` },
    ]) {
      const { status } = await service.api.post('/v1/auth/register', { ...input, password });
      assert.equal(status, 201);
    }
    const answer = await codeFor(service, squatter.email);
    const { status, body } = await service.api.post('/v1/auth/magic-link/verify', answer);
    assert.equal(status, 200, JSON.stringify(body));
  });

  it('loses nothing if the browser that registered proves it at the same moment', async () => {
    const person = await signUp(service, 'Ada');
    const petition = await createPublished(person);
    const answer = await codeFor(service, person.email);
    const { promise: isProven, resolve: finish } = Promise.withResolvers<void>();
    const { promise: isLocked, resolve: lock } = Promise.withResolvers<void>();
    const proof = transaction(service.ctx.pools.main, async (tx) => {
      await tx`update users set email_verified_at = now() where id = ${person.id}`;
      lock();
      await isProven;
    });
    await isLocked;
    const signingIn = service.api.post('/v1/auth/magic-link/verify', answer);
    await eventually(async () => (await waitingForLocks(service.ctx.pools.main)) > 0);
    finish();
    await proof;
    const { status, body } = await signingIn;
    assert.equal(status, 200);
    assert.equal(
      (await service.api.as(body.access_token).get('/v1/users/me')).body.data.id,
      person.id,
    );
    assert.equal((await readPetition(petition)).status, 200);
    assert.equal((await person.api.get('/v1/users/me')).status, 200);
  });

  it('leaves links that were mailed before to the owner', async () => {
    const squatter = await signUp(service, 'Squatter');
    const tokens = await Promise.all(
      (['verify-email', 'reset-password', 'end-access'] as const).map((purpose) =>
        createOneTimeToken(service.ctx, purpose, squatter.id),
      ),
    );
    const [verification, reset, ending] = tokens;
    const owner = await prove(squatter.email);
    const page = await new Browser(service.api).open(`/verify-email?token=${verification}`);
    assert.ok(page.body.includes(squatter.email));
    assert.doesNotMatch(page.body, /This was not me|quarantine/);
    const verified = await service.api.post('/v1/auth/verify-email', { token: verification });
    assert.equal(verified.status, 204);
    assert.equal((await findUser(service.ctx.db, squatter.id))!.email_verified_at, null);
    const password = 'battery staple';
    const input = { token: reset, password };
    assert.equal((await service.api.post('/v1/auth/reset-password', input)).status, 204);
    const login = { email: squatter.email, password };
    const { body } = await service.api.post('/v1/auth/login', login);
    const { data: me } = (await service.api.as(body.access_token).get('/v1/users/me')).body;
    assert.notEqual(me.id, squatter.id);
    const page410 = await new Browser(service.api).open(`/end-access?token=${ending}`);
    assert.equal(page410.status, 410);
    assert.equal((await owner.get('/v1/users/me')).status, 401, 'the reset ended the session');
  });

  it('does not go on in a session, by a key or by a password that came late', async () => {
    const squatter = await signUp(service, 'Squatter');
    const known = (await findUser(service.ctx.db, squatter.id))!;
    const other = await createPublished(await signUp(service, 'Other'));
    const owner = await prove(squatter.email);
    // The password was right before the proof.
    const source = { ip: '127.0.0.1', userAgent: undefined };
    const late = await service.app.sessions.openSession(service.ctx, known, source);
    const api = service.api.as(late.access_token);
    assert.equal((await api.get('/v1/users/me')).status, 401);
    // As a process that has not read the revocation yet.
    await service.ctx.db`
      update withdrawn_credentials set reason = 'restored', changed_at = clock_timestamp()
      where id = ${squatter.id}`;
    await service.app.sessions.revocations.refresh();
    await api.patch('/v1/users/me', { display_name: 'Late Name', bio: 'Late.' });
    await api.put('/v1/users/me/password', { new_password: 'a late password' });
    const key = await api.post('/v1/api-keys', { name: 'Late', scope: 'full' });
    assert.equal(key.status, 201);
    await addComment({ api }, other);
    const petition = await createPublished({ api });
    await eventually(async () => (await api.get('/v1/users/me')).status === 401);
    const refresh = { refresh_token: late.refresh_token };
    assert.equal((await service.api.post('/v1/auth/refresh', refresh)).status, 401);
    const withKey = service.api.with({ 'x-api-key': key.body.data.key });
    assert.equal((await withKey.get('/v1/users/me')).status, 401);
    const now = (await findUser(service.ctx.db, squatter.id))!;
    assert.deepEqual([now.bio, now.password_hash], [null, null]);
    assert.notEqual(now.display_name, 'Late Name');
    assert.deepEqual(await readComments(other), []);
    assert.equal((await readPetition(petition)).status, 404);
    assert.equal((await owner.get('/v1/users/me')).status, 200);
  });

  it('is either kept or deleted, where both are asked for at once', async () => {
    const squatter = await signUp(service, 'Squatter');
    const other = await createPublished(await signUp(service, 'Other'));
    const own = await createPublished(squatter);
    await squatter.api.post(`/v1/petitions/${other.id}/signatures`);
    await addComment(squatter, other);
    const owner = await prove(squatter.email);
    const answers = await Promise.all([
      owner.post(keepPath),
      owner.delete('/v1/users/me/earlier-account'),
    ]);
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [204, 404],
    );
    const isKept = statuses[0] === 204;
    const { signature_count: count } = (await readPetition(other)).body.data;
    assert.deepEqual(
      [count, (await readComments(other)).length, (await readPetition(own)).status],
      isKept ? [1, 1, 200] : [0, 0, 404],
    );
  });

  it('stays hidden when a suspension ends, and comes back from it when it is kept', async () => {
    const person = await signUp(service, 'Ada');
    const other = await createPublished(await signUp(service, 'Other'));
    const own = await createPublished(person);
    await addComment(person, other);
    const admin = await logInAsAdmin(service);
    const judge = async (act: 'suspend' | 'unsuspend', input = {}) =>
      assert.equal(
        (await admin.api.post(`/v1/admin/users/${person.id}/${act}`, input)).status,
        200,
      );
    await judge('suspend', { reason: 'To look at it.' });
    const owner = await prove(person.email);
    await judge('unsuspend');
    assert.deepEqual(await readComments(other), []);
    assert.equal((await readPetition(own)).status, 404);
    assert.equal((await owner.post(keepPath)).status, 204);
    assert.equal((await readComments(other)).length, 1);
    assert.equal((await readPetition(own)).body.data.status, 'active');
  });

  it('gives back a petition that was closed so long ago that its signers are forgotten', async () => {
    const person = await signUp(service, 'Ada');
    const petition = await createPublished(person);
    await person.api.post(`/v1/petitions/${petition.id}/close`);
    await service.ctx.db`
      update petitions set closed_at = now() - interval '91 days' where id = ${petition.id}`;
    const owner = await prove(person.email);
    await service.ctx.db`select graphile_worker.add_job('forget-origins')`;
    await eventually(
      () => service.ctx.db.exists`
      select from petitions where id = ${petition.id} and origins_forgotten`,
    );
    assert.equal((await owner.post(keepPath)).status, 204);
    assert.equal((await readPetition(petition)).body.data?.status, 'closed');
  });

  it('gives back an organization of which the owner of the address has become a member', async () => {
    const person = await signUp(service, 'Ada');
    const admin = await signUpProven(service, 'Admin');
    const organization = await createOrganization(person);
    await addMember(person, organization, admin, 'admin');
    const owner = await prove(person.email);
    const { data: me } = (await owner.get('/v1/users/me')).body;
    await addMember(admin, organization, me, 'member');
    assert.equal((await owner.post(keepPath)).status, 204);
    const { body } = await owner.get(`/v1/organizations/${organization.id}/members`);
    const roles = body.data.map(({ user, role }: { user: { id: string }; role: string }) => [
      user.id,
      role,
    ]);
    assert.deepEqual(
      new Map(roles),
      new Map([
        [me.id, 'owner'],
        [admin.id, 'admin'],
      ]),
    );
    assert.equal(roles.length, 2);
  });

  it('gives back the role of an editor to one who was invited as an author meanwhile', async () => {
    const creator = await signUpProven(service, 'Creator');
    const person = await signUp(service, 'Ada');
    const petition = await createPublished(creator);
    await addOrganizer(service, petition.id, person, 'editor');
    const owner = await prove(person.email);
    const { data: me } = (await owner.get('/v1/users/me')).body;
    const invited = { id: me.id, email: `again-${person.email}` };
    await addOrganizer(service, petition.id, invited, 'author');
    assert.equal((await owner.post(keepPath)).status, 204);
    const { body } = await creator.api.get(`/v1/petitions/${petition.id}/organizers`);
    const roles = body.data.map(({ user, role }: { user: { id: string }; role: string }) => [
      user.id,
      role,
    ]);
    assert.deepEqual(roles, [[me.id, 'editor']]);
  });

  it('tells nobody by its slug what the owner signs, and keeps it for them', async () => {
    const squatter = await signUp(service, 'A Slug To Know');
    const other = await createPublished(await signUp(service, 'Other'));
    // The stranger knows the name by which the owner signs in.
    const answer = { ...(await codeFor(service, squatter.email)), display_name: 'A Slug To Know' };
    const signedIn = await service.api.post('/v1/auth/magic-link/verify', answer);
    const owner = service.api.as(signedIn.body.access_token);
    assert.equal((await owner.post(`/v1/petitions/${other.id}/signatures`)).status, 201);
    const list = await service.api.get(`/v1/petitions/${other.id}/signatures`);
    assert.notEqual(list.body.data[0].user.slug, squatter.slug);
    assert.equal((await service.api.get(`/v1/users/${squatter.slug}`)).status, 404);
    const namesake = await signUp(service, 'A Slug To Know');
    assert.notEqual(namesake.slug, squatter.slug);
    assert.equal((await owner.post(keepPath)).status, 204);
    assert.equal((await owner.get('/v1/users/me')).body.data.slug, squatter.slug);
  });

  it('shows no reason and no profile of its signatures in an export', async () => {
    const squatter = await signUp(service, 'Squatter');
    const creator = await signUpProven(service, 'Creator');
    const path = `/v1/petitions/${(await createPublished(creator)).id}/signatures`;
    await squatter.api.post(path, { comment: 'Never said.' });
    await prove(squatter.email);
    for (const format of ['csv', 'json']) {
      const { status, body } = await creator.api.get(`${path}/export?format=${format}`);
      assert.equal(status, 200);
      assert.doesNotMatch(JSON.stringify(body), /Never said|earlier-|Squatter/);
    }
  });

  it('does not keep another account from getting its address', async () => {
    const squatter = await signUp(service, 'Squatter');
    const person = await signUpProven(service, 'Ada');
    const other = await createPublished(await signUp(service, 'Other'));
    await addComment(squatter, other);
    const confirm = async ({ email }: { email: string }, api = service.api) => {
      assert.equal((await person.api.post('/v1/users/me/email', { email })).status, 202);
      const id = await service.ctx.db.value<string>`
        select id from address_changes where user_id = ${person.id} order by id desc limit 1`;
      const token = tokenOfId(service.ctx.keys, 'address-change', id);
      return (await api.post('/v1/auth/email/confirm', { token })).status;
    };
    // In the browser that registered, both accounts may be of the same person.
    const input = {
      email: `own-${squatter.email}`,
      password: 'correct horse',
      display_name: 'Own',
    };
    const registered = await service.api.post('/v1/auth/register', input);
    const [cookie] = registered.headers.getSetCookie()[0]!.split(';');
    assert.equal(await confirm(input, service.api.with({ cookie: cookie! })), 409);
    assert.equal(await confirm(squatter), 204);
    assert.equal((await squatter.api.get('/v1/users/me')).status, 401);
    assert.deepEqual(await readComments(other), []);
    const { data: me } = (await person.api.get('/v1/users/me')).body;
    assert.deepEqual([me.id, me.email, me.slug], [person.id, squatter.email, person.slug]);
    const { data: earlier } = (await person.api.get('/v1/users/me/earlier-account')).body;
    assert.equal(earlier.display_name, 'Squatter');
    assert.equal(await confirm(await signUpProven(service, 'Somebody else')), 409);
    // One after the other, the first ones first.
    assert.equal(await confirm(await signUp(service, 'Second')), 204);
    for (const name of ['Squatter', 'Second']) {
      const { body } = await person.api.get('/v1/users/me/earlier-account');
      assert.equal(body.data.display_name, name);
      assert.equal((await person.api.delete('/v1/users/me/earlier-account')).status, 204);
    }
  });

  it('takes its comments and signatures along, where the owner of the address erases it', async () => {
    const squatter = await signUp(service, 'Squatter');
    const other = await createPublished(await signUp(service, 'Other'));
    await squatter.api.post(`/v1/petitions/${other.id}/signatures`);
    await addComment(squatter, other);
    const token = await createOneTimeToken(service.ctx, 'verify-email', squatter.id);
    const browser = new Browser(service.api);
    const page = await browser.open(`/verify-email?token=${token}`);
    const done = await browser.submit(page, {}, '/verify-email/not-me');
    assert.equal(done.status, 200);
    assert.equal((await readPetition(other)).body.data.signature_count, 0);
    assert.deepEqual(await readComments(other), []);
  });

  it('is not erased by a link that is used while the address is proven', async () => {
    const person = await signUp(service, 'Ada');
    const token = await createOneTimeToken(service.ctx, 'verify-email', person.id);
    const { promise: isVerified, resolve: finish } = Promise.withResolvers<void>();
    const { promise: isLocked, resolve: lock } = Promise.withResolvers<void>();
    const proof = transaction(service.ctx.pools.main, async (tx) => {
      await tx`update users set email_verified_at = now() where id = ${person.id}`;
      lock();
      await isVerified;
    });
    await isLocked;
    const browser = new Browser(service.api);
    const page = await browser.open(`/verify-email?token=${token}`);
    const erasing = browser.submit(page, {}, '/verify-email/not-me');
    await eventually(async () => (await waitingForLocks(service.ctx.pools.main)) > 0);
    finish();
    await proof;
    assert.equal((await erasing).status, 410);
    assert.equal((await person.api.get('/v1/users/me')).status, 200);
  });
});
