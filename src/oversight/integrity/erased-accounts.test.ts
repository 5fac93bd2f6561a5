import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createPublished,
  createUsers,
  logIn,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { assertCounts, invalidateBy, signFrom, undo } from '../../../test/support/signing.ts';
import { assertVerified } from '../../../test/support/verify.ts';

describe('signatures of erased accounts', () => {
  let service: Service;
  let creator: Person;
  let moderator: Person;
  before(async () => {
    service = await startService({ worker: true, env: { TRUST_PROXY: '127.0.0.1' } });
    creator = await signUp(service, 'Creator');
    moderator = await signUp(service, 'Moderator');
    await service.ctx.db`update users set role = 'moderator' where id = ${moderator.id}`;
    await service.app.sessions.revocations.refresh();
  });
  after(async () => {
    await assertVerified(service.databaseUrl);
    await service[Symbol.asyncDispose]();
  });

  const password = 'correct horse';
  const erase = async (token: string) => {
    const { status, body } = await service.api.as(token).delete('/v1/users/me', { password });
    assert.equal(status, 204, JSON.stringify(body));
  };
  const countOf = async ({ id }: { id: string }) =>
    (await service.api.get(`/v1/petitions/${id}`)).body.data.signature_count;

  /** Creates accounts with a password, which is hashed once. */
  const createAccounts = async (howMany: number, domain: string) => {
    const accounts = await createUsers(service, howMany, domain);
    await service.ctx.db`
      update users u set password_hash = c.password_hash from users c
      where c.id = ${creator.id} and u.id = any(${accounts.map(({ id }) => id)}::uuid[])`;
    return accounts;
  };

  /** Creates a petition that 6 accounts of a domain sign, of which 5 are erased, and 2 of another one. */
  const signedAndErased = async (domain: string) => {
    const petition = await createPublished(creator);
    const accounts = [
      ...(await createAccounts(6, domain)),
      ...(await createAccounts(2, 'example.org')),
    ];
    for (const [n, { token }] of accounts.entries()) {
      assert.equal((await signFrom(service, token, petition, { ip: `81.2.${n}.7` })).status, 201);
    }
    for (const { token } of accounts.slice(0, 5)) await erase(token);
    return petition;
  };

  const rules: [string, object][] = [
    ['mailinator.com', { disposable: true }],
    ['farm.example', { domain: 'farm.example' }],
    ['bücher.example', { domain: 'bücher.example' }],
    ['xn--bcher-kva.example', { domain: 'Bücher.example' }],
  ];
  for (const [domain, rule] of rules) {
    it(`match ${JSON.stringify(rule)} as they did before`, async () => {
      const petition = await signedAndErased(domain);
      const path = `/v1/admin/petitions/${petition.id}`;
      const preview = await moderator.api.post(`${path}/invalidations/preview`, { rule });
      assert.equal(preview.body.data.matched, 6);
      const applied = await invalidateBy(moderator, petition, rule);
      assert.equal(applied.invalidated, 6);
      assert.equal(await countOf(petition), 2);
      await assertCounts(service, petition.id);
      const undone = await undo(moderator, applied);
      assert.equal(undone.restored, 6);
      assert.equal(await countOf(petition), 8);
    });
  }

  it('are reported with the domain of the accounts that are left', async () => {
    const petition = await signedAndErased('mailinator.com');
    const { body } = await moderator.api.get(`/v1/admin/petitions/${petition.id}/integrity`);
    const [first] = body.data.mail_domains;
    assert.deepEqual([first.domain, first.count, first.disposable], ['mailinator.com', 6, true]);
  });

  it('are reported as disposable where no account of the domain is left', async () => {
    const petition = await createPublished(creator);
    const [account] = await createAccounts(1, 'mailinator.com');
    await signFrom(service, account!.token, petition, { ip: '81.2.1.7' });
    await erase(account!.token);
    const { body } = await moderator.api.get(`/v1/admin/petitions/${petition.id}/integrity`);
    const [first] = body.data.mail_domains;
    assert.deepEqual([first.domain, first.count, first.disposable], [null, 1, true]);
  });

  it('stay invalid, so that their signers cannot sign again with a new account', async () => {
    const petition = await createPublished(creator);
    const email = 'again@farm.example';
    for (let round = 0; round < 5; round += 1) {
      const account = { email, password, display_name: 'Again' };
      const { body } = await service.api.post('/v1/auth/register', account);
      await service.ctx.db`update users set email_verified_at = now() where email = ${email}`;
      const person = await logIn(service, { ...account, ...body.data });
      const { status } = await signFrom(service, person.accessToken, petition, { ip: '81.2.1.7' });
      assert.equal(status, round === 0 ? 201 : 409);
      if (round === 0) await invalidateBy(moderator, petition, { domain: 'farm.example' });
      await erase(person.accessToken);
    }
    assert.equal(await countOf(petition), 0);
    await assertCounts(service, petition.id);
  });
});
