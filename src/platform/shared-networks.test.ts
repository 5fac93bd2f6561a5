import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { readMail } from '../../test/support/mail.ts';
import { createPublished, logInAsAdmin, signUp } from '../../test/support/people.ts';
import { startService, type Service } from '../../test/support/service.ts';

describe('people behind one address of a shared network', () => {
  const ip = '192.0.2.9';
  let service: Service;
  let petition: { id: string; slug: string };
  before(async () => {
    service = await startService({
      worker: true,
      env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1', SIGNATURE_POLICY: 'verified' },
    });
    petition = await createPublished(await signUp(service));
    const admin = await logInAsAdmin(service);
    const school = { network: '192.0.2.0/24', note: 'A school', limit: 500 };
    assert.equal((await admin.api.post('/v1/admin/shared-networks', school)).status, 201);
  });
  after(() => service[Symbol.asyncDispose]());

  const send = (path: string, body?: object) =>
    fetch(service.origin + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-forwarded-for': ip, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });

  it('all open the page at once, with its styles and scripts', async () => {
    const page = await (await send(`/p/${petition.slug}`)).text();
    const assets = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    assert.ok(assets.length >= 2, page);
    const paths = [
      `/p/${petition.slug}`,
      ...assets,
      '/favicon.svg',
      `/v1/petitions/${petition.id}`,
    ];
    const visits = Array.from({ length: 50 }, () => paths).flat();
    const answers = await Promise.all(visits.map((path) => send(path)));
    const refused = answers.filter(({ status }) => status === 429);
    assert.equal(refused.length, 0);
  });

  it('all sign, by mail', async () => {
    const people = Array.from({ length: 60 }, (_, n) => `pupil-${n}@school.example`);
    for (const email of people) {
      const path = `/v1/petitions/${petition.id}/signatures/pending`;
      const { status } = await send(path, { display_name: 'A pupil', email });
      assert.equal(status, 202);
    }
    const tokens = async () =>
      (await service.mails())
        .map(readMail)
        .filter(({ to }) => people.includes(to))
        .map(({ text }) => /confirm\?token=([\w-]+)/.exec(text)![1]!);
    await eventually(async () => (await tokens()).length === people.length, 20_000);
    for (const token of await tokens()) {
      assert.equal((await send('/v1/signatures/confirm', { token })).status, 201);
    }
    const { body } = await service.api.get(`/v1/petitions/${petition.id}`);
    assert.equal(body.data.signature_count, people.length);
  });
});
