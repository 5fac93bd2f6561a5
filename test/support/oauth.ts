import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { formOf } from './browser.ts';
import type { Answer, Client } from './client.ts';
import type { Person } from './people.ts';
import type { Service } from './service.ts';

export interface OAuthClient {
  id: string;
  client_id: string;
  client_secret?: string;
  name: string;
  redirect_uris: string[];
}

export const callbackUrl = 'https://river-watch.example/callback?from=petitions';

/** Registers a client of the person; confidential by default. */
export async function registerClient(person: Person, more: object = {}): Promise<OAuthClient> {
  const { status, body } = await person.api.post('/v1/oauth/clients', {
    name: 'River Watch',
    redirect_uris: [callbackUrl],
    confidential: true,
    scopes: ['read:petitions', 'write:signatures'],
    ...more,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
}

/** Creates a verifier and its challenge (RFC 7636). */
export function pkce(): {
  verifier: string;
  code_challenge: string;
  code_challenge_method: 'S256';
} {
  const verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, code_challenge, code_challenge_method: 'S256' };
}

/** The authorization address of a client. Leaves out undefined parameters. */
export function authorizePath(
  client: OAuthClient,
  more: Record<string, string | undefined> = {},
): string {
  const parameters = {
    client_id: client.client_id,
    redirect_uri: client.redirect_uris[0]!,
    response_type: 'code',
    state: 'the state',
    ...more,
  };
  const sent = Object.entries(parameters).filter((pair): pair is [string, string] => !!pair[1]);
  return `/oauth/authorize?${new URLSearchParams(sent).toString()}`;
}

/** Opens the authorization page with a bearer token, and submits the decision. */
export async function decideAsBearer(
  person: Person,
  path: string,
  decision = 'allow',
): Promise<Answer> {
  const page = await person.api.get(path);
  assert.equal(page.status, 200, String(page.body));
  const { action, fields } = formOf(page);
  const form = new URLSearchParams({ ...fields, decision }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return person.api.send('POST', action, form, { headers });
}

/** The parameters of a redirect to a client. */
export function answerIn(answer: Answer): Record<string, string> {
  assert.equal(answer.status, 302, String(answer.body));
  return Object.fromEntries(new URL(answer.headers.get('location')!).searchParams);
}

/** Authorizes the client as this person. Returns the code. */
export async function codeFor(
  person: Person,
  client: OAuthClient,
  more: Record<string, string | undefined> = {},
): Promise<string> {
  const { code } = answerIn(await decideAsBearer(person, authorizePath(client, more)));
  assert.ok(code);
  return code;
}

/** The credentials of a client in a body. */
export const credentialsOf = ({ client_id, client_secret }: OAuthClient) => ({
  client_id,
  ...(client_secret && { client_secret }),
});

/** Sends a form with the client's credentials. */
export function sendForm(
  api: Client,
  path: string,
  client: OAuthClient,
  fields: Record<string, string>,
): Promise<Answer> {
  const form = new URLSearchParams({ ...credentialsOf(client), ...fields }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return api.send('POST', path, form, { headers });
}

export const requestTokens = (
  service: Service,
  client: OAuthClient,
  fields: Record<string, string>,
) => sendForm(service.api, '/oauth/token', client, fields);

/** Exchanges a code for tokens (RFC 6749). */
export const exchangeCode = (
  service: Service,
  client: OAuthClient,
  code: string,
  more: Record<string, string> = {},
) =>
  requestTokens(service, client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: client.redirect_uris[0]!,
    ...more,
  });

export const refreshTokens = (
  service: Service,
  client: OAuthClient,
  refreshToken: string,
  more: Record<string, string> = {},
) =>
  requestTokens(service, client, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    ...more,
  });

/** Authorizes the client as this person. Returns the tokens. */
export async function tokensFor(
  service: Service,
  person: Person,
  client: OAuthClient,
  more: Record<string, string | undefined> = {},
): Promise<{ access_token: string; refresh_token: string; scope: string }> {
  const code = await codeFor(person, client, more);
  const { status, body } = await exchangeCode(service, client, code);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
