import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('access codes', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' } });
    creator = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const createPrivate = async (): Promise<{ id: string; access_code: string }> =>
    createPublished(creator, { visibility: 'private' });
  const read = async (id: string, code: string, ip = '192.0.2.1') =>
    (
      await service.api.get(`/v1/petitions/${id}?access_code=${code}`, {
        headers: { 'x-forwarded-for': ip },
      })
    ).status;

  it('are judged at most 20 times for a petition and network, on all routes together', async () => {
    const { id, access_code: code } = await createPrivate();
    const other = await createPrivate();
    const person = await signUp(service);
    const path = `/v1/petitions/${id}`;
    const headers = { 'x-forwarded-for': '198.51.100.7' };
    const guesses = [
      (guess: string) => service.api.post(`${path}/access`, { accessCode: guess }, { headers }),
      (guess: string) => service.api.get(`${path}?access_code=${guess}`, { headers }),
      (guess: string) => service.api.get(`${path}/comments?access_code=${guess}`, { headers }),
      (guess: string) => service.api.get(`${path}/updates?access_code=${guess}`, { headers }),
      (guess: string) => service.api.get(`${path}/events?access_code=${guess}`, { headers }),
      (guess: string) => person.api.post(`${path}/signatures`, { access_code: guess }, { headers }),
    ];
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => guesses[n % guesses.length]!(`guess-${n}`)),
    );
    const withStatus = (status: number) => answers.filter((answer) => answer.status === status);
    assert.deepEqual([withStatus(403).length, withStatus(429).length], [20, 10]);
    assert.equal(await read(id, code, '198.51.100.7'), 429);
    // Other networks and petitions have limits of their own, and the creator needs no code.
    assert.equal(await read(id, code, '198.51.100.8'), 200);
    assert.equal(await read(other.id, other.access_code, '198.51.100.7'), 200);
    assert.equal((await creator.api.get(path, { headers })).status, 200);
  });

  it('do not count if they are right', async () => {
    const { id, access_code: code } = await createPrivate();
    for (let n = 0; n < 25; n += 1) assert.equal(await read(id, code), 200);
  });

  it('are replaced by the creator', async () => {
    const { id, access_code: code } = await createPrivate();
    const path = `/v1/petitions/${id}/access-code`;
    const stranger = await signUp(service);
    assert.equal((await stranger.api.post(path)).status, 403);
    const { status, body } = await creator.api.post(path);
    assert.equal(status, 200);
    assert.notEqual(body.data.access_code, code);
    assert.equal(await read(id, code), 403);
    assert.equal(await read(id, body.data.access_code), 200);
    const signed = await stranger.api.post(`/v1/petitions/${id}/signatures`, { access_code: code });
    assert.equal(signed.status, 403);
    const open = await createPublished(creator);
    const refused = await creator.api.post(`/v1/petitions/${open.id}/access-code`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state']);
  });

  it('change when a petition becomes private again', async () => {
    const { id, access_code: code } = await createPrivate();
    const become = async (visibility: string) =>
      (await creator.api.patch(`/v1/petitions/${id}`, { visibility })).body.data;
    await become('public');
    const again = await become('private');
    assert.notEqual(again.access_code, code);
    assert.equal(await read(id, code), 403);
    assert.equal(await read(id, again.access_code), 200);
  });
});
