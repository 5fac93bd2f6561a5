import assert from 'node:assert/strict';
import { createUser, fillMailboxes } from '../../src/identity/accounts/accounts.ts';
import { transaction } from '../../src/platform/db.ts';
import { addMailJob } from '../../src/platform/mail-queue.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Client } from './client.ts';
import { admin, type Service } from './service.ts';

export interface Person {
  id: string;
  email: string;
  password: string;
  slug: string;
  accessToken: string;
  refreshToken: string;
  /** Calls as this person. */
  api: Client;
}

let count = 0;
const newAddress = () => `person-${++count}-${process.pid}@example.org`;

const usualPassword = 'correct horse';
/** Of `usualPassword`: hashing it takes 20 ms of processor time. */
const passwordHash =
  '$argon2id$v=19$m=19456,t=2,p=1$96rD15zQU4ls3hMR4HeInQ$gN/NTkKJOIw9OHWvxMSsO4QxWeM/yZbQEqK2wBs5QG0';

/** Makes an account as registering does, and logs in. With rate limits by the API, which counts them. */
export async function signUp(service: Service, name = 'Ada'): Promise<Person> {
  const { ctx, app } = service;
  if (ctx.config.rateLimits) return signUpByApi(service, name);
  const email = newAddress();
  const user = await transaction(ctx.pools.main, async (tx) => {
    const account = { id: newId(), email, passwordHash, displayName: name };
    const created = await createUser(tx, ctx.keys, account);
    await addMailJob(tx, 'send-verification-mail', { user_id: created.id });
    return created;
  });
  const source = { ip: '127.0.0.1', userAgent: undefined };
  const { access_token: accessToken, refresh_token: refreshToken } = await app.sessions.openSession(
    ctx,
    user,
    source,
  );
  const { id, slug } = user;
  const api = service.api.as(accessToken);
  return { id, slug, email, password: usualPassword, accessToken, refreshToken, api };
}

/** Registers and logs in. The calls can have an address and a browser (`service.api`). */
export async function signUpByApi(service: Service, name = 'Ada'): Promise<Person> {
  const [email, password] = [newAddress(), usualPassword];
  const { status, body } = await service.api.post('/v1/auth/register', {
    email,
    password,
    display_name: name,
  });
  assert.equal(status, 201);
  return logIn(service, { email, password, id: body.data.id, slug: body.data.slug });
}

/** As `signUp`, with a proven address. */
export async function signUpProven(service: Service, name?: string): Promise<Person> {
  const person = await signUp(service, name);
  await verifyAddress(service, person);
  return person;
}

export async function logIn(
  service: Service,
  { email, password, id = '', slug = '' }: Pick<Person, 'email' | 'password'> & Partial<Person>,
): Promise<Person> {
  const { status, body } = await service.api.post('/v1/auth/login', { email, password });
  assert.equal(status, 200);
  const { access_token: accessToken, refresh_token: refreshToken } = body;
  const api = service.api.as(accessToken);
  return { id, slug, email, password, accessToken, refreshToken, api };
}

/** Verifies the address of a person. */
export async function verifyAddress(service: Service, { email }: { email: string }): Promise<void> {
  await service.ctx.pools.main`
    update users set email_verified_at = coalesce(email_verified_at, now()) where email = ${email}`;
}

/** Makes an account one whose address nobody has proven. */
export async function unproveAddress(service: Service, { id }: { id: string }): Promise<void> {
  await service.ctx.pools.main`update users set email_verified_at = null where id = ${id}`;
}

export const logInAsAdmin = (service: Service): Promise<Person> => logIn(service, admin);

/** Creates users. Returns their access tokens. */
export async function createTokens(
  service: Service,
  howMany: number,
  domain?: string,
): Promise<string[]> {
  return (await createUsers(service, howMany, domain)).map(({ token }) => token);
}

export interface TestUser {
  id: string;
  email: string;
  token: string;
  /** Calls as this person. */
  api: Client;
}

/** Creates users with verified addresses and without passwords, which would cost hashing. Returns their ids. */
export async function createUserIds(
  service: Service,
  howMany: number,
  domain = 'example.org',
): Promise<string[]> {
  const ids = Array.from({ length: howMany }, newId);
  await service.ctx.pools.main`
    insert into users (id, email, display_name, slug, email_verified_at)
    select id, id || '@' || ${domain}, 'Signer', id::text, now()
    from unnest(${ids}::uuid[]) as new(id)`;
  await fillMailboxes(service.ctx.pools.main, service.ctx.keys, ids);
  return ids;
}

/** Creates users without passwords, logged in. */
export async function createUsers(
  service: Service,
  howMany: number,
  domain = 'example.org',
): Promise<TestUser[]> {
  const people = [];
  for (const id of await createUserIds(service, howMany, domain)) {
    const token = await service.app.sessions.tokens.issueAccessToken(id, newId());
    people.push({ id, email: `${id}@${domain}`, token, api: service.api.as(token) });
  }
  return people;
}

export const petitionInput = {
  title: 'Keep the river path open at night',
  description:
    'The path along the river is the safest way home for many of us. We ask the council to keep it open and lit after ten.',
};

/** Creates a draft of this person. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function createDraft(person: { api: Client }, more: object = {}): Promise<any> {
  const { status, body } = await person.api.post('/v1/petitions', { ...petitionInput, ...more });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
}

/** Creates and publishes a petition of this person. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function createPublished(person: { api: Client }, more: object = {}): Promise<any> {
  const { id } = await createDraft(person, more);
  const { status, body } = await person.api.post(`/v1/petitions/${id}/publish`);
  assert.equal(status, 200);
  return body.data;
}

/** Creates an organization owned by this person. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function createOrganization(person: Person, more: object = {}): Promise<any> {
  const input = { name: `Organization ${newId()}`, ...more };
  const { status, body } = await person.api.post('/v1/organizations', input);
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
}

/** Adds a member as the owner. Returns the membership. */
export async function addMember(
  owner: Person,
  organization: { id: string },
  { id: user_id }: { id: string },
  role: 'admin' | 'member' = 'member',
  // oxlint-disable-next-line typescript/no-explicit-any
): Promise<any> {
  const path = `/v1/organizations/${organization.id}/members`;
  const { status, body } = await owner.api.post(path, { user_id, role });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
}
