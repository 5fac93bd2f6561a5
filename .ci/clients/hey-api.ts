import assert from 'node:assert/strict';
import { createClient } from './generated/hey-api/client/index.ts';
import * as api from './generated/hey-api/index.ts';

const baseUrl = process.argv[2]!;
const anonymous = createClient({ baseUrl, throwOnError: true });
const password = 'correct horse battery';
let calls = 0;

/** Returns what a call answered; calls that do not succeed throw. */
async function ok<T>(call: Promise<{ data: T }>): Promise<T> {
  const { data } = await call;
  calls += 1;
  return data;
}

async function signUp(name: string) {
  const email = `${name.toLowerCase()}-hey@example.org`;
  await ok(
    api.register({
      client: anonymous,
      throwOnError: true,
      body: { email, password, display_name: name },
    }),
  );
  const tokens = await ok(
    api.login({ client: anonymous, throwOnError: true, body: { email, password } }),
  );
  const client = createClient({
    baseUrl,
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  return { as: { client, throwOnError: true } as const, refresh_token: tokens.refresh_token };
}

const nobody = { client: anonymous, throwOnError: true } as const;
const { as: ada, refresh_token } = await signUp('Ada');
const { as: ben } = await signUp('Ben');
const { data: me } = await ok(api.getOwnAccount(ada));
assert.equal(me.display_name, 'Ada');
await ok(api.updateOwnAccount({ ...ada, body: { bio: 'Walks home along the river.' } }));
const { data: draft } = await ok(
  api.createPetition({
    ...ada,
    body: {
      title: 'Keep the river path open',
      description: 'It is the safest way home. '.repeat(4),
    },
  }),
);
const path = { id: draft.id };
await ok(api.updatePetition({ ...ada, path, body: { signatureGoal: 500 } }));
const { data: published } = await ok(api.publishPetition({ ...ada, path }));
assert.equal(published.status, 'active');
const { data: read } = await ok(api.getPetition({ ...nobody, path }));
assert.equal(read.signature_goal, 500);
const { data: list } = await ok(api.listPetitions({ ...nobody, query: { limit: 5 } }));
assert.ok(list.some(({ id }) => id === draft.id));
const { data: signature } = await ok(
  api.signPetition({ ...ada, path, body: { comment: 'My way home.' } }),
);
assert.equal(signature.signature_count, 1);
const again = await api.signPetition({ client: ada.client, path, body: {} });
assert.equal(again.error?.code, 'duplicate_signature');
const { data: signers } = await ok(api.listSignatures({ ...nobody, path }));
assert.equal(signers.length, 1);
const { data: comment } = await ok(
  api.commentOnPetition({ ...ben, path, body: { body: 'Ours, too.' } }),
);
await ok(api.updateComment({ ...ben, path: { id: comment.id }, body: { body: 'Mine, too.' } }));
const { data: comments } = await ok(api.listComments({ ...nobody, path }));
assert.equal(comments[0]?.body, 'Mine, too.');
await ok(api.sharePetition({ ...ben, path, body: { channel: 'link' } }));
const { data: key } = await ok(
  api.createApiKey({ ...ada, body: { name: 'Journey', scopes: ['read'] } }),
);
assert.match(key.key, /^svc_live_/);
await ok(api.listApiKeys(ada));
await ok(api.deleteApiKey({ ...ada, path: { id: key.id } }));
const { data: events } = await ok(api.listEvents({ ...ada, query: { limit: 10 } }));
assert.ok(events.length > 0);
await ok(api.withdrawSignature({ ...ada, path }));
await ok(api.logout({ ...ada, body: { refresh_token } }));
console.log(`hey-api: ${calls} calls`);
