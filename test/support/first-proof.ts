import assert from 'node:assert/strict';
import { linkToken } from '../../src/campaigns/pending-signatures/secrets.ts';
import {
  createOneTimeToken,
  findUser,
  findUserByEmail,
} from '../../src/identity/accounts/accounts.ts';
import { codeOf } from '../../src/identity/mail-challenges/secrets.ts';
import type { Client } from './client.ts';
import { createPublished, logIn, signUp } from './people.ts';
import type { Service } from './service.ts';

/** Ways to prove an address. Each returns what calls as its owner afterwards. */
export const waysToProve: Record<
  string,
  (service: Service, email: string, api: Client) => Promise<Client>
> = {
  async 'signing in by mail'(service, email, api) {
    const answer = { ...(await codeFor(service, email)), display_name: 'Owner' };
    const { status, body } = await api.post('/v1/auth/magic-link/verify', answer);
    assert.equal(status, 200, JSON.stringify(body));
    return service.api.as(body.access_token);
  },
  async 'signing by mail'(service, email, api) {
    const petition = await createPublished(await signUp(service, 'Other'));
    const path = `/v1/petitions/${petition.id}/signatures/pending`;
    const asked = await service.api.post(path, { email, display_name: 'Owner' });
    const token = linkToken(service.ctx, asked.body.data.id);
    const { status, body } = await api.post('/v1/signatures/confirm', { token });
    assert.equal(status, 201, JSON.stringify(body));
    return ownerOf(service, body.data.user_id);
  },
  async 'a reset'(service, email, api) {
    const user = (await findUserByEmail(service.ctx.db, email))!;
    const token = await createOneTimeToken(service.ctx, 'reset-password', user.id);
    const input = { token, password: 'battery staple' };
    assert.equal((await api.post('/v1/auth/reset-password', input)).status, 204);
    return (await logIn(service, { email, password: input.password })).api;
  },
};

export async function codeFor(service: Service, email: string) {
  const { body } = await service.api.post('/v1/auth/magic-link', { email });
  const { challenge } = body.data;
  return { challenge: challenge as string, code: codeOf(service.ctx, challenge) };
}

async function ownerOf(service: Service, userId: string): Promise<Client> {
  const user = (await findUser(service.ctx.db, userId))!;
  const { access_token: token } = await service.app.sessions.openSession(service.ctx, user, {
    ip: '127.0.0.1',
    userAgent: undefined,
  });
  return service.api.as(token);
}
