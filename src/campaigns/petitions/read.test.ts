import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPublished, signUp } from '../../../test/support/people.ts';
import { startService } from '../../../test/support/service.ts';

describe('hot reads', () => {
  it('return the current state after each change', async () => {
    await using service = await startService();
    const creator = await signUp(service);
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.slug}`;
    const read = async () => (await service.api.get(path)).status;
    for (let n = 0; n < 3; n++) assert.equal(await read(), 200);
    const { headers, body } = await service.api.get(path);
    assert.equal(body.data.id, petition.id);
    assert.equal(headers.get('vary'), 'Authorization, X-API-Key, Accept-Encoding');
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.equal(headers.get('x-request-id'), body.meta.request_id);
    const held = { headers: { 'if-none-match': headers.get('etag')! } };
    assert.equal((await service.api.get(path, held)).status, 304);
    assert.equal((await service.api.send('HEAD', path)).status, 200);
    assert.equal((await creator.api.get(path)).status, 200);
    assert.equal((await service.api.as('x.y.z').get(path)).status, 401);

    await creator.api.patch(path, { visibility: 'private' });
    assert.equal(await read(), 403);
    const { access_code } = (await creator.api.get(path)).body.data;
    const opened = () => service.api.get(`${path}?access_code=${access_code}`);
    for (let n = 0; n < 2; n++) assert.equal((await opened()).status, 200);
    assert.equal((await service.api.get(`${path}?access_code=wrong`)).status, 403);
    await creator.api.patch(path, { visibility: 'public' });
    assert.equal(await read(), 200);
    await creator.api.delete(path);
    assert.equal(await read(), 404);
  });

  it('count towards the rate limit of the IP address', async () => {
    const frozen = new Date();
    // Stops the clock of the rate limit.
    const parts = { now: () => frozen };
    await using service = await startService({ env: { RATE_LIMITS: 'on' }, parts });
    const creator = await signUp(service);
    const petition = await createPublished(creator);
    const answers = await Promise.all(
      Array.from({ length: 160 }, () => service.api.get(`/v1/petitions/${petition.id}`)),
    );
    const passed = answers.filter(({ status }) => status === 200).length;
    const refused = answers.filter(({ status }) => status === 429).length;
    // The burst is 100, of which registering and logging in took some.
    assert.ok(passed >= 90 && passed <= 100, `${passed} passed`);
    assert.equal(passed + refused, 160);
  });
});
