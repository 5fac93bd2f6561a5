import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { operations, paths, webhooks } from './generated/openapi-typescript.ts';

/** Each event by its type: this file does not compile where one has no schema. */
export const eventOf = <Name extends keyof webhooks>(
  name: Name,
  body: webhooks[Name]['post']['requestBody']['content']['application/json'],
): { name: Name; id: string } => ({ name, id: body.id });

const baseUrl = process.argv[2]!;
const anonymous = createClient<paths>({ baseUrl });
const password = 'correct horse battery';
let calls = 0;

/** Returns what a call answered; fails where it did not succeed. */
async function ok<T extends { data?: unknown; error?: unknown; response: Response }>(
  call: Promise<T>,
): Promise<NonNullable<T['data']>> {
  const { data, error, response } = await call;
  calls += 1;
  assert.ok(response.ok, `${response.url} ${response.status} ${JSON.stringify(error)}`);
  return data as NonNullable<T['data']>;
}

async function signUp(name: string) {
  const email = `${name.toLowerCase()}-fetch@example.org`;
  const body = { email, password, display_name: name };
  await ok(anonymous.POST('/v1/auth/register', { body }));
  const { access_token, refresh_token } = await ok(
    anonymous.POST('/v1/auth/login', { body: { email, password } }),
  );
  const headers = { authorization: `Bearer ${access_token}` };
  return { client: createClient<paths>({ baseUrl, headers }), refresh_token };
}

const { client: ada, refresh_token } = await signUp('Ada');
const { client: ben } = await signUp('Ben');
const me = await ok(ada.GET('/v1/users/me'));
assert.equal(me.data.display_name, 'Ada');
await ok(ada.PATCH('/v1/users/me', { body: { bio: 'Walks home along the river.' } }));
const { data: draft } = await ok(
  ada.POST('/v1/petitions', {
    body: {
      title: 'Keep the river path open',
      description: 'It is the safest way home. '.repeat(4),
    },
  }),
);
const path = { id: draft.id };
await ok(ada.PATCH('/v1/petitions/{id}', { params: { path }, body: { signatureGoal: 500 } }));
const { data: published } = await ok(ada.POST('/v1/petitions/{id}/publish', { params: { path } }));
const status: operations['getPetition']['responses'][200]['content']['application/json']['data']['status'] =
  published.status;
assert.equal(status, 'active');
const read = await ok(anonymous.GET('/v1/petitions/{id}', { params: { path } }));
assert.equal(read.data.signature_goal, 500);
const list = await ok(anonymous.GET('/v1/petitions', { params: { query: { limit: 5 } } }));
assert.ok(list.data.some(({ id }) => id === draft.id));
const { data: signature } = await ok(
  ada.POST('/v1/petitions/{id}/signatures', {
    params: { path },
    body: { comment: 'My way home.' },
  }),
);
assert.equal(signature.signature_count, 1);
const again = await ada.POST('/v1/petitions/{id}/signatures', { params: { path }, body: {} });
assert.equal(again.error?.code, 'duplicate_signature');
const signers = await ok(anonymous.GET('/v1/petitions/{id}/signatures', { params: { path } }));
assert.equal(signers.data.length, 1);
const { data: comment } = await ok(
  ben.POST('/v1/petitions/{id}/comments', { params: { path }, body: { body: 'Ours, too.' } }),
);
await ok(
  ben.PATCH('/v1/comments/{id}', {
    params: { path: { id: comment.id } },
    body: { body: 'Mine, too.' },
  }),
);
const comments = await ok(anonymous.GET('/v1/petitions/{id}/comments', { params: { path } }));
assert.equal(comments.data[0]?.body, 'Mine, too.');
await ok(ben.POST('/v1/petitions/{id}/shares', { params: { path }, body: { channel: 'link' } }));
const { data: key } = await ok(
  ada.POST('/v1/api-keys', { body: { name: 'Journey', scopes: ['read'] } }),
);
assert.match(key.key, /^svc_live_/);
await ok(ada.GET('/v1/api-keys'));
await ok(ada.DELETE('/v1/api-keys/{id}', { params: { path: { id: key.id } } }));
const { data: events } = await ok(ada.GET('/v1/events', { params: { query: { limit: 10 } } }));
assert.ok(events.length > 0);
await ok(ada.DELETE('/v1/petitions/{id}/signatures/me', { params: { path } }));
await ok(ada.POST('/v1/auth/logout', { body: { refresh_token } }));
console.log(`openapi-typescript: ${calls} calls`);
