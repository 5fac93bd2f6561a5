import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mailsTo } from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createPublished, logIn, signUp, verifyAddress } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const password = 'correct horse';

describe('addresses with domains in Unicode', () => {
  let service: Service;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  const register = (email: string) =>
    service.api.post('/v1/auth/register', { email, password, display_name: 'Any' });

  it('are one account in both forms, shown as typed, mailed in ASCII', async () => {
    const { status, body } = await register('Ada@MÜNCHEN.example');
    assert.equal(status, 201);
    assert.equal(body.data.email, 'Ada@MÜNCHEN.example');
    for (const email of [
      'ada@xn--mnchen-3ya.example',
      'ada@münchen.example',
      'ada@mu\u0308nchen.example',
    ]) {
      const person = await logIn(service, { email, password });
      const own = (await person.api.get('/v1/users/me')).body.data;
      assert.deepEqual([own.id, own.email], [body.data.id, 'Ada@MÜNCHEN.example']);
      const again = await register(email);
      assert.deepEqual([again.status, again.body.code], [409, 'email_in_use'], email);
    }
    await eventually(
      async () => (await mailsTo(service, 'Ada@xn--mnchen-3ya.example')).length > 0,
      20_000,
    );
  });

  it('are shown in ASCII where they were typed so', async () => {
    const email = 'bob@xn--mnchen-3ya.example';
    assert.equal((await register(email)).body.data.email, email);
    assert.equal((await register('bob@münchen.example')).status, 409);
  });

  it('sign once by mail, in whichever form', async () => {
    const petition = await createPublished(await signUp(service));
    const ascii = 'carl@xn--bcher-kva.example';
    const tokens = async () =>
      (await mailsTo(service, ascii)).flatMap(
        ({ text }) => /confirm\?token=([\w-]+)/.exec(text)?.[1] ?? [],
      );
    /** Asks for a confirmation, and confirms. */
    const sign = async (email: string) => {
      const known = (await tokens()).length;
      const path = `/v1/petitions/${petition.id}/signatures/pending`;
      const { status } = await service.api.post(path, { display_name: 'Any', email });
      assert.equal(status, 202);
      await eventually(async () => (await tokens()).length > known, 20_000);
      return service.api.post('/v1/signatures/confirm', { token: (await tokens()).at(-1) });
    };
    assert.equal((await sign('carl@bücher.example')).status, 201);
    const again = await sign(ascii);
    assert.deepEqual([again.status, again.body.code], [409, 'duplicate_signature']);
    const { body } = await service.api.get(`/v1/petitions/${petition.id}`);
    assert.equal(body.data.signature_count, 1);
  });

  it('may become the address of an account, and name decision makers', async () => {
    const person = await signUp(service);
    await verifyAddress(service, person);
    const email = 'dora@ελλάδα.example';
    const change = await person.api.post('/v1/users/me/email', { email, password });
    assert.deepEqual([change.status, change.body.data.email], [202, email]);
    const ascii = 'dora@xn--hxakic4aa.example';
    await eventually(async () => (await mailsTo(service, ascii)).length > 0, 20_000);
    const [mail] = await mailsTo(service, ascii);
    const token = /email\/confirm\?token=([\w-]+)/.exec(mail!.text)![1];
    assert.equal((await service.api.post('/v1/auth/email/confirm', { token })).status, 204);
    assert.equal((await person.api.get('/v1/users/me')).body.data.email, email);
    const petition = await createPublished(person);
    const makers = `/v1/petitions/${petition.id}/decision-makers`;
    const maker = (address: string) =>
      person.api.post(makers, { name: 'Any', title: 'Any', email: address });
    assert.equal((await maker('mayor@münchen.example')).status, 201);
    assert.equal((await maker('mayor@xn--mnchen-3ya.example')).status, 409);
  });

  it('are refused where no domain can be so', async () => {
    const wrong = [
      'a@münchen',
      'a@mü..example',
      'a@mü\u202e.example',
      'ä@münchen.example',
      `a@${'äöü'.repeat(80)}.example`,
    ];
    for (const email of wrong) {
      const { status, body } = await register(email);
      assert.deepEqual([status, body.errors?.[0].field], [422, 'email'], email);
    }
  });
});
